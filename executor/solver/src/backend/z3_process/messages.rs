//! The messages between a run and its solver process.

use std::borrow::Cow;

use plat_expr::{Assignment, SymbolId};
use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::effort::Effort;

/// A query.
#[derive(Serialize, Deserialize, Debug)]
pub struct Request<'a> {
    /// The time limit, if there is one.
    pub milliseconds: Option<u64>,
    /// The work budget.
    pub effort: Effort,
    /// The constraints in SMT-LIB 2.
    pub script: Cow<'a, str>,
}

/// An answer.
#[derive(Serialize, Deserialize, Debug)]
pub enum Reply {
    /// The constraints hold for these bytes, and zeros for all others.
    Sat(Vec<ModelByte>),
    /// No assignment satisfies the constraints.
    Unsat,
    /// Not decided, and why.
    Unknown(String),
}

/// A byte of a model, by its numbers in the script: `s5_3` is byte 3 of symbol 5.
#[derive(Serialize, Deserialize, Clone, Copy, Debug)]
pub struct ModelByte {
    /// The number of the symbol.
    pub symbol: u32,
    /// The position of the byte.
    pub index: u32,
    /// Its value.
    pub value: u8,
}

impl From<Reply> for Answer {
    fn from(reply: Reply) -> Self {
        match reply {
            Reply::Unsat => Self::Unsat,
            Reply::Unknown(reason) => Self::Unknown(reason),
            Reply::Sat(bytes) => {
                let mut model = Assignment::new();
                for ModelByte {
                    symbol,
                    index,
                    value,
                } in bytes
                {
                    model.set_byte(SymbolId(symbol), index, value);
                }
                Self::Sat(model)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plat_protocol::{decode, encode};

    #[test]
    fn messages_survive_their_encoding() {
        for (milliseconds, effort) in [(None, Effort::FULL), (Some(u64::MAX), Effort::of(5))] {
            let request = Request {
                milliseconds,
                effort,
                script: "(check-sat)".into(),
            };
            let bytes = encode(&request).expect("an encoding");
            let decoded: Request<'_> = decode(&bytes).expect("a request");
            assert_eq!(decoded.milliseconds, milliseconds);
            assert_eq!(decoded.effort, effort);
            assert_eq!(decoded.script, "(check-sat)");
        }
        let byte = ModelByte {
            symbol: 1 << 20,
            index: 3,
            value: 255,
        };
        let bytes = encode(&Reply::Sat(vec![byte])).expect("an encoding");
        for cut in 0..bytes.len() {
            assert!(decode::<Reply>(&bytes[..cut]).is_err());
        }
        let Ok(Answer::Sat(model)) = decode::<Reply>(&bytes).map(Answer::from) else {
            panic!("no model");
        };
        assert_eq!(model.byte(SymbolId(1 << 20), 3), 255);
    }
}

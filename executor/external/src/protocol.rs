//! The messages between the executor and its helper.

use serde::{Deserialize, Serialize};

/// How a value is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(into = "u8", try_from = "u8")]
pub enum Scalar {
    /// No value (results only).
    Void,
    /// An integer of 8, 16, 32 or 64 bits; of one bit, as a byte.
    Int(u8),
    /// An address.
    Pointer,
    /// `float`
    Single,
    /// `double`
    Double,
    /// `long double`: the 80 bits of the x87.
    Extended,
}

impl From<Scalar> for u8 {
    fn from(scalar: Scalar) -> Self {
        match scalar {
            Scalar::Void => 0,
            Scalar::Int(bits) => bits,
            Scalar::Pointer => 2,
            Scalar::Single => 3,
            Scalar::Double => 4,
            Scalar::Extended => 5,
        }
    }
}

impl TryFrom<u8> for Scalar {
    type Error = &'static str;

    fn try_from(code: u8) -> Result<Self, Self::Error> {
        Ok(match code {
            0 => Self::Void,
            1 | 8 | 16 | 32 | 64 => Self::Int(code),
            2 => Self::Pointer,
            3 => Self::Single,
            4 => Self::Double,
            5 => Self::Extended,
            _ => return Err("no such type of a value"),
        })
    }
}

/// Bytes at an address.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Block {
    /// Where.
    pub address: u64,
    /// What is there.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
}

/// The first message to a helper.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Setup {
    /// Shared libraries to load, beside those that the helper is linked with.
    pub libraries: Vec<String>,
    /// Longest time of a call, in milliseconds.
    pub longest: u64,
}

/// A call.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Request {
    /// The function's symbol.
    pub function: String,
    /// Type of its result.
    pub result: Scalar,
    /// Of a function with variable arguments: how many are not.
    pub fixed: Option<u32>,
    /// The arguments: types and bit patterns.
    pub arguments: Vec<(Scalar, u128)>,
    /// The value of `errno` before.
    pub errno: i32,
    /// The memory that the callee can reach.
    pub blocks: Vec<Block>,
}

/// What a call that returned has done.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Returned {
    /// Bit pattern of the result.
    pub value: u128,
    /// The value of `errno` after it.
    pub errno: i32,
    /// The parts of the request's blocks that are different now.
    pub changes: Vec<Block>,
    /// What it wrote to standard output.
    #[serde(with = "serde_bytes")]
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    #[serde(with = "serde_bytes")]
    pub stderr: Vec<u8>,
}

/// The helper's answer to [`Setup`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Started {
    /// It makes calls; what callees can do nevertheless that they should not.
    Ready(Option<String>),
    /// It cannot.
    Failed(String),
}

/// How a call has ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Reply {
    /// It returned.
    Returned(Returned),
    /// It returned, but wrote to this address, which is in none of the blocks.
    Stray(u64),
    /// A signal ended the process.
    Crashed(i32),
    /// It ended the process with this code.
    Exited(i32),
    /// It did not return in time.
    Hung,
    /// There is no such function.
    Missing,
    /// The call could not be made.
    Failed(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use plat_protocol::{decode, encode};
    use serde::de::DeserializeOwned;
    use std::fmt::Debug;

    /// The message survives its encoding, and no part of the encoding is a message.
    fn survives<T: Serialize + DeserializeOwned + PartialEq + Debug>(message: T) {
        let bytes = encode(&message).expect("an encoding");
        for cut in 0..bytes.len() {
            assert!(decode::<T>(&bytes[..cut]).is_err(), "{message:?}");
        }
        assert_eq!(decode(&bytes), Ok(message));
    }

    #[test]
    fn messages_survive_their_encoding() {
        survives(Setup {
            libraries: vec!["libm.so.6".into()],
            longest: 10,
        });
        let block = Block {
            address: 77,
            bytes: vec![1, 2, 3],
        };
        for fixed in [None, Some(3)] {
            survives(Request {
                function: "snprintf".into(),
                result: Scalar::Int(32),
                fixed,
                arguments: vec![(Scalar::Extended, u128::MAX), (Scalar::Int(1), 1)],
                errno: -4,
                blocks: vec![block.clone(), block.clone()],
            });
        }
        survives(Reply::Returned(Returned {
            value: 1 << 100,
            errno: 2,
            changes: vec![block],
            stdout: b"out".to_vec(),
            stderr: Vec::new(),
        }));
        survives(Reply::Stray(5));
        survives(Reply::Crashed(11));
        survives(Reply::Exited(-1));
        survives(Reply::Hung);
        survives(Reply::Missing);
        survives(Reply::Failed("why".into()));
    }

    #[test]
    fn types_of_values_have_one_encoding() {
        let valid = (0..=u8::MAX).filter(|&code| match decode::<Scalar>(&[code]) {
            Ok(scalar) => u8::from(scalar) == code,
            Err(_) => false,
        });
        assert_eq!(valid.collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 8, 16, 32, 64]);
    }
}

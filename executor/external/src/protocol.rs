//! What the executor and its helper say to each other.

use crate::wire::{Reader, Writer};

/// How a value is passed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

impl Scalar {
    fn code(self) -> u8 {
        match self {
            Self::Void => 0,
            Self::Int(bits) => bits,
            Self::Pointer => 2,
            Self::Single => 3,
            Self::Double => 4,
            Self::Extended => 5,
        }
    }

    fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            0 => Self::Void,
            1 | 8 | 16 | 32 | 64 => Self::Int(code),
            2 => Self::Pointer,
            3 => Self::Single,
            4 => Self::Double,
            5 => Self::Extended,
            _ => return None,
        })
    }
}

/// Bytes at an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Where.
    pub address: u64,
    /// What is there.
    pub bytes: Vec<u8>,
}

/// What a helper is told when it starts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Setup {
    /// Shared libraries to load, beside those that the helper is linked with.
    pub libraries: Vec<String>,
    /// Longest time of a call, in milliseconds.
    pub longest: u64,
}

/// A call.
#[derive(Clone, PartialEq, Eq, Debug)]
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
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Returned {
    /// Bit pattern of the result.
    pub value: u128,
    /// The value of `errno` after it.
    pub errno: i32,
    /// The parts of the request's blocks that are different now.
    pub changes: Vec<Block>,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: Vec<u8>,
}

/// How a call has ended.
#[derive(Clone, PartialEq, Eq, Debug)]
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

impl Setup {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.list(&self.libraries, |out, name| out.bytes(name.as_bytes()));
        out.word(self.longest);
        out.0
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut input = Reader(bytes);
        Some(Self {
            libraries: input.list(Reader::text)?,
            longest: input.word()?,
        })
    }
}

fn put_block(out: &mut Writer, block: &Block) {
    out.word(block.address);
    out.bytes(&block.bytes);
}

fn get_block(input: &mut Reader<'_>) -> Option<Block> {
    Some(Block {
        address: input.word()?,
        bytes: input.bytes()?,
    })
}

impl Request {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.bytes(self.function.as_bytes());
        out.byte(self.result.code());
        out.word(self.fixed.map_or(u64::MAX, u64::from));
        out.list(&self.arguments, |out, &(scalar, value)| {
            out.byte(scalar.code());
            out.wide(value);
        });
        out.int(self.errno);
        out.list(&self.blocks, put_block);
        out.0
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut input = Reader(bytes);
        Some(Self {
            function: input.text()?,
            result: Scalar::from_code(input.byte()?)?,
            fixed: u32::try_from(input.word()?).ok(),
            arguments: input
                .list(|input| Some((Scalar::from_code(input.byte()?)?, input.wide()?)))?,
            errno: input.int()?,
            blocks: input.list(get_block)?,
        })
    }
}

impl Reply {
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        match self {
            Self::Returned(returned) => {
                out.byte(0);
                out.wide(returned.value);
                out.int(returned.errno);
                out.list(&returned.changes, put_block);
                out.bytes(&returned.stdout);
                out.bytes(&returned.stderr);
            }
            Self::Stray(address) => {
                out.byte(1);
                out.word(*address);
            }
            Self::Crashed(signal) => {
                out.byte(2);
                out.int(*signal);
            }
            Self::Exited(code) => {
                out.byte(3);
                out.int(*code);
            }
            Self::Hung => out.byte(4),
            Self::Missing => out.byte(5),
            Self::Failed(why) => {
                out.byte(6);
                out.bytes(why.as_bytes());
            }
        }
        out.0
    }

    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut input = Reader(bytes);
        Some(match input.byte()? {
            0 => Self::Returned(Returned {
                value: input.wide()?,
                errno: input.int()?,
                changes: input.list(get_block)?,
                stdout: input.bytes()?,
                stderr: input.bytes()?,
            }),
            1 => Self::Stray(input.word()?),
            2 => Self::Crashed(input.int()?),
            3 => Self::Exited(input.int()?),
            4 => Self::Hung,
            5 => Self::Missing,
            6 => Self::Failed(input.text()?),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_heard() {
        let setup = Setup {
            libraries: vec!["libm.so.6".into()],
            longest: 10,
        };
        assert_eq!(Setup::decode(&setup.encode()), Some(setup));
        let block = Block {
            address: 77,
            bytes: vec![1, 2, 3],
        };
        let mut request = Request {
            function: "snprintf".into(),
            result: Scalar::Int(32),
            fixed: Some(3),
            arguments: vec![(Scalar::Extended, u128::MAX), (Scalar::Int(1), 1)],
            errno: -4,
            blocks: vec![block.clone(), block.clone()],
        };
        assert_eq!(Request::decode(&request.encode()), Some(request.clone()));
        request.fixed = None;
        assert_eq!(Request::decode(&request.encode()), Some(request.clone()));
        for cut in 0..request.encode().len() {
            assert_eq!(Request::decode(&request.encode()[..cut]), None);
        }
        let returned = Returned {
            value: 1 << 100,
            errno: 2,
            changes: vec![block],
            stdout: b"out".to_vec(),
            stderr: Vec::new(),
        };
        for reply in [
            Reply::Returned(returned),
            Reply::Stray(5),
            Reply::Crashed(11),
            Reply::Exited(-1),
            Reply::Hung,
            Reply::Missing,
            Reply::Failed("why".into()),
        ] {
            assert_eq!(Reply::decode(&reply.encode()), Some(reply));
        }
    }
}

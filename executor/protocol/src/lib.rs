//! The protocol between plat's processes: the run and its workers, its solver process, its helper
//! for external calls, and the process in which LLVM works.
//!
//! A message is a serde value in [`postcard`]'s encoding. In a stream a *frame* goes around it: the
//! length of the body (4 bytes, little-endian), then the body. Both ends are the same build of plat,
//! so messages carry no version.
//!
//! A reader trusts nothing that it reads: whatever the bytes are, the result is a value or an
//! [`Error`], and no length field makes it allocate more than the bytes that have arrived.
//!
//! - [`send`] and [`receive`] for streams that block;
//! - [`append`] and [`Incoming`] for ends of pipes that do not;
//! - [`send_parts`] and [`receive_parts`] for data too long to be held twice.
//!
//! Processes are made here too: forks ([`fork`]), and helpers ([`Helper`]), which may wait before they
//! are needed ([`stand_by`]).

#![deny(unsafe_code)]

mod fork;
mod helper;
mod incoming;
mod parts;
mod standby;
mod stream;

pub use fork::{Divided, fork};
pub use helper::{Errors, Helper};
pub use incoming::Incoming;
pub use parts::{PartWriter, receive_parts, send_parts};
pub use standby::{Role, dismiss, stand_by};
pub use stream::{receive, send};

use postcard::ser_flavors::Flavor;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The length of a body, as the head of its frame has it.
const HEAD: usize = size_of::<u32>();

/// Why a message cannot be written or read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// The body is longer than a frame can be; so many bytes.
    TooLong(usize),
    /// The value has no encoding: postcard's reason.
    Unencodable(String),
    /// The bytes are no message of the expected type: postcard's reason.
    Malformed(String),
    /// So many bytes follow the message.
    Trailing(usize),
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong(length) => write!(out, "a message of {length} bytes is too long"),
            Self::Unencodable(why) => write!(out, "a message cannot be encoded: {why}"),
            Self::Malformed(why) => write!(out, "a message cannot be decoded: {why}"),
            Self::Trailing(count) => write!(out, "{count} bytes follow a message in its frame"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Error> for std::io::Error {
    fn from(error: Error) -> Self {
        Self::new(std::io::ErrorKind::InvalidData, error)
    }
}

/// The bytes of a message, without a frame.
///
/// # Errors
/// When serde has no encoding for the value.
pub fn encode<T: Serialize + ?Sized>(message: &T) -> Result<Vec<u8>, Error> {
    postcard::to_stdvec(message).map_err(|why| Error::Unencodable(why.to_string()))
}

/// The message of these bytes, all of which it takes up.
///
/// # Errors
/// When they are not exactly one message of this type.
pub fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, Error> {
    match postcard::take_from_bytes(bytes) {
        Ok((message, [])) => Ok(message),
        Ok((_, rest)) => Err(Error::Trailing(rest.len())),
        Err(why) => Err(Error::Malformed(why.to_string())),
    }
}

/// The message that these bytes begin with, and the bytes behind it: for who needs the first fields of a
/// longer one.
///
/// # Errors
/// When they begin with no message of this type.
pub fn decode_start<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<(T, &'a [u8]), Error> {
    postcard::take_from_bytes(bytes).map_err(|why| Error::Malformed(why.to_string()))
}

/// Appends a message in its frame.
///
/// # Errors
/// When it has no encoding or is too long. Then `out` is as it was.
pub fn append<T: Serialize + ?Sized>(message: &T, out: &mut Vec<u8>) -> Result<(), Error> {
    let start = out.len();
    out.extend([0; HEAD]);
    let written = postcard::serialize_with_flavor(message, Appended(out))
        .map_err(|why| Error::Unencodable(why.to_string()))
        .and_then(|()| head(out.len() - start - HEAD));
    match written {
        Ok(head) => {
            out[start..start + HEAD].copy_from_slice(&head);
            Ok(())
        }
        Err(why) => {
            out.truncate(start);
            Err(why)
        }
    }
}

/// Where postcard puts the bytes of [`append`]. Its own appending writer is slower by a call for
/// each field.
struct Appended<'a>(&'a mut Vec<u8>);

impl Flavor for Appended<'_> {
    type Output = ();

    #[inline]
    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    #[inline]
    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

/// A message in its frame.
///
/// # Errors
/// When it has no encoding or is too long.
pub fn frame<T: Serialize + ?Sized>(message: &T) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    append(message, &mut bytes)?;
    Ok(bytes)
}

/// The head of a frame around so many bytes.
fn head(length: usize) -> Result<[u8; HEAD], Error> {
    u32::try_from(length)
        .map(u32::to_le_bytes)
        .map_err(|_| Error::TooLong(length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    enum Message {
        Empty,
        Numbers(Vec<u64>, u128),
        Named {
            names: BTreeMap<String, Option<i32>>,
        },
    }

    fn messages() -> Vec<Message> {
        let names = [("one".to_owned(), Some(1)), ("none".to_owned(), None)];
        vec![
            Message::Empty,
            Message::Numbers(vec![0, 1, u64::MAX], u128::MAX),
            Message::Named {
                names: names.into(),
            },
        ]
    }

    #[test]
    fn a_message_is_decoded_from_exactly_its_bytes() {
        for message in messages() {
            let mut bytes = encode(&message).expect("an encoding");
            assert_eq!(decode(&bytes), Ok(message));
            for cut in 0..bytes.len() {
                let decoded: Result<Message, _> = decode(&bytes[..cut]);
                assert!(matches!(decoded, Err(Error::Malformed(_))), "{decoded:?}");
            }
            bytes.push(0);
            assert_eq!(decode::<Message>(&bytes), Err(Error::Trailing(1)));
        }
    }

    #[test]
    fn a_wrong_length_within_a_message_allocates_nothing() {
        // A list of 2^63 numbers, of which one is there.
        let mut bytes = vec![1];
        bytes.extend([0x80; 9]);
        bytes.extend([1, 7]);
        assert!(decode::<Message>(&bytes).is_err());
        assert!(decode::<Vec<[u64; 32]>>(&bytes[1..]).is_err());
        assert!(decode::<String>(&bytes[1..]).is_err());
    }

    #[test]
    fn what_has_no_encoding_leaves_the_output_as_it_was() {
        struct None;
        impl Serialize for None {
            fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
                Err(serde::ser::Error::custom("none"))
            }
        }
        let mut bytes = vec![1, 2, 3];
        let appended = append(&(7u8, None), &mut bytes);
        assert!(matches!(appended, Err(Error::Unencodable(_))));
        assert_eq!(bytes, [1, 2, 3]);
    }

    #[test]
    fn the_length_of_a_frame_is_bounded() {
        let most = u32::MAX as usize;
        assert_eq!(head(most), Ok([0xff; 4]));
        assert_eq!(head(most + 1), Err(Error::TooLong(most + 1)));
    }
}

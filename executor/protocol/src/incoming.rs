//! Messages from an end of a pipe that does not block: bytes come in any pieces.

use crate::{Error, HEAD, decode};
use serde::de::DeserializeOwned;
use std::io::{self, Read};

/// Bytes that one read asks for.
const CHUNK: usize = 1 << 14;

/// What has arrived and was not taken as a message yet.
#[derive(Default, Debug)]
pub struct Incoming {
    bytes: Vec<u8>,
    /// How many bytes at the front were taken.
    taken: usize,
}

impl Incoming {
    /// Reads once. Returns how many bytes came; 0 is the end of the stream.
    ///
    /// # Errors
    /// Those of the stream, [`io::ErrorKind::WouldBlock`] among them.
    pub fn read_from(&mut self, from: &mut impl Read) -> io::Result<usize> {
        self.bytes.drain(..self.taken);
        self.taken = 0;
        let start = self.bytes.len();
        self.bytes.resize(start + CHUNK, 0);
        let read = from.read(&mut self.bytes[start..]);
        self.bytes.truncate(start + *read.as_ref().unwrap_or(&0));
        read
    }

    /// Takes the next message, if all of it has arrived.
    ///
    /// # Errors
    /// When the frame holds something else. The next call goes on behind it.
    pub fn message<T: DeserializeOwned>(&mut self) -> Result<Option<T>, Error> {
        let Some((head, rest)) = self.bytes[self.taken..].split_first_chunk::<HEAD>() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(*head) as usize;
        let Some(body) = rest.get(..length) else {
            return Ok(None);
        };
        self.taken += HEAD + length;
        decode(body).map(Some)
    }

    /// Forgets what has arrived.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::append;

    #[test]
    fn messages_come_whole_whatever_the_pieces() {
        let sent: Vec<Vec<u32>> = (0..40u32).map(|count| (0..count * 50).collect()).collect();
        let mut bytes = Vec::new();
        for message in &sent {
            append(message, &mut bytes).expect("an encoding");
        }
        for piece in [1, 3, 4, 1000, 70_000] {
            let mut incoming = Incoming::default();
            let mut received = Vec::new();
            for mut piece in bytes.chunks(piece) {
                while !piece.is_empty() {
                    assert!(incoming.read_from(&mut piece).expect("bytes") > 0);
                    while let Some(message) = incoming.message::<Vec<u32>>().expect("a message") {
                        received.push(message);
                    }
                }
            }
            assert_eq!(received, sent);
        }
    }

    #[test]
    fn a_frame_of_something_else_is_passed_over() {
        let mut bytes = Vec::new();
        append(&u64::MAX, &mut bytes).expect("an encoding");
        append("text", &mut bytes).expect("an encoding");
        let mut incoming = Incoming::default();
        incoming.read_from(&mut &bytes[..]).expect("bytes");
        assert!(incoming.message::<String>().is_err());
        assert_eq!(incoming.message(), Ok(Some("text".to_owned())));
        assert_eq!(incoming.message::<String>(), Ok(None));
    }
}

//! Messages on streams that block.

use crate::{HEAD, decode, frame};
use serde::{Serialize, de::DeserializeOwned};
use std::io::{self, ErrorKind, Read, Write};

/// Writes a message and flushes the stream.
///
/// # Errors
/// When the message has no encoding or is too long, or the stream refuses it.
pub fn send<T: Serialize + ?Sized>(to: &mut impl Write, message: &T) -> io::Result<()> {
    to.write_all(&frame(message)?)?;
    to.flush()
}

/// Reads the next message; `None` when the stream has ended before it.
///
/// # Errors
/// [`ErrorKind::UnexpectedEof`] when the stream ends within a message,
/// [`ErrorKind::InvalidData`] when the bytes are not a `T`, or the error of the stream.
pub fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut body = Vec::new();
    match receive_body(from, &mut body)? {
        Some(_) => Ok(Some(decode(&body)?)),
        None => Ok(None),
    }
}

/// Appends the body of the next frame. Returns its length; `None` when the stream has ended before it.
pub(crate) fn receive_body(from: &mut impl Read, body: &mut Vec<u8>) -> io::Result<Option<usize>> {
    let mut head = Vec::new();
    if from.take(HEAD as u64).read_to_end(&mut head)? == 0 {
        return Ok(None);
    }
    let head = <[u8; HEAD]>::try_from(head).map_err(|_| ErrorKind::UnexpectedEof)?;
    let length = u32::from_le_bytes(head) as usize;
    // The body grows as it comes: a wrong length allocates nothing.
    match from.take(length as u64).read_to_end(body)? {
        read if read == length => Ok(Some(length)),
        _ => Err(ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_that_ends_within_a_message_is_an_error() {
        let mut bytes = Vec::new();
        send(&mut bytes, &(7u32, "seven")).expect("sent");
        for cut in 0..bytes.len() {
            let received = receive::<(u32, String)>(&mut &bytes[..cut]);
            match received {
                Ok(None) => assert_eq!(cut, 0),
                other => assert_eq!(other.unwrap_err().kind(), ErrorKind::UnexpectedEof),
            }
        }
        let from = &mut &bytes[..];
        let message: Option<(u32, String)> = receive(from).expect("a message");
        assert_eq!(message, Some((7, "seven".to_owned())));
        assert_eq!(receive::<u32>(from).expect("an end"), None);
    }

    #[test]
    fn a_wrong_length_is_an_error_and_not_an_allocation() {
        let bytes = [0xff, 0xff, 0xff, 0xff, 1, 2, 3];
        let error = receive::<Vec<u8>>(&mut &bytes[..]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
        let number = frame(&u64::MAX).expect("an encoding");
        let error = receive::<String>(&mut &number[..]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
    }
}

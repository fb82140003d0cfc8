//! Data that are too long to be encoded as a whole: frames of bytes, and an empty one at the end.

use crate::head;
use crate::stream::receive_body;
use std::io::{self, BufWriter, ErrorKind, Read, Write};

/// Bytes in a part.
const PART: usize = 1 << 16;

/// Sends what `write` writes, while it writes it. [`receive_parts`] reads it.
///
/// # Errors
/// Those of `write` and of the stream.
pub fn send_parts<W: Write>(
    to: &mut W,
    write: impl FnOnce(&mut BufWriter<PartWriter<'_, W>>) -> io::Result<()>,
) -> io::Result<()> {
    let mut parts = BufWriter::with_capacity(PART, PartWriter(to));
    write(&mut parts)?;
    parts.flush()?;
    drop(parts);
    send_bytes(to, &[])?;
    to.flush()
}

/// Makes a frame of each write.
#[derive(Debug)]
pub struct PartWriter<'a, W>(&'a mut W);

impl<W: Write> Write for PartWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // An empty frame would be the end.
        if !bytes.is_empty() {
            send_bytes(self.0, bytes)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn send_bytes(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&head(bytes.len())?)?;
    to.write_all(bytes)
}

/// Reads what was sent in parts.
///
/// # Errors
/// [`ErrorKind::UnexpectedEof`] when the stream ends before the last part, or the stream's error.
pub fn receive_parts(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        match receive_body(from, &mut whole)? {
            Some(0) => return Ok(whole),
            Some(_) => {}
            None => return Err(ErrorKind::UnexpectedEof.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_whole_or_an_error() {
        let long: Vec<u8> = (0..3 * PART + 5).map(|at| (at % 251) as u8).collect();
        let mut bytes = Vec::new();
        send_parts(&mut bytes, |out| out.write_all(&long)).expect("sent");
        let cuts = (0..40).chain((40..bytes.len()).step_by(997));
        for cut in cuts.chain(bytes.len() - 8..bytes.len()) {
            let error = receive_parts(&mut &bytes[..cut]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
        }
        assert_eq!(receive_parts(&mut &bytes[..]).expect("bytes"), long);
    }
}

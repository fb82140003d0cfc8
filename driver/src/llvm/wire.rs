//! What goes between plat and the process in which LLVM works: steps one way, what came of them
//! the other way. Both are the same plat: there is no version.

use plat_transform::Annotations;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::ffi::OsString;
use std::io::{self, BufWriter, Read, Write};

/// How much is sent at once of what is long.
const PART: usize = 1 << 16;

/// Something to do.
#[derive(Serialize, Deserialize, Debug)]
pub enum Step {
    /// Reply: the report of the link.
    Link(Link),
    /// Reply: the report of the transformation.
    Transform(Transform),
    /// Read a file. Reply: nothing, and the bytes of a program behind it.
    Read(OsString),
    /// Write what was read last to a file, as text, and end. Reply: on which lines instructions stand.
    Print(OsString),
}

/// The link stage.
#[derive(Serialize, Deserialize, Debug)]
pub struct Link {
    /// The program.
    pub input: OsString,
    /// Further files of it.
    pub further: Vec<OsString>,
    /// Where it starts.
    pub entry: Option<String>,
    /// The C library; without one the program is only lowered, and its variables stay in memory.
    pub library: Option<OsString>,
    /// Whether it is optimised.
    pub optimize: bool,
    /// The result.
    pub out: OsString,
    /// Whether no other step follows.
    pub last: bool,
}

/// The transform stage.
#[derive(Serialize, Deserialize, Debug)]
pub struct Transform {
    /// The linked program.
    pub input: OsString,
    /// What is written into it.
    pub annotations: Annotations,
    /// The functions that take the place of realloc.
    pub realloc: OsString,
    /// The result.
    pub out: OsString,
    /// Whether no other step follows.
    pub last: bool,
}

/// Sends a message.
pub fn send(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    send_bytes(to, &postcard::to_stdvec(message).map_err(io::Error::other)?)
}

fn send_bytes(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(bytes)?;
    to.flush()
}

/// Sends what `write` writes as it comes; [`receive_parts`] is for it.
pub fn send_parts<W: Write>(
    to: &mut W,
    write: impl FnOnce(&mut BufWriter<Parts<'_, W>>) -> io::Result<()>,
) -> io::Result<()> {
    let mut parts = BufWriter::with_capacity(PART, Parts(to));
    write(&mut parts)?;
    parts.flush()?;
    drop(parts);
    send_bytes(to, &[])
}

/// Each of its writes is a message.
pub struct Parts<'a, W>(&'a mut W);

impl<W: Write> Write for Parts<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !bytes.is_empty() {
            send_bytes(self.0, bytes)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// What was sent in parts, as a whole.
pub fn receive_parts(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut whole = Vec::new();
    while receive_onto(&mut whole, from)? > 0 {}
    Ok(whole)
}

/// The next message; the end of the stream is an error too.
pub fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<T> {
    let mut bytes = Vec::new();
    receive_onto(&mut bytes, from)?;
    postcard::from_bytes(&bytes).map_err(io::Error::other)
}

/// Appends the next bytes. Returns how many they are.
fn receive_onto(bytes: &mut Vec<u8>, from: &mut impl Read) -> io::Result<u64> {
    let mut length = [0; 8];
    from.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    match from.take(length).read_to_end(bytes)? as u64 == length {
        true => Ok(length),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_as_they_were_sent_and_never_in_part() {
        let mut bytes = Vec::new();
        send(&mut bytes, &(7u32, "seven")).expect("sent");
        let long: Vec<u8> = (0..3 * PART + 5).map(|at| (at % 251) as u8).collect();
        send_parts(&mut bytes, |out| out.write_all(&long)).expect("sent");
        let cuts = (0..40).chain((40..bytes.len()).step_by(997));
        for length in cuts.chain(bytes.len() - 8..bytes.len()) {
            let mut from = &bytes[..length];
            let whole = receive::<(u32, String)>(&mut from).and_then(|_| receive_parts(&mut from));
            assert_eq!(whole.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        }
        let mut from = &bytes[..];
        let first: (u32, String) = receive(&mut from).expect("a message");
        assert_eq!(first, (7, "seven".to_string()));
        assert_eq!(receive_parts(&mut from).expect("bytes"), long);
    }
}

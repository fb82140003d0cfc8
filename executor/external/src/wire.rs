//! Values as bytes, and frames of bytes on a pipe: a length, then so many bytes.

use std::io::{self, Read, Write};

/// No frame is longer: a wrong length must not ask for all memory.
const LONGEST: u64 = 1 << 32;

/// Appends values.
#[derive(Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    pub fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub fn int(&mut self, int: i32) {
        self.0.extend(int.to_le_bytes());
    }

    pub fn word(&mut self, word: u64) {
        self.0.extend(word.to_le_bytes());
    }

    pub fn wide(&mut self, wide: u128) {
        self.0.extend(wide.to_le_bytes());
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        self.0.extend(bytes);
    }

    pub fn list<T>(&mut self, items: &[T], mut put: impl FnMut(&mut Self, &T)) {
        self.word(items.len() as u64);
        for item in items {
            put(self, item);
        }
    }
}

/// Takes values; `None` when there are not enough bytes.
pub struct Reader<'a>(pub &'a [u8]);

impl Reader<'_> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    pub fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    pub fn int(&mut self) -> Option<i32> {
        self.array().map(i32::from_le_bytes)
    }

    pub fn word(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn wide(&mut self) -> Option<u128> {
        self.array().map(u128::from_le_bytes)
    }

    pub fn bytes(&mut self) -> Option<Vec<u8>> {
        let length = usize::try_from(self.word()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes.to_vec())
    }

    pub fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?).ok()
    }

    pub fn list<T>(&mut self, mut get: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.word()?;
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(get(self)?);
        }
        Some(items)
    }
}

/// Writes a frame.
pub fn send(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(bytes)?;
    to.flush()
}

/// Reads a frame; `None` at the end of input.
pub fn receive(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 8];
    match from.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = u64::from_le_bytes(length);
    if length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 == length).then_some(bytes))
}

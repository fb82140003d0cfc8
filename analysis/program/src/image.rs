//! The bytes of an initialiser. Long stretches of zeros have no storage: a global of 100 GB with one
//! byte set costs that byte.

use serde::{Deserialize, Serialize};

/// Zeros between two pieces are at least so many: a piece costs about as much as this.
const GAP: usize = 64;

/// Bytes that are looked at together for zeros.
const BLOCK: usize = 4096;

/// Some consecutive bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Piece {
    /// Position of the first.
    pub offset: u64,
    /// The bytes.
    #[serde(with = "crate::bytes::plain")]
    pub bytes: Vec<u8>,
}

impl Piece {
    /// Position behind the last byte.
    pub fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }
}

/// Bytes of which all but some pieces are zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Image {
    pieces: Vec<Piece>,
}

impl Image {
    /// The pieces, by position. They do not overlap.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The bytes that consist of these pieces; `None` if one is empty or they overlap or are not
    /// sorted.
    pub fn from_pieces(pieces: Vec<Piece>) -> Option<Self> {
        let mut end = 0;
        for piece in &pieces {
            let len = piece.bytes.len() as u64;
            if piece.bytes.is_empty() || piece.offset < end {
                return None;
            }
            end = piece.offset.checked_add(len)?;
        }
        Some(Self { pieces })
    }

    /// Position behind the last byte that may not be zero.
    pub fn end(&self) -> u64 {
        self.pieces.last().map_or(0, Piece::end)
    }

    /// Whether all bytes are zero.
    pub fn is_zero(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Adds bytes behind all others. Returns whether that is where they lie.
    pub fn push(&mut self, offset: u64, bytes: &[u8]) -> bool {
        if offset < self.end() {
            return false;
        }
        for (at, block) in (offset..).step_by(BLOCK).zip(bytes.chunks(BLOCK)) {
            let Some(first) = block.iter().position(|&byte| byte != 0) else {
                continue;
            };
            let last = block.iter().rposition(|&byte| byte != 0).unwrap_or(first);
            self.add(at + first as u64, &block[first..=last]);
        }
        true
    }

    /// Adds bytes with something at both ends.
    fn add(&mut self, offset: u64, bytes: &[u8]) {
        if let Some(piece) = self.pieces.last_mut() {
            let gap = offset - piece.end();
            if gap < GAP as u64 {
                piece.bytes.resize(piece.bytes.len() + gap as usize, 0);
                piece.bytes.extend_from_slice(bytes);
                return;
            }
        }
        let bytes = bytes.to_vec();
        self.pieces.push(Piece { offset, bytes });
    }

    /// The `n` bytes from `offset` on.
    pub fn read(&self, offset: u64, n: usize) -> Vec<u8> {
        let mut read = vec![0; n];
        let end = offset + n as u64;
        let first = self.pieces.partition_point(|piece| piece.end() <= offset);
        let touched = self.pieces[first..].iter();
        for piece in touched.take_while(|piece| piece.offset < end) {
            let (from, to) = (offset.max(piece.offset), end.min(piece.end()));
            let source = (from - piece.offset) as usize..(to - piece.offset) as usize;
            let target = (from - offset) as usize..(to - offset) as usize;
            read[target].copy_from_slice(&piece.bytes[source]);
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_what_is_not_zero() {
        let mut bytes = vec![0u8; 40_000];
        for at in [0, 1, 70, 200, 4095, 4096, 20_000, 39_999] {
            bytes[at] = at as u8 | 1;
        }
        let mut whole = Image::default();
        assert!(whole.push(0, &bytes));
        let mut parts = Image::default();
        for (at, part) in (0..).step_by(7).zip(bytes.chunks(7)) {
            assert!(parts.push(at, part));
        }
        for image in [&whole, &parts] {
            assert_eq!(image.read(0, bytes.len()), bytes);
            assert_eq!(image.read(4090, 10), bytes[4090..4100]);
            let stored: usize = image.pieces().iter().map(|piece| piece.bytes.len()).sum();
            assert!(stored < 6_000, "{stored} bytes are stored");
        }
        assert!(!whole.push(39_999, &[1]));
        assert!(whole.push(1 << 40, &[1]));
        assert_eq!(whole.read((1 << 40) - 1, 3), [0, 1, 0]);
    }

    #[test]
    fn zeros_have_no_pieces() {
        let mut image = Image::default();
        assert!(image.push(0, &[0; 10_000]));
        assert!(image.is_zero());
    }
}

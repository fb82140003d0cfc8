//! A frame: a head of 20 bytes, then a body.
//!
//! | bytes | what |
//! |---|---|
//! | 0..4 | length of the body |
//! | 4..8 | how many records are in it |
//! | 8..12 | what it is ([`Kind`]) |
//! | 12..16 | CRC-32 of the body |
//! | 16..20 | CRC-32 of the bytes before |
//!
//! The head has a checksum of its own so that its length can be believed: a body that is shorter than
//! a sound head says was cut off, and one that does not fit its checksum was changed later.
//!
//! A packed body is its length before packing (4 bytes) and an LZ4 block.

use crate::{Storage, TailKind};
use plat_protocol::Error as Unencodable;
use std::io;

const HEAD: usize = 20;

/// What a frame holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The header of the store.
    Header = 0x7261_6568,
    /// A block of records.
    Block = 0x6b6f_6c62,
    /// A block of records, packed. [`read`] gives it as a [`Kind::Block`].
    Packed = 0x6b63_6170,
}

/// A frame that was read and is sound.
pub struct Frame {
    /// What it holds.
    pub kind: Kind,
    /// So many records.
    pub records: u32,
    /// Its body.
    pub body: Vec<u8>,
    /// Where it ends.
    pub end: u64,
}

/// The head of a frame around this body.
///
/// # Errors
/// When the body is too long for a frame.
pub fn head(kind: Kind, records: u32, body: &[u8]) -> Result<[u8; HEAD], Unencodable> {
    let length = u32::try_from(body.len()).map_err(|_| Unencodable::TooLong(body.len()))?;
    let mut head = [0; HEAD];
    let fields = [length, records, kind as u32, crc32fast::hash(body)];
    for (to, field) in head.chunks_exact_mut(4).zip(fields) {
        to.copy_from_slice(&field.to_le_bytes());
    }
    let own = crc32fast::hash(&head[..HEAD - 4]);
    head[HEAD - 4..].copy_from_slice(&own.to_le_bytes());
    Ok(head)
}

/// The frame at a place of a store that has this length, or what is there instead.
///
/// # Errors
/// Those of the system.
pub fn read(from: &impl Storage, at: u64, length: u64) -> io::Result<Result<Frame, TailKind>> {
    let rest = length.saturating_sub(at);
    let mut head = [0; HEAD];
    if rest < HEAD as u64 || from.read_at(&mut head, at)? < HEAD {
        return Ok(Err(TailKind::Torn));
    }
    let field =
        |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let kind = match field(8) {
        kind if kind == Kind::Header as u32 => Some(Kind::Header),
        kind if kind == Kind::Block as u32 => Some(Kind::Block),
        kind if kind == Kind::Packed as u32 => Some(Kind::Packed),
        _ => None,
    };
    let (true, Some(kind)) = (field(16) == crc32fast::hash(&head[..HEAD - 4]), kind) else {
        return Ok(Err(no_frame(from, at, length)?));
    };
    let body_length = u64::from(field(0));
    if rest - (HEAD as u64) < body_length {
        return Ok(Err(TailKind::Torn));
    }
    let mut body = vec![0; field(0) as usize];
    if from.read_at(&mut body, at + HEAD as u64)? < body.len() {
        return Ok(Err(TailKind::Torn));
    }
    if crc32fast::hash(&body) != field(12) {
        return Ok(Err(no_frame(from, at + HEAD as u64, length)?));
    }
    let (kind, body) = match kind {
        Kind::Packed => match unpacked(&body) {
            Some(body) => (Kind::Block, body),
            None => return Ok(Err(TailKind::Damaged)),
        },
        _ => (kind, body),
    };
    Ok(Ok(Frame {
        kind,
        records: field(4),
        body,
        end: at + HEAD as u64 + body_length,
    }))
}

/// A body packed, if it gets shorter by that.
pub fn packed(body: &[u8]) -> Option<Vec<u8>> {
    let length = u32::try_from(body.len()).ok()?;
    let mut packed = vec![0; 4 + lz4_flex::block::get_maximum_output_size(body.len())];
    packed[..4].copy_from_slice(&length.to_le_bytes());
    let written = lz4_flex::block::compress_into(body, &mut packed[4..]).ok()?;
    packed.truncate(4 + written);
    (packed.len() < body.len()).then_some(packed)
}

fn unpacked(packed: &[u8]) -> Option<Vec<u8>> {
    let (length, packed) = packed.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    // A byte stands for at most 255.
    if length / 255 > packed.len() {
        return None;
    }
    let body = lz4_flex::block::decompress(packed, length).ok()?;
    (body.len() == length).then_some(body)
}

/// What stands where there is no sound frame: zeros to the end are what a machine that went down
/// leaves of a write.
fn no_frame(from: &impl Storage, at: u64, length: u64) -> io::Result<TailKind> {
    let mut piece = [0; 4096];
    let mut at = at;
    while at < length {
        let read = from.read_at(&mut piece, at)?;
        if read == 0 {
            break;
        }
        if piece[..read].iter().any(|&byte| byte != 0) {
            return Ok(TailKind::Damaged);
        }
        at += read as u64;
    }
    Ok(TailKind::Torn)
}

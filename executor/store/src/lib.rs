//! A store: one append-only file of checksummed records, safe against `kill -9` at any byte.
//!
//! A store begins with a [`Header`]: of what kind its records are, of which program and under which
//! options they were made. Then come *blocks* of records. A record is a serde value; its number is its
//! place in the store, from 0. A block is written at once, so a store that was cut off anywhere has
//! all records of its whole blocks, and at most one torn block at its end.
//!
//! - A [`Writer`] appends. A store that was cut off can be opened again: the torn block goes.
//! - A [`Reader`] has the records of all whole blocks, by number or in order, also while a writer goes
//!   on ([`Reader::refresh`]). It says where the store stops being readable ([`Reader::tail`]).
//!   Its index of blocks is made when it opens the store, which reads and checks every block.
//! - [`Writer::append_store`] appends the records of another store: that is how stores are merged.
//!
//! A reader trusts nothing: whatever the bytes are, the result is records that were written, or an
//! error, and no length allocates more than the bytes that are there.
//!
//! The bytes, all numbers little-endian: [`MAGIC`], a frame with the header, a frame for each block.
//! A frame (`frame.rs`) is a head of 20 bytes and a body; the body of a block is, for each record, its
//! length (LEB128) and its bytes in postcard's encoding, packed by LZ4 where that makes it shorter: tests
//! of one run, and decisions of one run, are much alike.

#![forbid(unsafe_code)]

mod block;
mod error;
mod frame;
mod header;
mod reader;
mod storage;
mod writer;

pub use error::Error;
pub use header::Header;
pub use reader::{Reader, Records, Tail, TailKind};
pub use storage::Storage;
pub use writer::{Reopened, Writer};

use serde::{Serialize, de::DeserializeOwned};

/// The first bytes of a store. The last is the version of the layout of frames.
pub const MAGIC: [u8; 8] = *b"platsto\x02";

/// What a store holds. A type that holds several kinds of records is an `enum` over them.
pub trait Record: Serialize + DeserializeOwned {
    /// The name of this kind of records. A store names it, and is read as nothing else.
    const NAME: &'static str;
    /// The version of their encoding: a change of the type's fields is a new version.
    const VERSION: u32;
}

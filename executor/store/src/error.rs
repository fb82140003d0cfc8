//! Why a store cannot be made, read or written.

use std::fmt;
use std::io;

/// Why a store cannot be made, read or written.
#[derive(Debug)]
pub enum Error {
    /// The system refuses.
    Io(io::Error),
    /// The file is no store, or its header was never written whole.
    NoStore,
    /// The store holds records of another kind or version.
    OtherRecords {
        /// What it holds.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// The store is of another program, or was made under other options.
    OtherRun(String),
    /// Another writer has the store open.
    Busy,
    /// Blocks that were written whole have changed since; records behind this place may be lost.
    Damaged {
        /// Where the damage begins, in bytes.
        at: u64,
    },
    /// There is no record of this number.
    NoRecord(u64),
    /// A record's bytes are no record of this type, or the record has no encoding.
    Record {
        /// Its number.
        number: u64,
        /// Why.
        why: plat_protocol::Error,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(why) => why.fmt(out),
            Self::NoStore => write!(out, "it is no store of plat, or its beginning is missing"),
            Self::OtherRecords { found, wanted } => {
                write!(out, "it is a store of {found}, not of {wanted}")
            }
            Self::OtherRun(what) => write!(out, "it is the store of another run: {what} differs"),
            Self::Busy => write!(out, "another process writes to it"),
            Self::Damaged { at } => write!(out, "it is damaged from byte {at} on"),
            Self::NoRecord(number) => write!(out, "it has no record {number}"),
            Self::Record { number, why } => write!(out, "record {number}: {why}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(why: io::Error) -> Self {
        Self::Io(why)
    }
}

//! A program as bytes, so that one process can read bitcode for another ([`crate::reader`] has all
//! of LLVM's memory to itself then). Both are the same plat: there is no version.

use crate::program::Program;
use std::fmt;

/// The bytes are not those of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damaged(String);

impl fmt::Display for Damaged {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "not the bytes of a program: {}", self.0)
    }
}

impl std::error::Error for Damaged {}

impl Program {
    /// Writes the bytes.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_to(&self, out: impl std::io::Write) -> std::io::Result<()> {
        let written = postcard::to_io(self, out);
        written.map(|_| ()).map_err(std::io::Error::other)
    }

    /// The program that has these bytes.
    ///
    /// # Errors
    /// When none has.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Damaged> {
        postcard::from_bytes(bytes).map_err(|why| Damaged(why.to_string()))
    }
}

//! Bitcode to [`Program`], through LLVM: the one place outside the transform that names LLVM.

use crate::program::Program;
use std::fmt;
use std::path::Path;

/// Why bitcode could not be read. One line each; says what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadError {
    /// The file cannot be opened or read: path and the system's reason.
    File(String, String),
    /// It is not bitcode, is truncated, or was made by a newer LLVM: path and LLVM's words.
    Bitcode(String, String),
    /// It is bitcode but the module is not well-formed: path and the verifier's first words.
    Invalid(String, String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::File(path, why) => write!(out, "{path}: cannot be read: {why}"),
            ReadError::Bitcode(path, why) => write!(out, "{path}: not usable as bitcode: {why}"),
            ReadError::Invalid(path, why) => write!(out, "{path}: malformed module: {why}"),
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads a bitcode file.
///
/// # Errors
/// When the file cannot be read or is not bitcode that this LLVM understands.
pub fn read(path: &Path) -> Result<Program, ReadError> {
    Err(ReadError::File(
        path.display().to_string(),
        "no reader yet".into(),
    ))
}

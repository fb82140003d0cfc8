//! Why bitcode cannot be read, in words for the user.

use crate::{foreign, producer};
use std::fmt;

/// The newest LLVM whose bitcode can be read.
const NEWEST_LLVM: u32 = 22;

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

/// The first line of a message of LLVM.
pub fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or("").trim().to_owned()
}

/// What LLVM's `message` about unreadable `bytes` means for the user, in one line.
pub fn explain(bytes: &[u8], message: &str) -> String {
    let line = first_line(message);
    let line = line.trim_start_matches("module:").trim();
    let line = line.trim_start_matches("error:").trim();
    let major = producer::producer(bytes).and_then(|name| {
        let digits = name
            .trim_start_matches(|c: char| !c.is_ascii_digit())
            .split('.')
            .next()?;
        digits.parse::<u32>().ok()
    });
    let newer = match major {
        Some(major) => major > NEWEST_LLVM,
        None => line.contains("Unknown attribute kind"),
    };
    if newer {
        return format!("made by a newer LLVM (plat reads up to LLVM {NEWEST_LLVM})");
    }
    if foreign::is_bitcode(bytes) {
        return format!("truncated or damaged: {line}");
    }
    foreign::describe(bytes).unwrap_or_else(|| format!("neither bitcode nor textual IR: {line}"))
}

//! Why a module could not be linked or transformed.

use inkwell::builder::BuilderError;
use std::fmt;
use std::path::Path;

/// Displayed as one line, with advice where possible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TransformError {
    /// A file cannot be read: path and the system's reason.
    File(String, String),
    /// A file is not usable as bitcode: path and why.
    Bitcode(String, String),
    /// A file is bitcode but not a well-formed module: path and the verifier's first line.
    Invalid(String, String),
    /// An archive cannot be used as a library: path and why.
    Archive(String, String),
    /// The module is for another machine: path and its target triple.
    Target(String, String),
    /// The program has no function `main`: path.
    NoEntry(String, String),
    /// Two modules cannot be merged: LLVM's message.
    Merge(String),
    /// The module is malformed: the step, and the verifier's first line.
    Malformed(&'static str, String),
    /// A lowering pass failed: LLVM's message.
    Lowering(String),
    /// An annotation names a function that the module does not define.
    NoFunction(String),
    /// An annotation names a call that the function does not have: function and ordinal.
    NoCall(String, u32),
    /// The runtime lacks a function that the rewriting needs: path and name.
    Runtime(String, &'static str),
    /// The module was transformed before: path.
    Transformed(String),
    /// A function has no replacement: why.
    Alias(String),
    /// The result cannot be written: path and the reason.
    Write(String, String),
}

impl TransformError {
    pub(crate) fn file(path: &Path, why: &std::io::Error) -> Self {
        TransformError::File(path.display().to_string(), why.to_string())
    }

    pub(crate) fn write(path: &Path, why: impl fmt::Display) -> Self {
        TransformError::Write(path.display().to_string(), why.to_string())
    }
}

impl fmt::Display for TransformError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path, why) => write!(out, "{path}: cannot be read: {why}"),
            Self::Bitcode(path, why) => write!(out, "{path}: not usable as bitcode: {why}"),
            Self::Invalid(path, why) => write!(out, "{path}: malformed module: {why}"),
            Self::Archive(path, why) => write!(out, "{path}: not usable as a library: {why}"),
            Self::Target(path, triple) => {
                write!(
                    out,
                    "{path}: compiled for {triple}; plat runs programs for x86_64-linux"
                )
            }
            Self::NoEntry(path, name) => {
                write!(out, "{path}: Entry function '{name}' not found in module.")
            }
            Self::Merge(why) => write!(out, "linking failed: {why}"),
            Self::Malformed(step, why) => write!(out, "malformed module after {step}: {why}"),
            Self::Lowering(why) => write!(out, "lowering failed: {why}"),
            Self::NoFunction(name) => write!(
                out,
                "the segment map names function {name}, which the module does not define; \
                 was it made from another module?"
            ),
            Self::NoCall(name, ordinal) => write!(
                out,
                "the segment map names call {ordinal} of function {name}, which does not exist; \
                 was it made from another module?"
            ),
            Self::Runtime(path, name) => write!(out, "{path}: lacks function {name}"),
            Self::Transformed(path) => write!(
                out,
                "{path}: was transformed before; transform what plat link has written"
            ),
            Self::Alias(why) => write!(out, "function-alias: {why}"),
            Self::Write(path, why) => write!(out, "{path}: cannot be written: {why}"),
        }
    }
}

impl std::error::Error for TransformError {}

impl From<BuilderError> for TransformError {
    fn from(why: BuilderError) -> Self {
        TransformError::Malformed("rewriting", why.to_string())
    }
}

/// The first line of a message of LLVM.
pub(crate) fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or("").trim().to_owned()
}

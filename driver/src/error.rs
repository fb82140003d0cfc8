//! Why something could not be done.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What is to blame for an [`Error`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ErrorKind {
    /// What was given: files, options, programs that cannot be run, a system that refuses.
    Input,
    /// The points-to analysis: its solvers do not agree, or a solution failed its check.
    Analysis,
    /// A defect of plat.
    Internal,
}

/// Why something could not be done, in one line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Error {
    /// What is to blame.
    pub kind: ErrorKind,
    /// One line.
    pub message: String,
}

impl Error {
    fn new(kind: ErrorKind, message: impl fmt::Display) -> Self {
        let message = message.to_string();
        let lines: Vec<&str> = message
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        Error {
            kind,
            message: lines.join("; "),
        }
    }

    /// Something given is wrong. Line ends in `message` become `; `, so that it stays one line.
    pub fn input(message: impl fmt::Display) -> Self {
        Error::new(ErrorKind::Input, message)
    }

    /// The points-to analysis is wrong.
    pub fn analysis(message: impl fmt::Display) -> Self {
        Error::new(ErrorKind::Analysis, message)
    }

    /// A defect of plat.
    pub fn internal(message: impl fmt::Display) -> Self {
        Error::new(ErrorKind::Internal, message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

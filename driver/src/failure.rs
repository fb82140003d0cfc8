//! The driver's one error: a line for standard error and an exit code.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Exit code of a run that an error of the program has ended, as it was asked to.
pub const ENDED_BY_ERROR: u8 = 1;

/// Exit code for bad input: files, options, programs that cannot be run.
pub const BAD_INPUT: u8 = 2;

/// Exit code of a run that has shown the points-to analysis to be wrong.
pub const WRONG_ANALYSIS: u8 = 3;

/// Exit code of a run of which a process ended before its work: paths are missing.
pub const LOST_PATHS: u8 = 4;

/// Exit code of a process that has met a defect of plat's own.
const DEFECT: u8 = 101;

/// Why the command ends without having done what was asked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// The exit code.
    pub code: u8,
    /// One line, without the command's name.
    pub message: String,
}

impl Failure {
    /// Bad input: exit code 2. Line ends in `message` become `; `, so that it stays one line.
    pub fn input(message: impl fmt::Display) -> Self {
        let message = message.to_string();
        let lines: Vec<&str> = message
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        Failure {
            code: BAD_INPUT,
            message: lines.join("; "),
        }
    }

    /// A defect of plat's own.
    pub fn internal(message: impl fmt::Display) -> Self {
        Failure {
            code: DEFECT,
            ..Failure::input(message)
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "plat: {}", self.message)
    }
}

impl std::error::Error for Failure {}

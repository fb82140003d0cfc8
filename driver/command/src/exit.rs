//! The exit codes of the command, beside 0.

use plat::{Error, ErrorKind};

/// A run that an error of the program has ended, as it was asked to; a comparison that differs.
pub const ENDED_BY_ERROR: u8 = 1;

/// Bad input: files, options, programs that cannot be run.
pub const BAD_INPUT: u8 = 2;

/// A run that has shown the points-to analysis to be wrong.
pub const WRONG_ANALYSIS: u8 = 3;

/// A run of which a process ended before its work: paths are missing.
pub const LOST_PATHS: u8 = 4;

/// A defect of plat.
const DEFECT: u8 = 101;

/// The exit code of a process that has done the work.
pub fn of_process(code: i32) -> std::process::ExitCode {
    std::process::ExitCode::from(u8::try_from(code).unwrap_or(1))
}

/// The exit code for an error.
pub fn code(error: &Error) -> u8 {
    match error.kind {
        ErrorKind::Input => BAD_INPUT,
        ErrorKind::Analysis => ENDED_BY_ERROR,
        ErrorKind::Internal => DEFECT,
    }
}

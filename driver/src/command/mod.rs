//! One file for each sub-command.

mod ktest;
mod table;

use crate::args::{Command, Parsed};
use crate::failure::Failure;
use std::ffi::OsString;
use std::process::ExitCode;

/// Does what was asked.
///
/// # Errors
/// When it cannot be done.
pub fn execute(parsed: Parsed, _line: &[OsString]) -> Result<ExitCode, Failure> {
    for note in &parsed.notes {
        eprintln!("plat: note: {note}");
    }
    match parsed.command {
        Command::Ktest(args) => ktest::execute(&args),
        Command::Table(args) => table::execute(&args),
        _ => Err(Failure::input("this command is not part of this build")),
    }
}

//! One file for each sub-command.

mod analyze;
mod ktest;
mod link;
mod replay;
mod segment;
mod table;
mod transform;

use crate::args::{Command, Parsed};
use crate::failure::Failure;
use std::ffi::OsString;
use std::process::ExitCode;

/// Does what was asked.
///
/// # Errors
/// When it cannot be done.
pub fn execute(parsed: Parsed, line: &[OsString]) -> Result<ExitCode, Failure> {
    for note in &parsed.notes {
        eprintln!("plat: note: {note}");
    }
    let line: Vec<String> = line
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    match parsed.command {
        Command::Link(args) => link::execute(&args),
        Command::Analyze(args) => analyze::execute(&args),
        Command::Segment(args) => segment::execute(&args),
        Command::Transform(args) => transform::execute(&args),
        Command::Run(_) | Command::Explore(_) => Err(Failure::input(format!(
            "{}: not part of this build",
            line.join(" ")
        ))),
        Command::Replay(args) => replay::execute(&args),
        Command::Ktest(args) => ktest::execute(&args),
        Command::Table(args) => table::execute(&args),
    }
}

//! The `plat` command as a library: what was typed ([`args`]), what is meant ([`plan`]), the
//! stages in order ([`pipeline`]), the run ([`exploration`]), one file for each sub-command
//! ([`command`]) and for each file format ([`output`]).
//!
//! This crate alone prints, parses options and writes files; the crates below it return data.

pub mod args;
pub mod audience;
pub mod command;
mod error_types;
pub mod exploration;
pub mod failure;
pub mod ideal;
pub mod input;
pub mod interrupt;
pub mod libc;
pub mod llvm;
pub mod names;
pub mod output;
pub mod outputs;
pub mod pipeline;
pub mod plan;
pub mod prediction;
pub mod progress;
pub mod recorder;
pub mod replay;
mod say;
pub mod scratch;
pub mod seeds;
pub mod stdin;
mod watch;

use crate::say::{note, say};
use args::Asked;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

/// The command line that is meant when the command has the name of one of KLEE's tools.
fn stand_in(line: &[OsString]) -> Vec<OsString> {
    let name = line.first().map(Path::new).and_then(Path::file_name);
    let instead: &[&str] = match name.and_then(OsStr::to_str) {
        Some("klee") => &["plat", "explore", "--klee-names"],
        Some("klee-replay") => &["plat", "klee-replay"],
        Some("ktest-tool") => &["plat", "ktest"],
        _ => return line.to_vec(),
    };
    let rest = line.iter().skip(1).cloned();
    instead.iter().map(OsString::from).chain(rest).collect()
}

/// Runs a command line; its first element is the name of the command.
pub fn main(line: &[OsString]) -> ExitCode {
    let line = &stand_in(line);
    let done = match args::parse(line) {
        Ok(Asked::Text(text)) => {
            say!("{text}");
            Ok(ExitCode::SUCCESS)
        }
        Ok(Asked::Command(parsed)) => command::execute(*parsed, line),
        Err(failure) => Err(failure),
    };
    let done = done.and_then(|code| say::finish().map(|()| code));
    done.unwrap_or_else(|failure| {
        note!("{failure}");
        ExitCode::from(failure.code)
    })
}

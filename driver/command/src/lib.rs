//! The command `plat`: a shell over the library of the same name. What was typed ([`args`]), what is
//! meant ([`plan`]), one file for each sub-command ([`command`]).
//!
//! The command alone prints, parses options, ends the process and heeds signals.

#![forbid(unsafe_code)]

pub mod args;
pub mod command;
mod exit;
mod exploration;
mod helpers;
mod interrupt;
pub mod plan;
mod progress;
mod sandbox;
mod say;
mod seeds;
mod serving;
mod stdin;
mod watch;

use crate::say::{note, say};
use args::Asked;
use plat::building::wrapper;
use plat_protocol::Role;
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
    let meant = stand_in(line);
    let done = match line.first().and_then(|name| wrapper::stands_for(name)) {
        Some(name) => wrapper::run(&name, &line[1..]).map(exit::of_process),
        None => execute(&meant),
    };
    let done = done.and_then(|code| say::finish().map(|()| code));
    // Whoever takes over children that are left may not wait for them.
    plat_protocol::dismiss();
    done.unwrap_or_else(|error| {
        match meant.iter().any(|word| word == "--klee-names") {
            true => note!("KLEE: ERROR: {error}"),
            false => note!("plat: {error}"),
        }
        ExitCode::from(exit::code(&error))
    })
}

fn execute(line: &[OsString]) -> Result<ExitCode, plat::Error> {
    let line = args::with_response_files(line)?;
    match args::parse(&line)? {
        Asked::Text(text) => {
            say!("{text}");
            Ok(ExitCode::SUCCESS)
        }
        Asked::Command(parsed) => match helpers::stand_by(&parsed.command)? {
            Role::Caller => command::execute(*parsed, &line),
            Role::Helper(arguments) => {
                let name = line.first().cloned();
                execute(&name.into_iter().chain(arguments).collect::<Vec<_>>())
            }
            Role::Dismissed => Ok(ExitCode::SUCCESS),
        },
    }
}

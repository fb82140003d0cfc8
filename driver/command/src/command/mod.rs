//! One file for each sub-command.

mod analyze;
mod build;
mod compare;
mod corpus;
mod cover;
mod doctor;
mod explore;
mod external_helper;
mod ideal;
mod klee_replay;
mod ktest;
mod link;
mod llvm_process;
mod page_process;
mod pieces;
mod regress;
mod replay;
mod report;
mod resume;
mod run;
mod segment;
mod solver_process;
mod suite;
mod table;

mod transform;
mod trie;

#[cfg(test)]
pub(crate) use explore::explorer;

use crate::args::{Command, Parsed};
use crate::say::note;
use plat::Error;
use signal_hook::consts::SIGXFSZ;
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Does what was asked.
///
/// # Errors
/// When it cannot be done.
pub fn execute(parsed: Parsed, line: &[OsString]) -> Result<ExitCode, Error> {
    for note in &parsed.notes {
        note!("plat: note: {note}");
    }
    let line: Vec<String> = line
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    if !matches!(parsed.command, Command::ExternalHelper { .. }) {
        survive_long_files()?;
    }
    match parsed.command {
        Command::Build(args) => build::execute(&args),
        Command::Doctor(args) => doctor::execute(&args),
        Command::Link(args) => link::execute(&args),
        Command::Analyze(args) => analyze::execute(&args),
        Command::Segment(args) => segment::execute(&args),
        Command::Transform(args) => transform::execute(&args),
        Command::Run(args) if args.pieces_from_stdin => pieces::execute(&args, &line),
        Command::Run(args) => run::execute(&args, &line),
        Command::Explore(args) => explore::execute(&args, &line),
        Command::Resume(args) => resume::execute(&args, &line),
        Command::Regress(args) => regress::execute(&args, &line),
        Command::Trie(args) => trie::execute(&args),
        Command::LlvmProcess => llvm_process::execute(),
        Command::PageProcess { directory } => page_process::execute(&directory),
        Command::ExternalHelper { regions } => external_helper::execute(&regions),
        Command::SolverProcess => solver_process::execute(),
        Command::Ideal(args) => ideal::execute(&args),
        Command::Compare(args) => compare::execute(&args),
        Command::Replay(args) => replay::execute(&args),
        Command::KleeReplay(args) => klee_replay::execute(&args),
        Command::Ktest(args) => ktest::execute(&args),
        Command::Corpus(args) => corpus::execute(&args),
        Command::Report(args) => report::execute(&args),
        Command::Table(args) => table::execute(&args),
        Command::Cover(args) => cover::execute(&args),
        Command::Tests(command) => suite::execute(&command),
    }
}

/// Has a file that becomes longer than a limit (`ulimit -f`) be an error of the write instead of the
/// end of the process. Programs that are executed meet the limit as usual.
fn survive_long_files() -> Result<(), Error> {
    let flag = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGXFSZ, flag)
        .map_err(|why| Error::input(format!("cannot handle signals: {why}")))?;
    Ok(())
}

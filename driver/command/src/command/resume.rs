//! `plat resume`: a run goes on, as its first command line has it.

use super::{explore, run};
use crate::args::resume::{ChangeArgs, ResumeArgs};
use crate::args::{Asked, Command, ExploreArgs, RunArgs, parse};
use crate::stdin;
use plat::Error;
use plat::trie::{self, header::Begun};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(super) fn execute(args: &ResumeArgs, line: &[String]) -> Result<ExitCode, Error> {
    let (mut first, begun) = First::of(&args.directory)?;
    change(first.run_mut(), &args.changes);
    if begun.directory != std::env::current_dir().unwrap_or_default() {
        first.go_on_elsewhere(&begun.directory)?;
    }
    let run = first.run_mut();
    run.output.output_dir = Some(args.directory.clone());
    run.output.goes_on = true;
    run.output.quiet |= args.quiet;
    run.output.json |= args.json;
    match &first {
        First::Run(first) => run::execute(first, line),
        First::Explore(first) => explore::execute(first, line),
    }
}

/// The first command line of a run.
pub(super) enum First {
    /// `plat run`.
    Run(Box<RunArgs>),
    /// `plat explore`.
    Explore(Box<ExploreArgs>),
}

impl First {
    /// That of the run in a directory.
    ///
    /// # Errors
    /// When there is none.
    pub fn of(directory: &Path) -> Result<(Self, Begun), Error> {
        let begun = trie::header::begun(directory)?;
        let first = match command(&begun.command_line)? {
            Some(Command::Run(first)) => First::Run(first),
            Some(Command::Explore(first)) => First::Explore(first),
            _ => {
                let place = directory.display();
                return Err(Error::input(format!(
                    "{place}: its command line is not one of a run"
                )));
            }
        };
        Ok((first, begun))
    }

    /// Names files as they are seen from another directory than that of the command line.
    ///
    /// # Errors
    /// When there are some that the program would see under their names.
    pub fn go_on_elsewhere(&mut self, from: &Path) -> Result<(), Error> {
        if let First::Explore(first) = self {
            let there = |path: &mut PathBuf| *path = from.join(&*path);
            first.linking.link_llvm_lib.iter_mut().for_each(there);
            first.linking.libc.libc_dir.iter_mut().for_each(there);
        }
        go_on_elsewhere(self.run_mut(), from)
    }

    /// What both commands have.
    pub fn run(&self) -> &RunArgs {
        match self {
            First::Run(first) => first,
            First::Explore(first) => &first.run,
        }
    }

    /// The same, to be changed.
    pub fn run_mut(&mut self) -> &mut RunArgs {
        match self {
            First::Run(first) => first,
            First::Explore(first) => &mut first.run,
        }
    }
}

/// Names files as they are seen from another directory than that of the first command line.
fn go_on_elsewhere(first: &mut RunArgs, from: &Path) -> Result<(), Error> {
    let how = &mut first.how;
    let mut templates = how.input.file_template.iter().map(|(_, path)| path);
    if how
        .input
        .stdin_template
        .iter()
        .chain(&mut templates)
        .any(|path| path.is_relative())
    {
        return Err(Error::input(format!(
            "{}: the run was begun there, with files of input that are named from there: go on with \
             it in that directory",
            from.display()
        )));
    }
    let there = |path: &mut PathBuf| *path = from.join(&*path);
    let name = first.program.to_string_lossy().into_owned();
    first.output.told_name.get_or_insert(name);
    if first.program.as_os_str() != stdin::PROGRAM {
        there(&mut first.program);
    }
    how.execution.segments.iter_mut().for_each(there);
    how.execution.env_file.iter_mut().for_each(there);
    how.execution.readable.allow_file.iter_mut().for_each(there);
    match &mut how.execution.readable.run_in_dir {
        Some(directory) => there(directory),
        none => *none = Some(from.to_path_buf()),
    }
    Ok(())
}

/// What a command line asks for; nothing if it is for a text.
pub(super) fn command(line: &[String]) -> Result<Option<Command>, Error> {
    let line: Vec<OsString> = line.iter().map(OsString::from).collect();
    Ok(match parse(&line)? {
        Asked::Command(parsed) => Some(parsed.command),
        Asked::Text(_) => None,
    })
}

/// Gives a command line other options.
pub(super) fn change(first: &mut RunArgs, args: &ChangeArgs) {
    fn replace<T: Clone>(old: &mut Option<T>, new: &Option<T>) {
        if new.is_some() {
            old.clone_from(new);
        }
    }
    let targets = &mut first.how.targets;
    targets.exit_on_target |= args.exit_on_target;
    if !args.target.is_empty() {
        targets.target.clone_from(&args.target);
    }
    let limits = &mut first.how.limits;
    replace(&mut limits.max_time, &args.max_time);
    replace(&mut limits.max_memory, &args.max_memory);
    replace(&mut limits.max_instructions, &args.max_instructions);
    replace(&mut limits.max_forks, &args.max_forks);
    replace(&mut limits.max_depth, &args.max_depth);
    replace(&mut limits.max_tests, &args.max_tests);
    let execution = &mut first.how.execution;
    replace(&mut execution.max_solver_time, &args.max_solver_time);
    if !args.search.is_empty() {
        execution.search.clone_from(&args.search);
    }
    execution.seed = args.seed.unwrap_or(execution.seed);
    execution.workers = args.workers.unwrap_or(execution.workers);
}

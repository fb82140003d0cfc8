//! `plat resume`: a run goes on, as its first command line has it.

use super::{explore, run};
use crate::args::resume::ResumeArgs;
use crate::args::{Asked, Command, RunArgs, parse};
use plat::{Error, trie};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(super) fn execute(args: &ResumeArgs, line: &[String]) -> Result<ExitCode, Error> {
    let place = args.directory.display();
    let begun = trie::header::begun(&args.directory)?;
    let here = std::env::current_dir().unwrap_or_default();
    let first: Vec<OsString> = begun.command_line.iter().map(OsString::from).collect();
    let unknown = || Error::input(format!("{place}: its command line is not one of a run"));
    let Asked::Command(parsed) = parse(&first)? else {
        return Err(unknown());
    };
    let parsed = *parsed;
    match parsed.command {
        Command::Run(mut first) => {
            change(&mut first, args);
            if begun.directory != here {
                go_on_elsewhere(&mut first, &begun.directory)?;
            }
            run::execute(&first, line)
        }
        Command::Explore(mut first) => {
            change(&mut first.run, args);
            if begun.directory != here {
                let from = |path: &mut PathBuf| *path = begun.directory.join(&*path);
                go_on_elsewhere(&mut first.run, &begun.directory)?;
                first.linking.link_llvm_lib.iter_mut().for_each(from);
                first.linking.libc.libc_dir.iter_mut().for_each(from);
            }
            explore::execute(&first, line)
        }
        _ => Err(unknown()),
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
    first.output.told_name = Some(first.program.to_string_lossy().into_owned());
    there(&mut first.program);
    how.execution.segments.iter_mut().for_each(there);
    how.execution.env_file.iter_mut().for_each(there);
    match &mut how.execution.run_in_dir {
        Some(directory) => there(directory),
        none => *none = Some(from.to_path_buf()),
    }
    Ok(())
}

/// Gives a command line the options of `plat resume`.
fn change(first: &mut RunArgs, args: &ResumeArgs) {
    fn replace<T: Clone>(old: &mut Option<T>, new: &Option<T>) {
        if new.is_some() {
            old.clone_from(new);
        }
    }
    first.output.output_dir = Some(args.directory.clone());
    first.output.goes_on = true;
    first.output.quiet |= args.quiet;
    first.output.json |= args.json;
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

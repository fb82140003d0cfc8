//! `plat regress`: a run of a new version goes on from a run of the old one.

use super::resume::{First, change, command};
use super::{explore, link};
use crate::args::Command;
use crate::args::resume::RegressArgs;
use crate::exit::{ENDED_BY_ERROR, LOST_PATHS};
use crate::exploration;
use crate::plan::{self, RunPlan};
use crate::progress::Display;
use crate::say::{note, say};
use crate::watch::Watch;
use plat::regress::{Comparison, Earlier};
use plat::trie::{Trie, header::Begun};
use plat::{Error, Explorer, Prepared};
use plat_engine::Target;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub(super) fn execute(args: &RegressArgs, line: &[String]) -> Result<ExitCode, Error> {
    let (mut first, begun) = First::of(&args.directory)?;
    let here = std::env::current_dir().unwrap_or_default();
    let earlier = Earlier::read(&args.directory)?;
    change_as_resumed(&mut first, earlier.trie())?;
    change(first.run_mut(), &args.changes);
    let name = name(&first);
    let mut begun = begun;
    let new = match begun.directory == here {
        true => args.new.clone(),
        false => here.join(&args.new),
    };
    begun.command_line = line_of_new(&begun.command_line, &first, &new)?;
    if begun.directory != here {
        first.go_on_elsewhere(&begun.directory)?;
    }
    let old = first.run().program.clone();
    let run = first.run_mut();
    run.program.clone_from(&args.new);
    run.output.told_name = Some(name);
    run.output.output_dir.clone_from(&args.output_dir);
    run.output.work = None;
    run.output.json = false;
    run.output.quiet |= args.quiet || args.json;
    let mut plan = match &first {
        First::Run(first) => plan::run(first)?,
        First::Explore(first) => plan::explore(first)?,
    };
    // Without another target, a directed search goes for what has changed.
    let search = &mut plan.config.search;
    if plan::is_directed(search) && search.targets.is_empty() {
        search.targets.push(Target::Changed);
    }
    let watch = Watch::start(&first.run().how.limits)?;
    let of_old = replayable(args, &first, &plan, &earlier, old)?;
    let of_old = of_old.replayer();

    let display = Display::new(plan.output.quiet);
    let explorer = explorer(&first, &plan, &plan.program)
        .on_directory(watch.keeper())
        .on_warning(|line| note!("plat: WARNING: {line}"))
        .output(plan.directory(line, &display));
    let mut prepared = linked(explorer, &plan)?;
    let taken = take_over(&mut prepared, earlier, of_old, begun);
    let comparison = match taken {
        Ok(comparison) => comparison,
        Err(why) => {
            prepared.abandon();
            return Err(why);
        }
    };
    let explored = exploration::run(&plan, prepared, &display, watch)?;
    let Some(recorded) = &explored.outcome.recorded else {
        return Err(Error::internal("the run was not written"));
    };
    let report = comparison.report(&recorded.directory, &explored.outcome)?;
    match args.json {
        true => say!("{}", report.to_json()),
        false => say!("{}", report.to_text()),
    }
    Ok(match explored.failed {
        Some(failed) => failed,
        None if explored.outcome.summary.lost > 0 => ExitCode::from(LOST_PATHS),
        None if report.differs() => ExitCode::from(ENDED_BY_ERROR),
        None => ExitCode::SUCCESS,
    })
}

/// Compares the versions, and writes what is taken over.
fn take_over(
    prepared: &mut Prepared<'_>,
    earlier: Earlier,
    old: plat::Replayer,
    begun: Begun,
) -> Result<Comparison, Error> {
    prepared.check_versions(&earlier)?;
    let comparison = Comparison::new(earlier, old, prepared.replayer());
    prepared.take_over(&comparison, begun)?;
    Ok(comparison)
}

/// The run of the first command line, with another program.
fn explorer(first: &First, plan: &RunPlan, program: &Path) -> Explorer<'static> {
    match first {
        First::Run(_) => plan.options_of(Explorer::transformed(program)),
        First::Explore(first) => explore::explorer_of(plan, first, program),
    }
}

/// All stages before the run, with what the user should know about the link.
fn linked<'a>(explorer: Explorer<'a>, plan: &RunPlan) -> Result<Prepared<'a>, Error> {
    let linked = explorer.link()?;
    if !plan.output.quiet {
        link::tell(linked.report(), plan.files.names);
    }
    linked.prepare()
}

/// The old version, ready to execute tests.
fn replayable(
    args: &RegressArgs,
    first: &First,
    plan: &RunPlan,
    earlier: &Earlier,
    named: PathBuf,
) -> Result<Prepared<'static>, Error> {
    let place = args.directory.display();
    let kept = args.directory.join("final.bc");
    if args.old.is_none() && kept.is_file() {
        let prepared = plan.options_of(Explorer::transformed(&kept)).prepare()?;
        if earlier.is_of(&prepared) {
            return Ok(prepared);
        }
    }
    let old = args.old.clone().unwrap_or(named);
    if !old.is_file() {
        let old = old.display();
        return Err(Error::input(format!(
            "{old}: the old version is not there: name a copy with --old"
        )));
    }
    let prepared = explorer(first, plan, &old).prepare()?;
    match earlier.is_of(&prepared) {
        true => Ok(prepared),
        false => Err(Error::input(format!(
            "{}: this is not the program of the run in {place}: name a copy of that with --old, or keep \
             one in the directory by --output-module",
            old.display()
        ))),
    }
}

/// What the program of the first command line was told its name is.
fn name(first: &First) -> String {
    let run = first.run();
    let named = run.output.told_name.clone();
    named.unwrap_or_else(|| run.program.to_string_lossy().into_owned())
}

/// Gives the first command line the options of those that went on with the run.
fn change_as_resumed(first: &mut First, trie: &Trie) -> Result<(), Error> {
    for line in trie.sessions.iter().skip(1) {
        match command(line)? {
            Some(Command::Resume(args)) => change(first.run_mut(), &args.changes),
            Some(Command::Regress(args)) => change(first.run_mut(), &args.changes),
            _ => {}
        }
    }
    Ok(())
}

/// The first command line, for the new version: `plat resume` goes on with that.
fn line_of_new(words: &[String], first: &First, new: &Path) -> Result<Vec<String>, Error> {
    let mut line = words.to_vec();
    let run = first.run();
    let program = line.len().checked_sub(1 + run.program_args.len());
    let program = program.filter(|&at| Path::new(&line[at]) == run.program);
    let Some(program) = program else {
        return Err(Error::internal(
            "the first command line names its program twice",
        ));
    };
    line[program] = new.to_string_lossy().into_owned();
    if run.output.told_name.is_none() {
        line.insert(2, format!("--program-name={}", name(first)));
    }
    Ok(line)
}

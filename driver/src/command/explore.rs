//! `plat explore`: all stages. What they make lies in a directory of its own until the run
//! directory is there, and goes when the run is over, unless it is to be kept.

use crate::args::ExploreArgs;
use crate::exploration::{Before, explore};
use crate::failure::Failure;
use crate::output::directory::Directory;
use crate::pipeline::{self, StageFiles};
use crate::prediction::prediction;
use crate::scratch::Scratch;
use crate::watch::Watch;
use crate::{interrupt, outputs, plan};
use plat_segments::Unify;
use std::process::ExitCode;
use std::time::Instant;

pub(super) fn execute(args: &ExploreArgs, line: &[String]) -> Result<ExitCode, Failure> {
    let mut plan = plan::run(&args.run)?;
    if let Some(Some(file)) = &plan.check_points_to {
        return Err(Failure::input(format!(
            "{}: plat explore makes its own analysis; give a file to plat run",
            file.display()
        )));
    }
    let started = Instant::now();
    let watch = Watch::start(&args.run.how.limits)?;
    let scratch = Scratch::create(&watch)?;
    let files = StageFiles::within(scratch.path());
    let libc = super::link::for_run(&plan, &args.linking, &files);
    let libc = libc.map_err(|why| scratch.explain(why))?;
    // The program is usable. Before the longer stages: so is the directory?
    let out = plan.output.output_dir.as_deref();
    let directory = watch.directory(|| Directory::create(out, &plan.program, plan.names))?;
    let budget = args.budget.within(args.run.how.limits.max_time);
    let mut prepare = || {
        let model = plat_memory::model::named(&plan.config.memory_model);
        let (mut program, llvm) = match &plan.segments {
            Some(segments) => pipeline::prepare_with(&files, segments, &libc)?,
            None if model.is_some_and(|model| !model.wants_groups) => {
                pipeline::prepare_without(&files, &libc)?
            }
            None => pipeline::prepare(&files, &libc, united(args), budget)?,
        };
        // The program is told its name as given, not that of the file made from it.
        program.name = plan.program.to_string_lossy().into_owned();
        if plan.check_points_to.is_some() {
            plan.config.prediction = Some(prediction(&program, None)?.into());
        }
        super::run::check(&plan, &program)?;
        if args.save_temps {
            keep(&files, &directory)?;
        }
        let lines = outputs::keep_source(&plan, &files.transformed, llvm, &directory)?;
        Ok((program, lines))
    };
    let prepared = prepare().inspect_err(|_| directory.abandon());
    let (program, lines) = prepared.map_err(|why| scratch.explain(why))?;
    // From here on an interrupt ends the run and keeps what it has found. None is for nobody: the
    // one takes over before the other lets go.
    let stop = interrupt::flag().inspect_err(|_| directory.abandon())?;
    drop(watch);
    drop(scratch);
    let before = Before {
        command_line: line,
        analysis: started.elapsed(),
        lines,
        stop,
    };
    explore(&plan, &program, &directory, &before).inspect_err(|_| {
        before.lines.abandon();
        directory.abandon();
    })
}

fn keep(files: &StageFiles, directory: &Directory) -> Result<(), Failure> {
    for file in files.all().into_iter().filter(|file| file.exists()) {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let bytes = std::fs::read(file)
            .map_err(|why| Failure::input(format!("{}: {why}", file.display())))?;
        directory.write(&name, &bytes)?;
    }
    Ok(())
}

/// Whose points-to sets are united. What input can choose between is known from the flow of data
/// only if paths stay apart: a merged path chooses by the conditions that it has come through.
fn united(args: &ExploreArgs) -> Unify {
    match args.unify {
        Unify::Symbolic if args.run.how.execution.use_merge => Unify::Dereferenced,
        other => other,
    }
}

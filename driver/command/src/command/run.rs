//! `plat run`.

use crate::args::RunArgs;
use crate::exploration::explore;
use crate::plan;
use crate::progress::Display;
use crate::say::note;
use crate::serving::Port;
use crate::watch::Watch;
use plat::{Error, Explorer};
use plat_memory::model::ModelChoice;
use plat_program::Program;
use std::process::ExitCode;

pub(super) fn execute(args: &RunArgs, line: &[String]) -> Result<ExitCode, Error> {
    run(args, line, None)
}

/// Runs a program that is loaded already.
pub(super) fn of_program(
    args: &RunArgs,
    line: &[String],
    program: &Program,
) -> Result<ExitCode, Error> {
    run(args, line, Some(program))
}

fn run(args: &RunArgs, line: &[String], loaded: Option<&Program>) -> Result<ExitCode, Error> {
    let plan = plan::run(args)?;
    let port = Port::take(args.serve)?;
    let watch = Watch::start(&args.how.limits)?;
    let display = Display::new(plan.output.quiet);
    let explorer = match loaded {
        Some(program) => Explorer::program(program),
        None => Explorer::transformed(&plan.program),
    };
    let prepared = plan
        .options_of(explorer)
        .on_directory(watch.keeper())
        .output(plan.directory(line, &display))
        .prepare()?;
    let model = plan.config.memory.model.as_ref();
    if model.is_some_and(ModelChoice::wants_groups)
        && !prepared.program().annotations.transformed
        && !plan.output.quiet
    {
        note!(
            "plat: note: {} has no segments (plat transform writes them): every allocation is \
             a segment of its own",
            plan.program.display()
        );
    }
    explore(&plan, prepared, &display, (watch, port))
}

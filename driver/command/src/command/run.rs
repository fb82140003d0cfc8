//! `plat run`.

use crate::args::RunArgs;
use crate::exploration::explore;
use crate::plan;
use crate::progress::Display;
use crate::say::note;
use crate::serving::Port;
use crate::watch::Watch;
use plat::{Error, Explorer};
use std::process::ExitCode;

pub(super) fn execute(args: &RunArgs, line: &[String]) -> Result<ExitCode, Error> {
    let plan = plan::run(args)?;
    let port = Port::take(args.serve)?;
    let watch = Watch::start(&args.how.limits)?;
    let display = Display::new(plan.output.quiet);
    let prepared = plan
        .options_of(Explorer::transformed(&plan.program))
        .on_directory(watch.keeper())
        .output(plan.directory(line, &display))
        .prepare()?;
    if plan.config.memory.model.wants_groups()
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

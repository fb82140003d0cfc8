//! `plat explore`: all stages.

use crate::args::ExploreArgs;
use crate::exploration::explore;
use crate::plan::{self, RunPlan};
use crate::progress::Display;
use crate::say::note;
use crate::serving::Port;
use crate::stdin;
use crate::watch::Watch;
use plat::{Error, Explorer};
use std::path::Path;
use std::process::ExitCode;

pub(super) fn execute(args: &ExploreArgs, line: &[String]) -> Result<ExitCode, Error> {
    let plan = plan::explore(args)?;
    if let Some(Some(file)) = &plan.check_points_to {
        return Err(Error::input(format!(
            "{}: plat explore makes its own analysis; give a file to plat run",
            file.display()
        )));
    }
    let port = Port::take(args.run.serve)?;
    let watch = Watch::start(&args.run.how.limits)?;
    let display = Display::new(plan.output.quiet);
    let mut explorer = explorer(&plan, args);
    if plan.program.as_os_str() == stdin::PROGRAM {
        explorer = explorer.contents(stdin::program()?);
    }
    let linked = explorer
        .on_directory(watch.keeper())
        .on_warning(|line| note!("plat: WARNING: {line}"))
        .output(plan.directory(line, &display))
        .link()?;
    if !plan.output.quiet {
        super::link::tell(linked.report(), plan.files.names);
    }
    if args.debug_print_escaping_functions {
        let names = linked.report().escaping.join(", ");
        note!("{}: escaping functions: [{names}]", plan.files.names.voice);
    }
    explore(&plan, linked.prepare()?, &display, (watch, port))
}

/// The run, for the library.
pub(crate) fn explorer(plan: &RunPlan, args: &ExploreArgs) -> Explorer<'static> {
    explorer_of(plan, args, &plan.program)
}

/// The same with another program.
pub(super) fn explorer_of(plan: &RunPlan, args: &ExploreArgs, program: &Path) -> Explorer<'static> {
    let mut explorer = plan
        .options_of(Explorer::bitcode(program))
        .optimize(args.linking.optimize)
        .lower_switches(args.linking.lower_switches)
        .unify(args.unify.unwrap_or_default())
        .analysis_budget(args.budget.within(args.run.how.limits.max_time));
    for file in &args.linking.link_llvm_lib {
        explorer = explorer.link_with(file);
    }
    for alias in &args.linking.function_alias {
        explorer = explorer.function_alias(alias.clone());
    }
    match &args.linking.libc.libc_dir {
        Some(directory) => explorer.libc_dir(directory),
        None => explorer,
    }
}

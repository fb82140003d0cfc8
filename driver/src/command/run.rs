//! `plat run`.

use crate::args::RunArgs;
use crate::exploration::{Before, explore};
use crate::failure::Failure;
use crate::ideal::regroup;
use crate::llvm::Llvm;
use crate::output::directory::Directory;
use crate::prediction::prediction;
use crate::say::note;
use crate::watch::Watch;
use crate::{interrupt, outputs, pipeline, plan};
use std::process::ExitCode;
use std::time::Duration;

pub(super) fn execute(args: &RunArgs, line: &[String]) -> Result<ExitCode, Failure> {
    let mut plan = plan::run(args)?;
    let watch = Watch::start(&args.how.limits)?;
    let mut llvm = Llvm::start()?;
    let mut program = llvm.read(&plan.program)?;
    check(&plan, &program)?;
    if let Some(path) = &plan.segments {
        let map = pipeline::segment_map(path)?;
        regroup(&mut program, &map, &path.display().to_string())?;
    }
    if let Some(file) = &plan.check_points_to {
        plan.config.prediction = Some(prediction(&program, file.as_deref())?.into());
    }
    let out = plan.output.output_dir.as_deref();
    let directory = watch.directory(|| Directory::create(out, &plan.program, plan.names))?;
    if plan.config.memory_model == "segmented"
        && !program.annotations.transformed
        && !plan.output.quiet
    {
        note!(
            "plat: note: {} has no segments (plat transform writes them): every allocation is \
             a segment of its own",
            plan.program.display()
        );
    }
    let lines = outputs::keep_source(&plan, &plan.program, llvm, &directory);
    let before = Before {
        command_line: line,
        analysis: Duration::ZERO,
        lines: lines.inspect_err(|_| directory.abandon())?,
        stop: interrupt::flag().inspect_err(|_| directory.abandon())?,
    };
    drop(watch);
    explore(&plan, &program, &directory, &before).inspect_err(|_| {
        before.lines.abandon();
        directory.abandon();
    })
}

/// What would otherwise be found only after the output directory was made.
pub(super) fn check(plan: &plan::RunPlan, program: &plat_program::Program) -> Result<(), Failure> {
    let path = plan.program.display();
    let entry = &plan.config.entry_point;
    match program.function_named(entry) {
        Some(function) if !function.declaration => {}
        _ => return Err(Failure::input(format!("{path}: no function {entry}"))),
    }
    Ok(())
}

//! `plat ideal`.

use crate::args::ideal::{IdealArgs, SubjectArgs};
use crate::failure::Failure;
use crate::output::directory::write_whole;
use crate::pipeline::{self, StageFiles};
use crate::plan::{self, RunPlan};
use crate::say::{note, say};
use crate::scratch::Scratch;
use crate::watch::Watch;
use crate::{ideal, interrupt};
use plat_program::Program;
use plat_segments::SegmentMap;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// A program that has been through all stages but the last.
pub(super) struct Subject {
    /// How it is run.
    pub plan: RunPlan,
    /// What is run.
    pub program: Program,
    /// The segments that the analysis draws.
    pub map: SegmentMap,
    /// Time of the points-to analysis and the partition.
    pub analysis: Duration,
}

impl Subject {
    /// Takes a program through the stages.
    pub fn prepare(args: &SubjectArgs) -> Result<Self, Failure> {
        let plan = plan::run(&args.run())?;
        let watch = Watch::start(&args.how.limits)?;
        let scratch = Scratch::create(&watch)?;
        Subject::prepare_in(&scratch, plan, args).map_err(|why| scratch.explain(why))
    }

    fn prepare_in(scratch: &Scratch, plan: RunPlan, args: &SubjectArgs) -> Result<Self, Failure> {
        let files = StageFiles::within(scratch.path());
        let libc = super::link::for_run(&plan, &args.linking, &files)?;
        let started = Instant::now();
        let mut linked = pipeline::read(&files.linked)?;
        let sets = pipeline::analyze(&linked, &plat_pointers::Config::default())?;
        linked.name = plan.program.to_string_lossy().into_owned();
        let map = plat_segments::partition(&linked, &sets, args.unify);
        let analysis = started.elapsed();
        let (mut program, _) = pipeline::apply(&files, &map, &libc)?;
        program.name = plan.program.to_string_lossy().into_owned();
        super::run::check(&plan, &program)?;
        Ok(Subject {
            plan,
            program,
            map,
            analysis,
        })
    }
}

pub(super) fn execute(args: &IdealArgs) -> Result<ExitCode, Failure> {
    let mut subject = Subject::prepare(&args.subject)?;
    let stop = interrupt::flag()?;
    let found = ideal::find(
        &mut subject.program,
        &subject.map,
        &subject.plan,
        args.subject.max_iterations,
        stop,
    )?;
    write_whole(&args.output, found.map.to_json().as_bytes())?;
    if !args.subject.quiet {
        note!("plat: {}", account(&found));
    }
    if args.print {
        say!("{}", found.map);
    }
    Ok(ExitCode::SUCCESS)
}

/// How an ideal segmentation was found.
pub(super) fn account(found: &ideal::Ideal) -> String {
    let contexts: usize = found.map.sizes().iter().sum();
    format!(
        "ideal segmentation: {contexts} of {} allocation contexts in {} {}, by {} {}{}",
        found.map.contexts.len(),
        found.map.groups,
        if found.map.groups == 1 {
            "group"
        } else {
            "groups"
        },
        found.runs,
        if found.runs == 1 { "run" } else { "runs" },
        match found.complete {
            true => ", all paths seen",
            false => ", within the limits",
        }
    )
}

//! `plat ideal`.

use crate::args::ideal::{IdealArgs, SubjectArgs};
use crate::interrupt;
use crate::plan::{self, RunPlan};
use crate::progress::{Display, Watcher};
use crate::say::{note, say};
use crate::watch::Watch;
use plat::fuzzing;
use plat::ideal::{self, Ideal, Search};
use plat::output::directory::write_whole;
use plat::pipeline::{self, StageFiles};
use plat::scratch::Scratch;
use plat::{Error, Interrupt};
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
    pub fn prepare(args: &SubjectArgs) -> Result<Self, Error> {
        let plan = plan::run(&args.run())?;
        let watch = Watch::start(&args.how.limits)?;
        let scratch = watch.scratch()?;
        Subject::prepare_in(&scratch, plan, args).map_err(|why| scratch.explain(why))
    }

    fn prepare_in(scratch: &Scratch, mut plan: RunPlan, args: &SubjectArgs) -> Result<Self, Error> {
        let files = StageFiles::within(scratch.path());
        let libc = super::link::for_run(&plan, &args.linking, &files)?;
        let started = Instant::now();
        let processes = &plan.processes;
        let mut linked = pipeline::read(processes, &files.linked)?;
        let config = plat_pointers::PointsToConfig::default();
        let sets = pipeline::analyze(&linked, &config)?;
        for line in pipeline::coarseness(&sets, config.budget) {
            note!("plat: WARNING: {line}");
        }
        linked.name = plan.program.to_string_lossy().into_owned();
        let map = plat_segments::partition(&linked, &sets, args.unify);
        // So that what runs tell apart can be told apart in the map.
        let map = ideal::with_all_calls(map, &linked);
        let analysis = started.elapsed();
        let (mut program, _) = pipeline::apply(processes, &files, &map, &libc)?;
        program.name = plan.program.to_string_lossy().into_owned();
        fuzzing::fit(&mut plan.config, &program, 0);
        plan.check_entry(&program)?;
        Ok(Subject {
            plan,
            program,
            map,
            analysis,
        })
    }
}

impl Subject {
    /// Finds the ideal segmentation by at most so many runs, whose progress is shown.
    pub fn ideal(&mut self, map: &SegmentMap, most: u32, stop: Interrupt) -> Result<Ideal, Error> {
        let search = Search {
            config: &self.plan.config,
            input: &self.plan.input,
            processes: &self.plan.processes,
            most,
            stop,
        };
        let quiet = self.plan.output.quiet;
        ideal::find(&mut self.program, map, &search, |program| {
            Watcher(Display::new(quiet).of(program))
        })
    }
}

pub(super) fn execute(args: &IdealArgs) -> Result<ExitCode, Error> {
    let mut subject = Subject::prepare(&args.subject)?;
    let stop = interrupt::flag()?;
    let map = subject.map.clone();
    let found = subject.ideal(&map, args.subject.max_iterations, stop)?;
    if !args.subject.quiet {
        note!("plat: {}", account(&found));
    }
    let map = ideal::without_unused_sites(found.map);
    write_whole(&args.output, map.to_json().as_bytes())?;
    if args.print {
        say!("{map}");
    }
    Ok(ExitCode::SUCCESS)
}

/// How an ideal segmentation was found.
pub(super) fn account(found: &Ideal) -> String {
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

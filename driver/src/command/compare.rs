//! `plat compare`: the segments that the analysis draws, joined at allocation and on demand, beside
//! the ideal ones, and the forking model beside all.

use crate::args::ideal::CompareArgs;
use crate::command::ideal::{Subject, account};
use crate::exploration::summarise;
use crate::failure::Failure;
use crate::ideal::{self, Watcher, regroup};
use crate::interrupt;
use crate::output::comparison::{Comparison, Row, Segments, VERSION};
use crate::output::directory::write_whole;
use crate::output::drawing;
use crate::progress::Display;
use crate::say::{note, say};
use plat_memory::Join;
use plat_segments::SegmentMap;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

pub(super) fn execute(args: &CompareArgs) -> Result<ExitCode, Failure> {
    let mut subject = Subject::prepare(&args.subject)?;
    let stop = interrupt::flag()?;
    let fixed = subject.map.clone();
    let most = args.subject.max_iterations;
    let found = ideal::find(&mut subject.program, &fixed, &subject.plan, most, stop)?;
    if !args.subject.quiet {
        note!("plat: {}", account(&found));
    }
    if let Some(path) = &args.save_ideal {
        write_whole(path, found.map.to_json().as_bytes())?;
    }
    let runs = [
        ("forking", None, Join::Allocation),
        ("static", Some(&fixed), Join::Allocation),
        ("on demand", Some(&fixed), Join::Demand),
        ("ideal", Some(&found.map), Join::Allocation),
    ];
    let mut rows = Vec::new();
    for (name, map, join) in runs {
        rows.push(run(&mut subject, name, map, join, stop)?);
    }
    let bytes = |row: &Row| row.summary.memory.heap_peak_bytes;
    let comparison = Comparison {
        version: VERSION,
        program: subject.plan.program.display().to_string(),
        total_bytes: rows.iter().map(bytes).max().unwrap_or(0),
        unify: args.subject.unify.name().to_string(),
        analysis_wall_s: subject.analysis.as_secs_f64(),
        ideal_wall_s: found.wall.as_secs_f64(),
        ideal_runs: found.runs,
        ideal_complete: found.complete,
        runs: rows,
    };
    if let Some(path) = &args.svg {
        write_whole(path, drawing::comparison(&comparison).as_bytes())?;
    }
    if args.json {
        say!("{}", comparison.to_json());
    } else {
        say!("{}", comparison.to_text());
    }
    Ok(ExitCode::SUCCESS)
}

/// One of the runs.
fn run(
    subject: &mut Subject,
    name: &str,
    map: Option<&SegmentMap>,
    join: Join,
    stop: &'static AtomicBool,
) -> Result<Row, Failure> {
    let mut plan = subject.plan.clone();
    let model = map.map_or("forking", |_| "segmented");
    plan.config.memory_model = model.to_string();
    plan.config.memory.join = join;
    if let Some(map) = map {
        regroup(&mut subject.program, map, name)?;
    }
    let mut watcher = Watcher(Display::new(
        plan.output.quiet,
        subject.program.inst_count(),
    ));
    watcher.0.line(&format!("plat: {name}"));
    let run = plat_engine::run(
        &subject.program,
        &plan.config,
        &plan.input,
        &mut watcher,
        stop,
    );
    let run = run.map_err(Failure::input)?;
    watcher.0.finish();
    Ok(Row {
        name: name.to_string(),
        segments: map.map(|map| Segments {
            groups: map.groups,
            contexts: map.contexts.len(),
            grouped_contexts: map.sizes().iter().sum(),
            largest_group: map.sizes().into_iter().max().unwrap_or(0),
        }),
        summary: summarise(&plan, &subject.program, &run),
    })
}

//! `plat compare`: the segments that the analysis draws, joined at allocation and on demand, beside
//! the ideal ones, and the models without an analysis beside them: forking, dynamic, auto.

use crate::args::ideal::CompareArgs;
use crate::command::ideal::{Subject, account};
use crate::interrupt;
use crate::progress::{Display, Watcher};
use crate::say::{note, say};
use plat::ideal::regroup;
use plat::output::comparison::{Comparison, Row, Segments, VERSION};
use plat::output::directory::write_whole;
use plat::output::drawing;
use plat::output::summarise::{About, summarise};
use plat::{Error, Explorer, Interrupt, memory_models};
use plat_memory::Join;
use plat_memory::model::ModelChoice;
use plat_segments::SegmentMap;
use std::process::ExitCode;

pub(super) fn execute(args: &CompareArgs) -> Result<ExitCode, Error> {
    let mut subject = Subject::prepare(&args.subject)?;
    let stop = interrupt::flag()?;
    let fixed = subject.map.clone();
    let most = args.subject.max_iterations;
    let found = subject.ideal(&fixed, most, stop)?;
    if !args.subject.quiet {
        note!("plat: {}", account(&found));
    }
    if let Some(path) = &args.save_ideal {
        write_whole(path, found.map.to_json().as_bytes())?;
    }
    use memory_models::{AUTO, DYNAMIC, FORKING, SEGMENTED};
    let runs = [
        ("forking", FORKING, None, Join::Allocation),
        ("static", SEGMENTED, Some(&fixed), Join::Allocation),
        ("on demand", SEGMENTED, Some(&fixed), Join::Demand),
        ("ideal", SEGMENTED, Some(&found.map), Join::Allocation),
        ("dynamic", DYNAMIC, None, Join::Demand),
        ("auto", AUTO, None, Join::Demand),
    ];
    let mut rows = Vec::new();
    for (name, model, map, join) in runs {
        let model = ModelChoice::from(model);
        rows.push(run(&mut subject, name, (model, map, join), stop)?);
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
    (model, map, join): (ModelChoice, Option<&SegmentMap>, Join),
    stop: Interrupt,
) -> Result<Row, Error> {
    let plan = &subject.plan;
    let mut config = plan.config.clone();
    config.memory.model = Some(model);
    config.memory.options.join = join;
    if let Some(map) = map {
        regroup(&mut subject.program, map, name)?;
    }
    let watcher = Watcher(Display::new(plan.output.quiet).of(&subject.program));
    watcher.0.line(&format!("plat: {name}"));
    let explorer = Explorer::program(&subject.program).with_config(config.clone());
    let run = plan
        .inputs_of(explorer)
        .interrupt(stop)
        .observer(watcher)
        .run_observed()?
        .summary;
    let about = About {
        program: &plan.program,
        config: &config,
    };
    Ok(Row {
        name: name.to_string(),
        segments: map.map(|map| Segments {
            groups: map.groups,
            contexts: map.contexts.len(),
            grouped_contexts: map.sizes().iter().sum(),
            largest_group: map.sizes().into_iter().max().unwrap_or(0),
        }),
        summary: summarise(&about, &subject.program, &run),
    })
}

//! One run: the directory made, the engine set going, everything written, the exit code worked out.

use crate::audience::Audience;
use crate::failure::{ENDED_BY_ERROR, Failure, LOST_PATHS, WRONG_ANALYSIS};
use crate::output::assembly::Lines;
use crate::output::directory::Directory;
use crate::output::info;
use crate::output::queries::{Asked, QueryLog};
use crate::output::summary::{self, Summary};
use crate::output::test_files::TestFiles;
use crate::output::trouble::Trouble;
use crate::plan::RunPlan;
use crate::progress::Display;
use crate::recorder::{Recorder, Shown};
use crate::say::{self, note};
use crate::{output, outputs};
use plat_engine::{Config, ForkKind, Limit, StopReason};
use plat_program::Program;
use plat_solver::SolverStats;
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, SystemTime};

/// What happened before the run.
#[derive(Clone, Debug)]
pub struct Before<'a> {
    /// The command line as typed.
    pub command_line: &'a [String],
    /// Time that the stages before took.
    pub analysis: Duration,
    /// Where instructions stand in `assembly.ll`.
    pub lines: Rc<Lines>,
    /// What an interrupt sets ([`crate::interrupt::flag`]).
    pub stop: &'static Arc<AtomicBool>,
}

/// Explores the program and fills the directory.
///
/// # Errors
/// When the program cannot be run at all, or a file cannot be written.
pub fn explore(
    plan: &RunPlan,
    program: &Program,
    directory: &Directory,
    before: &Before<'_>,
) -> Result<ExitCode, Failure> {
    // The program may run in another directory.
    let directory = &directory.absolute()?;
    let started = SystemTime::now();
    let beginning = info::beginning(&info::Start {
        command_line: before.command_line,
        search: &plan.search,
        started,
    });
    directory.write("info", beginning.as_bytes())?;

    let stop = before.stop;
    let display = Display::new(plan.output.quiet, program.inst_count());
    let name = plan.program.as_os_str().as_bytes();
    let args = plan.input.recorded_arguments(name);
    let trouble = Trouble::new(stop.clone());
    let tests = TestFiles {
        directory,
        files: plan.files.clone(),
        args,
        lines: before.lines.clone(),
        program,
    };
    let shown = Shown {
        output: !plan.output.json,
        all_errors: plan.output.emit_all_errors,
    };
    let mut recorder = Recorder::new(tests, display.clone(), shown, plan.names, trouble.clone())?;
    let place = directory.path().display().to_string();
    recorder
        .log()
        .message(&format!("output directory is \"{place}\""));
    let (mut config, logs) = logging(plan, directory)?;
    if config.workers > 1
        && let Some(why) = one_process(plan, &config)
    {
        config.workers = 1;
        recorder
            .log()
            .message(&format!("exploring in one process: {why}"));
    }
    let mut audience = Audience::default();
    audience.members.push(Box::new(&mut recorder));
    outputs::add(
        &mut audience,
        plan,
        program,
        directory,
        &before.lines,
        &trouble,
    )?;
    let back = enter(plan.directory.as_deref())?;
    let run = plat_engine::run(program, &config, &plan.input, &mut audience, stop);
    drop(audience);
    if let Some(back) = back {
        enter(Some(&back))?;
    }
    let run = run.map_err(Failure::input)?;
    for log in logs {
        log.finish()?;
    }
    match run.reason {
        _ if plan.config.exit_on_error && erroneous(&run) => recorder.ends_for_error(),
        StopReason::Limit(_) if plan.config.dump_states_on_halt => recorder
            .log()
            .message("halting execution, dumping remaining states"),
        _ => {}
    }
    let (tests, exit_code) = recorder.finish();
    trouble.check()?;

    let mut summary = summarise(plan, program, &run);
    summary.tests = u64::from(tests);
    summary.analysis_wall_s = before.analysis.as_secs_f64();
    directory.write("summary.json", summary.to_json().as_bytes())?;
    let end = info::end(
        &summary,
        &run.solver,
        SystemTime::now(),
        run.elapsed,
        plan.names,
    );
    directory.write("info", (beginning + &end).as_bytes())?;
    let told = tell(plan, &display, &run, &summary);
    // What the run has found is written by now and stays, whatever happens to its account.
    if let Some(code) = after_text(&before.lines) {
        return Ok(code);
    }
    if let Err(failure) = told {
        note!("{failure}");
        return Ok(ExitCode::from(failure.code));
    }
    Ok(verdict(plan, &run, exit_code))
}

/// What stands on the screen at the end.
///
/// # Errors
/// When the summary was to go to standard output and cannot.
fn tell(
    plan: &RunPlan,
    display: &Display,
    run: &plat_engine::Summary,
    summary: &Summary,
) -> Result<(), Failure> {
    if let Some(checked) = &run.checked {
        // These are heard even when the run is to be quiet.
        for line in output::checked::errors(checked) {
            note!("{line}");
        }
        display.line(&output::checked::closing_line(checked));
    }
    display.line("");
    for line in info::resolution_lines(summary, plan.names) {
        display.line(&line);
    }
    for line in info::closing_lines(summary, plan.names) {
        display.line(&line);
    }
    if plan.output.json {
        say::print(format_args!("{}", summary.to_json()))?;
    }
    Ok(())
}

/// Whether the program has done wrong on some path, or what plat lacks.
fn erroneous(run: &plat_engine::Summary) -> bool {
    run.counts.faults + run.counts.repeated_faults + run.counts.unsupported > 0
}

/// Waits for the program's text. When it could not be written: says so, and returns the exit code.
/// What the run has found is written by now and stays; it does not depend on the text.
fn after_text(lines: &Lines) -> Option<ExitCode> {
    let why = lines.finish().err()?;
    note!("{why}");
    Some(ExitCode::from(why.code))
}

/// plat's exit code; the program's own where it is asked for and there is one.
fn verdict(plan: &RunPlan, run: &plat_engine::Summary, program: Option<u8>) -> ExitCode {
    let checked = run.checked.as_ref();
    if run.lost > 0 {
        ExitCode::from(LOST_PATHS)
    } else if checked.is_some_and(|checked| !checked.violations.is_empty()) {
        ExitCode::from(WRONG_ANALYSIS)
    } else if plan.config.exit_on_error && erroneous(run) {
        ExitCode::from(ENDED_BY_ERROR)
    } else {
        program
            .filter(|_| plan.output.exit_code && run.reason == StopReason::Finished)
            .map_or(ExitCode::SUCCESS, ExitCode::from)
    }
}

/// Why this run has one process, if it must.
fn one_process(plan: &RunPlan, config: &Config) -> Option<&'static str> {
    let files = &plan.files;
    let needed = plat_engine::workers::needs_one_process(config);
    let tree = files
        .write_exec_tree
        .then_some("the tree of forks is written");
    let lines = files.write_cov.then_some("covered lines are written");
    needed.or(tree).or(lines)
}

/// Makes a directory the working directory; which one was it before?
fn enter(directory: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
    let Some(directory) = directory else {
        return Ok(None);
    };
    let wrong = |why| Failure::input(format!("{}: {why}", directory.display()));
    let before = std::env::current_dir().map_err(wrong)?;
    std::env::set_current_dir(directory).map_err(wrong)?;
    Ok(Some(before))
}

/// The configuration with the logs of queries that the user asked for, and these.
fn logging(plan: &RunPlan, directory: &Directory) -> Result<(Config, Vec<QueryLog>), Failure> {
    let mut config = plan.config.clone();
    let mut logs = Vec::new();
    for &asked in &plan.output.log_queries {
        let log = QueryLog::create(directory, asked)?;
        let sink = match asked {
            Asked::All => &mut config.solver.log_all,
            Asked::Solver => &mut config.solver.log,
        };
        *sink = Some(log.sink());
        logs.push(log);
    }
    Ok((config, logs))
}

/// The numbers of a run.
pub(crate) fn summarise(plan: &RunPlan, program: &Program, run: &plat_engine::Summary) -> Summary {
    let counts = &run.counts;
    let forks = |kinds: &[ForkKind]| kinds.iter().map(|&kind| counts.forks_of(kind)).sum();
    Summary {
        version: summary::VERSION,
        stop: stop_word(run.reason).to_string(),
        memory_model: plan.config.memory_model.clone(),
        search: plan.search.clone(),
        wall_s: run.elapsed.as_secs_f64(),
        analysis_wall_s: 0.0,
        peak_rss_bytes: peak_resident(),
        instructions: counts.instructions,
        tests: 0,
        paths: summary::Paths {
            completed: counts.completed,
            faults: counts.faults + counts.repeated_faults,
            unsupported: counts.unsupported,
            limits: counts.limited.values().sum(),
            silent: counts.silent,
            late: counts.late,
            merged: counts.merged,
        },
        untested_paths: counts.untested,
        parked: counts.parked,
        forks: summary::Forks {
            branch: forks(&[ForkKind::Branch, ForkKind::Library, ForkKind::Environment]),
            switch: forks(&[ForkKind::Switch]),
            resolution: forks(&[ForkKind::Resolution]),
            allocation: forks(&[ForkKind::Allocation]),
            fault: forks(&[ForkKind::Fault]),
            call: forks(&[ForkKind::Call]),
        },
        fork_wall_s: run.counts.fork_wall.as_secs_f64(),
        forks_by_resolution: run
            .resolution_forks
            .iter()
            .map(|one| summary::ResolutionForks {
                file: one.file.clone(),
                line: one.line,
                reason: one.reason.clone(),
                count: one.count,
            })
            .collect(),
        resolution: summary::Resolution {
            symbolic: run.memory.symbolic,
            multiple: run.memory.multiple,
            max_targets: run.memory.max_targets,
            queries: run.memory.queries,
            wall_s: run.memory.wall.as_secs_f64(),
            dropped: run.memory.dropped,
        },
        solver: summary::Solver {
            questions: run.solver.questions,
            free: run.solver.free,
            queries: run.solver.queries,
            backend_queries: run.solver.backend_queries,
            wall_s: run.solver.wall.as_secs_f64(),
            backend_wall_s: run.solver.backend_wall.as_secs_f64(),
            unknown: run.solver.backend_unknown,
            postponed: run.solver.backend_postponed,
            layers: layers(&run.solver),
        },
        memory: summary::Memory {
            heap_peak_bytes: run.memory.heap_peak,
            segments: run.memory.segments,
            max_segment_bytes: run.memory.largest_segment,
            joins: run.memory.joins,
            moved_objects: run.memory.moved,
        },
        coverage: summary::Coverage {
            covered: run.coverage.iter().filter(|&&covered| covered).count() as u64,
            instructions: program.inst_count() as u64,
        },
        external: summary::External {
            calls: counts.external_calls,
            concretized: counts.external_choices,
        },
        unsupported: counts.lacks.clone(),
        points_to: run.checked.as_ref().map(output::checked::summary),
        processes: run.processes,
        workers_cpu_s: run.cpu.iter().map(Duration::as_secs_f64).collect(),
        lost_paths: run.lost,
        program: plan.program.display().to_string(),
        seed: plan.config.seed,
    }
}

fn layers(solver: &SolverStats) -> BTreeMap<String, summary::Layer> {
    let layers = solver.layers.iter().map(|(&name, counts)| {
        let layer = summary::Layer {
            answered: counts.hits,
            passed: counts.misses,
        };
        (name.to_owned(), layer)
    });
    layers.collect()
}

fn stop_word(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Finished => "finished",
        StopReason::Limit(Limit::Interrupt) => "interrupted",
        StopReason::Limit(limit) => limit.name(),
    }
}

/// The largest resident size of this process, as the kernel counts it; 0 where it does not.
pub(crate) fn peak_resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

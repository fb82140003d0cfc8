//! The object of `summary.json` made of what the engine says about a run.

use super::checked;
use super::sharing;
use super::summary::{self, Summary};
use crate::demangle;
use plat_engine::search::SearcherChoice;
use plat_engine::{Config, ForkKind, Limit, StopReason};
use plat_memory::model::policy::{Chosen, Way, Why};
use plat_memory::{Followed, MemoryStats};
use plat_program::{InstId, Program};
use plat_solver::SolverStats;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// What a summary says of a run beside its numbers.
#[derive(Clone, Copy)]
pub struct About<'a> {
    /// The program's name.
    pub program: &'a Path,
    /// What the engine was told.
    pub config: &'a Config,
}

/// The names of the searchers, those that an empty list stands for included.
pub fn searchers(config: &Config) -> Vec<&str> {
    match &config.search.searchers[..] {
        [] => plat_engine::search::DEFAULT.to_vec(),
        named => named.iter().map(SearcherChoice::name).collect(),
    }
}

/// The numbers of a run.
pub fn summarise(about: &About<'_>, program: &Program, run: &plat_engine::Summary) -> Summary {
    let config = about.config;
    let counts = &run.counts;
    let forks = |kinds: &[ForkKind]| kinds.iter().map(|&kind| counts.forks_of(kind)).sum();
    Summary {
        version: summary::VERSION,
        stop: stop_word(run.reason).to_string(),
        memory_model: config.memory.model_of(program).name().to_string(),
        search: searchers(config).join("+"),
        wall_s: run.elapsed.as_secs_f64(),
        analysis_wall_s: 0.0,
        peak_rss_bytes: crate::resident::peak(),
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
        order: summary::Order {
            deferred: counts.order.deferred,
            subsumed: counts.order.subsumed,
            targets: Vec::new(),
        },
        forks: summary::Forks {
            branch: forks(&[
                ForkKind::Branch,
                ForkKind::Library,
                ForkKind::Environment,
                ForkKind::Hook,
            ]),
            switch: forks(&[ForkKind::Switch]),
            resolution: forks(&[ForkKind::Resolution]),
            allocation: forks(&[ForkKind::Allocation]),
            fault: forks(&[ForkKind::Fault]),
            call: forks(&[ForkKind::Call]),
            schedule: forks(&[ForkKind::Schedule]),
        },
        fork_wall_s: run.counts.fork_wall.as_secs_f64(),
        pool: summary::Pool {
            peak_bytes: counts.pool.peak,
            collections: counts.pool.collections,
            collection_wall_s: counts.pool.wall.as_secs_f64(),
            bytes_before: counts.pool.bytes_before,
            bytes_after: counts.pool.bytes_after,
        },
        led: summary::Led {
            instructions: counts.trie.instructions,
            remembered: run.solver.remembered,
            divergences: counts.trie.divergences.clone(),
            cooled: counts.trie.cooled,
            warmed: counts.trie.warmed,
            known_tests: counts.trie.known_tests,
        },
        forks_by_resolution: run
            .resolutions
            .forks
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
            places: places(program, &run.memory),
            choices: choices(program, &run.memory),
            apart: sharing::apart(program, &run.resolutions.apart),
            unlisted: run.resolutions.left_out,
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
            longest: longest(program, &run.solver),
            layers: layers(&run.solver),
        },
        memory: summary::Memory {
            heap_peak_bytes: run.memory.heap_peak,
            segments: run.memory.segments,
            max_segment_bytes: run.memory.largest_segment,
            joins: run.memory.joins,
            moved_objects: run.memory.moved,
            together: sharing::together(program, &run.resolutions.together),
        },
        coverage: summary::Coverage {
            covered: run.coverage.iter().filter(|&&covered| covered).count() as u64,
            instructions: program.inst_count() as u64,
        },
        external: summary::External {
            calls: counts.outside.calls,
            concretized: counts.outside.choices,
            peers: counts.outside.peers,
            received: counts.outside.received,
            sent: counts.outside.sent,
            commands: counts.outside.commands,
        },
        unsupported: counts.unsupported_by_name.clone(),
        points_to: run.checked.as_ref().map(checked::summary),
        workers: summary::Workers {
            processes: run.processes,
            workers_cpu_s: run.cpu.iter().map(Duration::as_secs_f64).collect(),
            lost_paths: run.lost,
        },
        program: about.program.display().to_string(),
        seed: config.search.seed,
    }
}

/// Where an instruction is: its file, its line and its function.
pub(super) fn place(program: &Program, at: Option<InstId>) -> (String, u32, String) {
    let Some(at) = at.filter(|at| at.index() < program.inst_count()) else {
        return (String::new(), 0, String::new());
    };
    let location = program.location_of(at);
    let function = &program.function(program.position(at).0).name;
    (
        location.file.clone(),
        location.line,
        demangle::text(function).into_owned(),
    )
}

/// How pointers were followed, by place in the source.
fn places(program: &Program, memory: &MemoryStats) -> Vec<summary::Followed> {
    let mut all: BTreeMap<(String, u32, String), Followed> = BTreeMap::new();
    for (&at, followed) in &memory.places {
        all.entry(place(program, at)).or_default().add(followed);
    }
    let described = all
        .into_iter()
        .map(|((file, line, function), one)| summary::Followed {
            file,
            line,
            function,
            count: one.count,
            objects: one.objects,
            max_objects: one.most_objects,
            max_bytes: one.most_bytes,
            ways: one.ways,
            max_ways: one.most_ways,
            faults: one.faults,
            joins: one.joins,
            moved_objects: one.moved,
        });
    let mut described: Vec<_> = described.collect();
    described.sort_by_key(|one| std::cmp::Reverse(one.objects));
    described
}

/// The queries that took longest.
fn longest(program: &Program, solver: &SolverStats) -> Vec<summary::LongQuery> {
    let queries = solver.longest.queries.iter();
    let described = queries.map(|query| {
        let at = query.place.map(InstId);
        let (file, line, function) = place(program, at);
        let answer = match query.satisfiable {
            Some(true) => "sat",
            Some(false) => "unsat",
            None => "unknown",
        };
        summary::LongQuery {
            wall_s: query.wall.as_secs_f64(),
            answer: answer.to_string(),
            condition: query.condition.clone(),
            given: query.given.clone(),
            further: query.further,
            file,
            line,
            function,
        }
    });
    described.collect()
}

/// What was decided about pointers, by place in the source.
fn choices(program: &Program, memory: &MemoryStats) -> Vec<summary::PointerChoice> {
    let mut all: BTreeMap<(String, u32, Way, Why), Chosen> = BTreeMap::new();
    for (&(at, way, why), &chosen) in &memory.choices {
        let location = at.map(|at| program.location_of(at));
        let (file, line) = location.map_or((String::new(), 0), |at| (at.file.clone(), at.line));
        all.entry((file, line, way, why)).or_default().add(chosen);
    }
    let choice = |((file, line, way, why), chosen): (_, Chosen)| summary::PointerChoice {
        file,
        line,
        choice: Way::name(way).to_string(),
        reason: reason(way, why).to_string(),
        count: chosen.count,
        max_alternatives: chosen.alternatives,
        max_bytes: chosen.bytes,
    };
    let mut all: Vec<_> = all.into_iter().map(choice).collect();
    all.sort_by_key(|one| std::cmp::Reverse(one.count));
    all
}

fn reason(way: Way, why: Why) -> &'static str {
    match (why, way) {
        (Why::Pinned, _) => "--resolve says so",
        (Why::Cost, _) => {
            "accesses to the segment have cost more than a path for each object in it"
        }
        (Why::Estimate, Way::Merge) => {
            "the segments have few bytes for the paths that forking would make"
        }
        (Why::Estimate, _) => "the segments have many bytes for the paths that this makes",
    }
}

fn layers(solver: &SolverStats) -> BTreeMap<String, summary::Layer> {
    let layers = solver.layers.iter().map(|(name, counts)| {
        let layer = summary::Layer {
            answered: counts.hits,
            passed: counts.misses,
        };
        (name.to_string(), layer)
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

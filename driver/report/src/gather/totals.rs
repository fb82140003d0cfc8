//! The figures of a run: those of its summary, or of its last sample if it has none.

use crate::model::{Run, Share, Totals};
use plat::output::summary::Summary;

pub(super) fn totals(run: &Run, summary: Option<&Summary>) -> Totals {
    let last = run.samples.last().copied().unwrap_or_default();
    let share = |of: (u64, u64)| Share {
        all: of.0,
        part: of.1,
    };
    let sum = |get: fn(&crate::model::Source) -> Share| {
        let shares = run.sources.iter().map(get);
        shares.fold(Share::default(), |sum, it| Share {
            part: sum.part + it.part,
            all: sum.all + it.all,
        })
    };
    let known = |sum: Share, sample: (u64, u64)| match sum.all {
        0 => share(sample),
        _ => sum,
    };
    let totals = Totals {
        paths: last.ended,
        fault_paths: last.faults,
        tests: run.tests.len() as u64,
        instructions: last.instructions,
        queries: last.queries,
        solver_seconds: last.solver_seconds,
        seconds: last.seconds,
        peak_bytes: run.samples.iter().map(|it| it.resident).max().unwrap_or(0),
        resolution_forks: 0,
        lines: known(sum(|source| source.line_share), last.lines),
        branches: known(sum(|source| source.branch_share), last.branches),
    };
    let Some(summary) = summary else {
        return totals;
    };
    Totals {
        paths: summary.paths.total(),
        fault_paths: summary.paths.faults,
        tests: summary.tests,
        instructions: summary.instructions,
        queries: summary.solver.queries.max(last.queries),
        solver_seconds: summary.solver.wall_s.max(last.solver_seconds),
        // Of all sessions.
        seconds: last.seconds.max(summary.wall_s),
        peak_bytes: summary.peak_rss_bytes.max(totals.peak_bytes),
        resolution_forks: summary.forks.resolution,
        ..totals
    }
}

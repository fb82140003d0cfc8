//! `run.stats`: how a run went, a row for each interval, in the SQLite table that KLEE's tools
//! read. Times are microseconds, each within the one before: `SolverTime` of all that is asked,
//! `CexCacheTime` of the chain of layers behind it with the back end, `QueryTime` of the back end
//! alone. 0 are the branches that plat's engine does not have: jumps through labels are switches by
//! then (`BranchesIndirect`), and `BranchesRealloc`, `BranchesFree`, `BranchesGetVal` are forks by
//! resolution or allocation, or none. Instructions and branches that are covered are the whole program's or,
//! as in KLEE where no C library is linked, those of its own code. The last columns are plat's: what of
//! the program's own code is covered, without its libraries, in lines and in sides of conditional branches.

use super::files::{CountedCode, Statistics};
use super::trouble::Trouble;
use crate::Error;
use crate::cover::{Places, own_functions};
use plat_engine::{FaultKind, ForkKind, Limit, Observer, PathEnd, Progress, TestRecord};
use plat_program::{Inst, InstId, Program};
use rusqlite::Connection;
use rusqlite::types::Value;
use std::path::Path;
use std::time::Duration;

/// The columns in order, with their types.
const COLUMNS: &[(&str, &str)] = &[
    ("Instructions", "INTEGER"),
    ("FullBranches", "INTEGER"),
    ("PartialBranches", "INTEGER"),
    ("NumBranches", "INTEGER"),
    ("UserTime", "REAL"),
    ("NumStates", "INTEGER"),
    ("MallocUsage", "INTEGER"),
    ("Queries", "INTEGER"),
    ("SolverQueries", "INTEGER"),
    ("NumQueryConstructs", "INTEGER"),
    ("WallTime", "REAL"),
    ("CoveredInstructions", "INTEGER"),
    ("UncoveredInstructions", "INTEGER"),
    ("QueryTime", "INTEGER"),
    ("SolverTime", "INTEGER"),
    ("CexCacheTime", "INTEGER"),
    ("ForkTime", "INTEGER"),
    ("ResolveTime", "INTEGER"),
    ("QueryCacheMisses", "INTEGER"),
    ("QueryCacheHits", "INTEGER"),
    ("QueryCexCacheMisses", "INTEGER"),
    ("QueryCexCacheHits", "INTEGER"),
    ("InhibitedForks", "INTEGER"),
    ("ExternalCalls", "INTEGER"),
    ("Allocations", "INTEGER"),
    ("States", "INTEGER"),
    ("BranchesConditional", "INTEGER"),
    ("BranchesIndirect", "INTEGER"),
    ("BranchesSwitch", "INTEGER"),
    ("BranchesCall", "INTEGER"),
    ("BranchesMemOp", "INTEGER"),
    ("BranchesResolvePointer", "INTEGER"),
    ("BranchesAlloc", "INTEGER"),
    ("BranchesRealloc", "INTEGER"),
    ("BranchesFree", "INTEGER"),
    ("BranchesGetVal", "INTEGER"),
    ("TerminationExit", "INTEGER"),
    ("TerminationEarly", "INTEGER"),
    ("TerminationSolverError", "INTEGER"),
    ("TerminationProgramError", "INTEGER"),
    ("TerminationUserError", "INTEGER"),
    ("TerminationExecutionError", "INTEGER"),
    ("TerminationEarlyAlgorithm", "INTEGER"),
    ("TerminationEarlyUser", "INTEGER"),
    ("ArrayHashTime", "INTEGER"),
    ("OwnLines", "INTEGER"),
    ("OwnCoveredLines", "INTEGER"),
    ("OwnBranches", "INTEGER"),
    ("OwnCoveredBranches", "INTEGER"),
];

/// How many of them are plat's own: they stand last.
const OWN: usize = 4;

/// Ended paths by KLEE's classes, in the order of the columns.
#[derive(Clone, Copy, Default, Debug)]
struct Ends {
    exit: u64,
    early: u64,
    solver: u64,
    program: u64,
    user: u64,
    execution: u64,
    silent: u64,
    merged: u64,
}

/// The instructions whose coverage is counted.
enum Counted {
    /// So many: all of the program.
    All(usize),
    /// These.
    These(Vec<InstId>),
}

impl Counted {
    /// How many of them were executed and how many were not.
    fn covered(&self, progress: &Progress<'_>) -> (usize, usize) {
        let (covered, all) = match self {
            Counted::All(all) => (progress.covered, *all),
            Counted::These(these) => {
                let covered = these.iter().filter(|&&inst| executed(progress, inst));
                (covered.count(), these.len())
            }
        };
        (covered, all - covered)
    }
}

/// Whether an instruction was ever executed.
fn executed(progress: &Progress<'_>, inst: InstId) -> bool {
    let times = progress.executed.get(inst.index());
    times.is_some_and(|&times| times > 0)
}

/// The observer that writes the table.
pub struct RunStats {
    connection: Connection,
    insert: String,
    interval: Duration,
    /// When the next row is due.
    due: Duration,
    branches: Vec<InstId>,
    places: Places,
    counted: Counted,
    ends: Ends,
    trouble: Trouble,
}

impl RunStats {
    /// Makes the file.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create(
        path: &Path,
        program: &Program,
        statistics: Statistics,
        trouble: Trouble,
    ) -> Result<Self, Error> {
        let failed = |why: rusqlite::Error| Error::input(format!("{}: {why}", path.display()));
        let connection = Connection::open(path).map_err(failed)?;
        let columns: Vec<String> = COLUMNS
            .iter()
            .map(|(name, kind)| format!("{name} {kind}"))
            .collect();
        let table = format!(
            "PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL; CREATE TABLE stats ({});",
            columns.join(",")
        );
        connection.execute_batch(&table).map_err(failed)?;
        let marks = vec!["?"; COLUMNS.len()].join(",");
        let places = Places::of(program);
        let (branches, counted) = match statistics.code {
            CountedCode::All => (
                conditional_branches(program),
                Counted::All(program.inst_count()),
            ),
            CountedCode::Own => (
                places.branches.clone(),
                Counted::These(own_instructions(program)),
            ),
        };
        Ok(RunStats {
            connection,
            insert: format!("INSERT INTO stats VALUES ({marks})"),
            interval: statistics.interval,
            due: Duration::ZERO,
            branches,
            places,
            counted,
            ends: Ends::default(),
            trouble,
        })
    }

    fn row(&self, progress: &Progress<'_>) -> Vec<Value> {
        let ways = self.branches.iter();
        let ways = ways.map(|inst| progress.branches.get(inst.index()).copied().unwrap_or(0));
        let (full, partial) = ways.fold((0u64, 0u64), |(full, partial), ways| match ways {
            0 => (full, partial),
            3 => (full + 1, partial),
            _ => (full, partial + 1),
        });
        let micros = |span: Duration| span.as_micros() as u64;
        let (counts, solver) = (progress.counts, progress.solver);
        let (covered, uncovered) = self.counted.covered(progress);
        let layer = |name: &str| solver.layers.get(name).copied().unwrap_or_default();
        let (cache, cex) = (layer("query_cache"), layer("model_reuse"));
        let forks = |kinds: &[ForkKind]| kinds.iter().map(|&kind| counts.forks_of(kind)).sum();
        let ends = self.ends;
        let numbers: [u64; COLUMNS.len() - 1 - OWN] = [
            counts.instructions,
            full,
            partial,
            self.branches.len() as u64,
            micros(user_time()),
            progress.states as u64,
            progress.resident,
            solver.queries,
            solver.backend_queries,
            solver.backend_nodes,
            micros(progress.elapsed),
            covered as u64,
            uncovered as u64,
            micros(solver.backend_wall),
            micros(solver.wall),
            micros(solver.wall),
            micros(counts.fork_wall),
            micros(progress.memory.wall),
            cache.misses,
            cache.hits,
            cex.misses,
            cex.hits,
            counts.inhibited_forks,
            counts.outside.calls,
            progress.memory.allocations,
            counts.states,
            forks(&[ForkKind::Branch, ForkKind::Library, ForkKind::Environment]),
            0,
            forks(&[ForkKind::Switch]),
            forks(&[ForkKind::Call]),
            forks(&[ForkKind::Fault]),
            forks(&[ForkKind::Resolution]),
            forks(&[ForkKind::Allocation]),
            0,
            0,
            0,
            ends.exit,
            ends.early,
            ends.solver,
            ends.program,
            ends.user,
            ends.execution,
            ends.merged,
            ends.silent,
        ];
        let real = |at: usize| COLUMNS[at].1 == "REAL";
        let mut row: Vec<Value> = numbers
            .iter()
            .enumerate()
            .map(|(at, &number)| match real(at) {
                true => Value::Real(number as f64),
                false => Value::Integer(number.cast_signed()),
            })
            .collect();
        // KLEE's mark of a build that does not measure it.
        row.push(Value::Integer(-1));
        row.extend(self.own(progress).map(Value::Integer));
        row
    }

    /// The coverage of the program's own code.
    fn own(&self, progress: &Progress<'_>) -> [i64; OWN] {
        let executed = |inst: InstId| executed(progress, inst);
        let ways = |inst: InstId| progress.branches.get(inst.index()).copied().unwrap_or(0);
        let (lines, sides) = self.places.covered(executed, ways);
        let (all_lines, branches) = (self.places.lines.len(), self.places.branches.len());
        [all_lines, lines, 2 * branches, sides].map(|count| count as i64)
    }

    fn write(&mut self, row: Vec<Value>) {
        let written = self.connection.prepare_cached(&self.insert);
        let written =
            written.and_then(|mut insert| insert.execute(rusqlite::params_from_iter(row)));
        if let Err(why) = written {
            self.trouble.report(format!("run.stats: {why}"));
        }
    }
}

impl Observer for RunStats {
    fn path_ended(&mut self, _: &Program, record: &TestRecord) {
        let ends = &mut self.ends;
        let class = match &record.end {
            PathEnd::Returned(_) | PathEnd::Exited(_) => &mut ends.exit,
            PathEnd::Fault(fault) if fault.kind == FaultKind::User => &mut ends.user,
            PathEnd::Fault(_) => &mut ends.program,
            PathEnd::Unsupported(_) | PathEnd::Internal(_) => &mut ends.execution,
            PathEnd::Limit(Limit::Solver, _) => &mut ends.solver,
            PathEnd::Limit(..) => &mut ends.early,
            PathEnd::Silent => &mut ends.silent,
            PathEnd::Merged => &mut ends.merged,
        };
        *class += 1;
    }

    fn progress(&mut self, progress: &Progress<'_>) {
        // No state is left at the end.
        if progress.elapsed >= self.due || progress.states == 0 {
            self.due = progress.elapsed + self.interval;
            self.write(self.row(progress));
        }
    }
}

fn conditional_branches(program: &Program) -> Vec<InstId> {
    let functions = program.functions.iter();
    let branches = functions.flat_map(|function| {
        let insts = function.insts.iter().enumerate();
        let branches = insts.filter(|(_, inst)| matches!(inst, Inst::Branch { .. }));
        branches.map(|(at, _)| InstId::new(function.first_inst.index() + at))
    });
    branches.collect()
}

/// The instructions of a program's own code that can be executed: behind a call that does not return is
/// nothing to cover.
fn own_instructions(program: &Program) -> Vec<InstId> {
    let instructions = own_functions(program).flat_map(|function| {
        let behind_call = |at: usize| {
            let before = at.checked_sub(1).map(|before| &function.insts[before]);
            matches!(before, Some(Inst::Call { .. }))
        };
        let insts = function.insts.iter().enumerate();
        let insts =
            insts.filter(move |&(at, inst)| !(*inst == Inst::Unreachable && behind_call(at)));
        insts.map(|(at, _)| InstId::new(function.first_inst.index() + at))
    });
    instructions.collect()
}

/// Time that this process has spent in user mode, as far as the kernel tells (in ticks of 10 ms).
fn user_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name, in parentheses, may hold blanks.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().nth(11);
    let ticks: u64 = ticks.and_then(|ticks| ticks.parse().ok()).unwrap_or(0);
    Duration::from_millis(ticks * 10)
}

//! What a run tells while it runs. Statistics, files, progress bars and traces all hang here, so
//! that none of them is known to the engine.

use crate::outcome::TestRecord;
use crate::summary::Counts;
use plat_program::{InstId, Program};
use std::time::Duration;

/// A look at a run under way.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// Since the start.
    pub elapsed: Duration,
    /// Live states.
    pub states: usize,
    /// All counters so far.
    pub counts: &'a Counts,
    /// The solver's counters so far.
    pub solver: &'a plat_solver::SolverStats,
    /// The memory's counters so far.
    pub memory: &'a plat_memory::MemoryStats,
    /// Resident memory of the process in bytes.
    pub resident: u64,
    /// Instructions of the program that have been executed.
    pub covered: usize,
}

/// Hears what happens. All methods do nothing by default.
pub trait Observer {
    /// A path has ended.
    fn path_ended(&mut self, _program: &Program, _record: &TestRecord) {}

    /// Called about every tenth of a second, and at the end.
    fn progress(&mut self, _progress: &Progress<'_>) {}

    /// Something that the user should know; a once-warning is given once.
    fn warning(&mut self, _text: &str) {}

    /// A line that the program asked for (`klee_print_expr`, `klee_warning`, `klee_stack_trace`).
    fn message(&mut self, _text: &str) {}

    /// The program's standard output (1) or error (2) as it is written; only while it is concrete.
    fn output(&mut self, _descriptor: i32, _bytes: &[u8]) {}

    /// An instruction was executed for the first time.
    fn covered(&mut self, _inst: InstId) {}
}

/// Hears nothing.
#[derive(Clone, Copy, Default, Debug)]
pub struct Silent;

impl Observer for Silent {}

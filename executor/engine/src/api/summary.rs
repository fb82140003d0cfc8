//! The summary of a run: its counters and why it stopped.

use crate::api::outcome::Limit;
use crate::api::sharing::{Confusions, Resolutions};
use crate::checks::prediction::Checked;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// What made a path fork.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum ForkKind {
    /// A conditional branch.
    Branch,
    /// A switch.
    Switch,
    /// A call through a symbolic function pointer.
    Call,
    /// A pointer that may point to several objects.
    Resolution,
    /// An access or operation that may be a fault.
    Fault,
    /// A symbolic size of an allocation.
    Allocation,
    /// A library function that needs a concrete value or decides on symbolic data.
    Library,
    /// A system call.
    Environment,
    /// A hook or a native function from outside.
    Hook,
    /// Which thread runs.
    Schedule,
}

impl ForkKind {
    /// All kinds.
    pub const ALL: [ForkKind; 10] = [
        ForkKind::Branch,
        ForkKind::Switch,
        ForkKind::Call,
        ForkKind::Resolution,
        ForkKind::Fault,
        ForkKind::Allocation,
        ForkKind::Library,
        ForkKind::Environment,
        ForkKind::Hook,
        ForkKind::Schedule,
    ];

    /// One word for reports.
    pub const fn name(self) -> &'static str {
        match self {
            ForkKind::Branch => "branch",
            ForkKind::Switch => "switch",
            ForkKind::Call => "call",
            ForkKind::Resolution => "resolution",
            ForkKind::Fault => "fault",
            ForkKind::Allocation => "allocation",
            ForkKind::Library => "library",
            ForkKind::Environment => "environment",
            ForkKind::Hook => "hook",
            ForkKind::Schedule => "schedule",
        }
    }
}

/// Why the exploration stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum StopReason {
    /// Every path has ended.
    Finished,
    /// A limit.
    Limit(Limit),
}

/// Counters of a run.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Counts {
    /// Instructions executed.
    pub instructions: u64,
    /// Forks by kind, in the order of [`ForkKind::ALL`].
    pub forks: [u64; ForkKind::ALL.len()],
    /// Forks that a limit forbade.
    pub inhibited_forks: u64,
    /// Time that splitting states took: copies, conditions, ends of sides that do not live; not the
    /// questions whether they may.
    pub fork_wall: Duration,
    /// Branches on symbolic conditions of which only one side was possible.
    pub one_sided_branches: u64,
    /// Paths that ran to an end of their own.
    pub completed: u64,
    /// Paths that ended in a fault.
    pub faults: u64,
    /// Paths that ended in a fault that had been reported before.
    pub repeated_faults: u64,
    /// Paths that ended in something plat cannot run.
    pub unsupported: u64,
    /// Paths that a limit cut off, per limit.
    pub limited: BTreeMap<Limit, u64>,
    /// Live paths that have no test because the time for it was over.
    pub late: u64,
    /// Paths that asked not to be reported.
    pub silent: u64,
    /// Paths that were merged into others.
    pub merged: u64,
    /// Paths that were the first to cover something and have no test: they asked not to be reported,
    /// or live paths have no tests.
    pub untested: u64,
    /// Paths that have waited for others.
    pub order: OrderCounts,
    /// Test cases asked for.
    pub tests: u64,
    /// What was unsupported, with how often.
    pub unsupported_by_name: BTreeMap<String, u64>,
    /// Most states alive at once.
    pub max_states: usize,
    /// States ever made.
    pub states: u64,
    /// Allocations on the heap.
    pub allocations: u64,
    /// Values that were made concrete by forking.
    pub concretized: u64,
    /// Values that were replaced by one feasible value without a constraint (`klee_get_value`).
    pub sampled: u64,
    /// What came from outside of the program, and went there.
    pub outside: OutsideCounts,
    /// Internal errors, each of which ended a path.
    pub internal_errors: u64,
    /// Paths that were led along decisions.
    pub trie: TrieCounts,
    /// The pool of expressions.
    pub pool: PoolCounts,
}

/// What became of the order of paths.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct OrderCounts {
    /// Times that a path has waited, as a question needed more work than others.
    pub deferred: u64,
    /// Paths that were put last, as another one was in the same state but for its conditions.
    pub subsumed: u64,
    /// Merges that were opened.
    pub merges_opened: u64,
}

/// What came from outside of the program on all paths, and went there.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct OutsideCounts {
    /// Peers that connected, were connected to, or sent a datagram.
    pub peers: u64,
    /// Bytes that they sent.
    pub received: u64,
    /// Bytes that the program sent them.
    pub sent: u64,
    /// Programs that it has started.
    pub commands: u64,
    /// Calls of machine code.
    pub calls: u64,
    /// Values that took one of their feasible values for such a call.
    pub choices: u64,
}

/// Counters of paths that were led along earlier decisions.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct TrieCounts {
    /// Instructions that they have executed on the way; part of all.
    pub instructions: u64,
    /// Paths that have left the decisions that they were led along, by place.
    pub divergences: BTreeMap<String, u64>,
    /// Times that a path was kept as its decisions while memory was scarce.
    pub cooled: u64,
    /// Times that such a path was led to its place again.
    pub warmed: u64,
    /// Tests that were there already.
    pub known_tests: u64,
}

/// Counters of the pool of expressions.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct PoolCounts {
    /// Most bytes that a process has had in it.
    pub peak: u64,
    /// Collections.
    pub collections: u64,
    /// The time that they took.
    pub wall: Duration,
    /// Bytes that they have found, added up.
    pub bytes_before: u64,
    /// Bytes that they have left, added up.
    pub bytes_after: u64,
}

impl Counts {
    /// Counts something that the program needs and plat does not have.
    pub fn note_unsupported(&mut self, what: &str) {
        *self
            .unsupported_by_name
            .entry(what.to_string())
            .or_default() += 1;
    }

    /// Forks of one kind.
    pub fn forks_of(&self, kind: ForkKind) -> u64 {
        self.forks[kind as usize]
    }

    /// All forks.
    pub fn total_forks(&self) -> u64 {
        self.forks.iter().sum()
    }

    /// Paths that ended.
    pub fn paths(&self) -> u64 {
        self.completed
            + self.faults
            + self.repeated_faults
            + self.unsupported
            + self.silent
            + self.merged
            + self.limited.values().sum::<u64>()
    }
}

/// Forks by resolution at one source line, for one reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResolutionForks {
    /// Source file; empty if unknown.
    pub file: String,
    /// Source line; 0 if unknown.
    pub line: u32,
    /// Why, in words.
    pub reason: String,
    /// How many more states there were after them.
    pub count: u64,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Why it stopped.
    pub reason: StopReason,
    /// How long it took.
    pub elapsed: Duration,
    /// Counters.
    pub counts: Counts,
    /// The solver's counters.
    pub solver: plat_solver::SolverStats,
    /// The memory's counters.
    pub memory: plat_memory::MemoryStats,
    /// Executed instructions, one flag per instruction of the program.
    pub coverage: Vec<bool>,
    /// How often each instruction was executed.
    pub profile: Vec<u64>,
    /// For each conditional branch, by its instruction: bit 0 if it was ever not taken, bit 1 if it
    /// was taken. 0 for other instructions.
    pub branches: Vec<u8>,
    /// How the prediction did that the run was checked against.
    pub checked: Option<Checked>,
    /// With [`crate::Config::record_confusions`]: what symbolic pointers have confused.
    pub confused: Confusions,
    /// What symbolic pointers have made of memory and of paths.
    pub resolutions: Resolutions,
    /// Processes that explored, one after the other or at once.
    pub processes: u32,
    /// Processor time of exploring, for each place that a process can have.
    pub cpu: Vec<Duration>,
    /// Live states of worker processes that ended before their work: paths without a test.
    pub lost: u64,
    /// Warnings, in order.
    pub warnings: Vec<String>,
}

//! How a path ends, and the record of an ended path that the driver turns into files.
//!
//! The ends fall in four disjoint classes: the program's own end (normal or by a fault), something
//! unsupported, a limit, and an end that the program asked not to report.

use crate::api::id::StateId;
use crate::trie::NodeId;
use plat_program::{InstId, Location};
use rustc_hash::FxHasher;
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher as _};

/// The class of a program fault. [`FaultKind::suffix`] names the `.err` file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FaultKind {
    /// A failed assertion.
    Assert,
    /// `abort` and what ends in it.
    Abort,
    /// A panic of Rust that nothing catches.
    Panic,
    /// An access outside live memory.
    Pointer,
    /// Freeing what is not on the heap, or not in the way it was allocated.
    Free,
    /// Freeing a heap address that is none or none any more: for KLEE a fault of pointers.
    InvalidFree,
    /// A write to constant memory.
    ReadOnly,
    /// Division by zero.
    Divide,
    /// An integer result that does not exist (`INT_MIN / -1`).
    Overflow,
    /// A shift by the width or more.
    Overshift,
    /// A call through a pointer of another type.
    FunctionType,
    /// A decision that depends on memory that was never written.
    Uninitialised,
    /// Memory that nothing refers to at the end.
    Leak,
    /// Descriptors that are open at the end.
    Descriptor,
    /// An allocation of more than the user allows.
    Allocation,
    /// A vector index outside the vector.
    BadVectorAccess,
    /// Control reached a point that the compiler was told is unreachable.
    Unreachable,
    /// Wrong use of an intrinsic by the harness.
    User,
    /// Reported by the program: the suffix that it chose.
    Reported(String),
    /// The program has come back to a state that it was in: it never ends.
    InfiniteLoop,
    /// Every thread waits for another one.
    Deadlock,
    /// Two accesses of different threads that nothing orders.
    DataRace,
}

impl FaultKind {
    /// The part of the file name before `.err`.
    pub fn suffix(&self) -> &str {
        match self {
            FaultKind::Assert => "assert",
            FaultKind::Abort | FaultKind::Panic => "abort",
            FaultKind::Pointer | FaultKind::InvalidFree => "ptr",
            FaultKind::Free => "free",
            FaultKind::ReadOnly => "read_only",
            FaultKind::Divide => "div",
            FaultKind::Overflow => "overflow",
            FaultKind::Overshift => "overshift",
            FaultKind::FunctionType => "function_type_mismatch",
            FaultKind::Uninitialised => "uninitialised",
            FaultKind::Leak => "leak",
            FaultKind::Descriptor => "descriptor",
            FaultKind::Allocation => "allocation",
            FaultKind::BadVectorAccess => "bad_vector_access",
            FaultKind::Unreachable => "unreachable_call",
            FaultKind::User => "user",
            FaultKind::InfiniteLoop => "loop",
            FaultKind::Deadlock => "deadlock",
            FaultKind::DataRace => "race",
            FaultKind::Reported(suffix) => suffix,
        }
    }
}

/// How the message of a fault ends that is in another process than the program's first.
pub const IN_CHILD: &str = " (in a child process)";

/// A fault of the program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// Its class.
    pub kind: FaultKind,
    /// One line, with the fixed wording that users search for.
    pub message: String,
    /// Further lines: the address, the objects beside it, where it was freed.
    pub info: Vec<String>,
    /// The instruction to blame, if it is another than the one at which the path ends.
    pub at: Option<InstId>,
    /// The place in the source that the program itself names: of an assertion, of a panic.
    pub named: Option<SourceLine>,
}

impl Fault {
    /// A fault without further lines.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Fault {
            kind,
            message: message.into(),
            info: Vec::new(),
            at: None,
            named: None,
        }
    }
}

/// A bound that the user set (or a default one) and that was met.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Limit {
    /// Wall time of the run.
    Time,
    /// Resident memory of the process.
    Memory,
    /// Instructions of the run.
    Instructions,
    /// Forks of the run.
    Forks,
    /// Forks on one path.
    Depth,
    /// Test cases.
    Tests,
    /// Frames on the call stack.
    StackFrames,
    /// Time of one solver query.
    Solver,
    /// Time of one external call.
    External,
    /// An interrupt by the user.
    Interrupt,
    /// The first error, when the run is to end there.
    Error,
    /// Sizes of an allocation of symbolic size that the policy leaves out.
    Capacity,
    /// The end of the seeds, when nothing else is to be explored.
    Seeds,
    /// A hook that has stopped the run.
    Hook,
    /// All targets have been reached.
    Target,
    /// Connections and messages from outside, when the program waits for more of them.
    Connections,
    /// Signals from outside, when the program waits for one.
    Signals,
}

impl Limit {
    /// One word for reports.
    pub const fn name(self) -> &'static str {
        match self {
            Limit::Time => "time",
            Limit::Memory => "memory",
            Limit::Instructions => "instructions",
            Limit::Forks => "forks",
            Limit::Depth => "depth",
            Limit::Tests => "tests",
            Limit::StackFrames => "stack",
            Limit::Solver => "solver",
            Limit::External => "external",
            Limit::Interrupt => "interrupt",
            Limit::Error => "error",
            Limit::Capacity => "capacity",
            Limit::Seeds => "seeds",
            Limit::Hook => "hook",
            Limit::Target => "target",
            Limit::Connections => "connections",
            Limit::Signals => "signals",
        }
    }
}

/// Why a path is over.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum PathEnd {
    /// The entry function returned this.
    Returned(i32),
    /// The program called for its end with this code.
    Exited(i32),
    /// The program did something wrong.
    Fault(Fault),
    /// plat cannot go on: what is unsupported.
    Unsupported(String),
    /// plat itself has an error; the text begins with `internal: `.
    Internal(String),
    /// A limit cut the path off; the text says more where there is more to say.
    Limit(Limit, String),
    /// The program asked to end without a report.
    Silent,
    /// It was merged into another path (`klee_close_merge`).
    Merged,
}

impl PathEnd {
    /// A fault without further lines.
    pub fn fault(kind: FaultKind, message: impl Into<String>) -> Self {
        PathEnd::Fault(Fault::new(kind, message))
    }

    /// An error of plat itself.
    pub fn internal(what: impl std::fmt::Display) -> Self {
        PathEnd::Internal(format!("internal: {what}"))
    }

    /// Whether the path ran to an end of the program's own making.
    pub const fn is_complete(&self) -> bool {
        matches!(self, PathEnd::Returned(_) | PathEnd::Exited(_))
    }

    /// The text of an error, of something unsupported, or of a limit; empty for normal ends.
    pub fn message(&self) -> &str {
        match self {
            PathEnd::Fault(fault) => &fault.message,
            PathEnd::Unsupported(what) | PathEnd::Internal(what) | PathEnd::Limit(_, what) => what,
            PathEnd::Returned(_) | PathEnd::Exited(_) | PathEnd::Silent | PathEnd::Merged => "",
        }
    }
}

/// A place in the program, for people.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SourceLine {
    /// The file as the compiler recorded it; empty if unknown.
    pub file: String,
    /// The line, from 1; 0 if unknown.
    pub line: u32,
}

impl SourceLine {
    /// The line of a location; nothing without a line.
    pub fn of(location: &Location) -> Self {
        match location.line {
            0 => SourceLine::default(),
            line => SourceLine {
                file: location.file.clone(),
                line,
            },
        }
    }
}

/// One line of a stack trace.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StackLine {
    /// The function.
    pub function: String,
    /// Its parameters as far as the module names them: `n=5`, `n=symbolic`; `5` without a name.
    pub arguments: Vec<String>,
    /// Where it stands.
    pub source: SourceLine,
    /// The instruction that it stands at.
    pub inst: InstId,
}

/// Values of one symbolic object under a path's model.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct InputObject {
    /// Its name as the program gave it.
    pub name: String,
    /// Its bytes.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
}

/// An error that has a test.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KnownFault {
    /// The error, see [`crate::deduplication::key`].
    pub key: (Option<InstId>, String, String),
    /// Instructions on the path that stands for it.
    pub instructions: u64,
    /// The input of that path.
    pub inputs: Vec<InputObject>,
}

/// An ended path.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TestRecord {
    /// The state that ended.
    pub state: StateId,
    /// Its node in the trie of decisions, if the run keeps one.
    pub leaf: Option<NodeId>,
    /// Why.
    pub end: PathEnd,
    /// Whether a test case is to be written for it.
    pub wanted: bool,
    /// Its error has a test already: this one is written for what the path was the first to cover.
    pub repeats: bool,
    /// The test takes the place of one that was written for the same error (see
    /// [`crate::report::deduplication`]).
    pub replaces: bool,
    /// Exit status of a completed path.
    pub exit_code: Option<i32>,
    /// The line of `blamed`, or the one that the program names; none without debug information.
    pub source: SourceLine,
    /// The instruction at which it ended.
    pub inst: Option<InstId>,
    /// The instruction to blame: the innermost one outside of libraries.
    pub blamed: Option<InstId>,
    /// The frames, innermost first; of a very deep stack those at its ends.
    pub stack: Vec<StackLine>,
    /// Instructions on the path.
    pub instructions: u64,
    /// Forks on the path.
    pub depth: u32,
    /// The choices at the path's forks, first to last.
    pub path: Vec<u32>,
    /// The directions of its conditional branches, if they are noted.
    pub branches: Vec<bool>,
    /// Whether the path covered an instruction first.
    pub covered_new: bool,
    /// Whether it took a side of a conditional branch first.
    pub new_side: bool,
    /// The program's argument list under the model.
    pub arguments: Vec<Vec<u8>>,
    /// The symbolic objects in the order of their making, with their values under the model.
    pub inputs: Vec<InputObject>,
    /// Standard output under the model, as far as it is kept; empty if no test is wanted.
    #[serde(with = "serde_bytes")]
    pub stdout: Vec<u8>,
    /// Bytes of standard output behind those that are kept.
    pub stdout_cut: u64,
    /// Standard error under the model, as far as it is kept; empty if no test is wanted.
    #[serde(with = "serde_bytes")]
    pub stderr: Vec<u8>,
    /// The path condition in KQuery, of faults and when asked for.
    pub kquery: Option<String>,
    /// The path condition in SMT-LIB 2, when asked for.
    pub smt2: Option<String>,
}

impl TestRecord {
    /// Tells tests apart: a hash of their input, and how far their path has come. Two paths of one program
    /// that end have different inputs, or differ in the schedule of threads: then one may be an error.
    pub fn identity(&self) -> u64 {
        test_identity(&self.inputs, self.end.reach())
    }
}

/// How far the path of a test has come.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reach {
    /// To an end of the program's own.
    End,
    /// To an error: a fault, or what plat cannot carry out.
    Error,
    /// To a limit of the run.
    Limit,
}

impl PathEnd {
    fn reach(&self) -> Reach {
        match self {
            PathEnd::Fault(_) | PathEnd::Unsupported(_) | PathEnd::Internal(_) => Reach::Error,
            PathEnd::Limit(..) => Reach::Limit,
            _ => Reach::End,
        }
    }
}

/// See [`TestRecord::identity`]. The inputs are [`InputObject`]s, or what hashes as they do.
pub fn test_identity<I: Hash + ?Sized>(inputs: &I, reach: Reach) -> u64 {
    let mut hasher = FxHasher::default();
    (inputs, reach).hash(&mut hasher);
    hasher.finish()
}

//! The configuration of a run: plain data, passed by argument. The defaults are here and nowhere else.

use crate::api::outcome::KnownFault;
use crate::api::seeds::Seeds;
use crate::api::summary::Counts;
use crate::api::target::Target;
use crate::checks::prediction::Prediction;
use crate::search::SearcherChoice;
use crate::trie::{NodeId, Plan};
use plat_allocator::AllocatorChoice;
use plat_memory::model::ModelChoice;
use plat_memory::model::policy::Way;
use plat_program::{InstId, Program};
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What the engine is to do. Every field names its default, which is also what the command `plat`
/// does without options.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where and in which surroundings the program starts.
    pub start: Start,
    /// The program's memory.
    pub memory: MemoryConfig,
    /// The order of paths.
    pub search: SearchConfig,
    /// The solver chain.
    pub solver: plat_solver::SolverConfig,
    /// Functions without a body that are called as machine code. Default none.
    pub external: Option<External>,
    /// Bounds.
    pub limits: Limits,
    /// What counts as a fault.
    pub checks: Checks,
    /// What follows from a fault.
    pub errors: Errors,
    /// What tests are made of, and which.
    pub tests: TestConfig,
    /// Pass on what every path writes, not only those without symbolic input. Default false.
    pub all_output: bool,
    /// Carry out easy instructions by fast paths. Without them every instruction takes the general
    /// one, with the same result; tests compare the two. Default true.
    pub fast_paths: bool,
    /// What the run is checked against. Default nothing.
    pub prediction: Option<Arc<Prediction>>,
    /// Record which allocation contexts symbolic pointers confuse. Default false.
    pub record_confusions: bool,
    /// Processes that explore at once.
    pub workers: WorkerConfig,
    /// The trie of decisions.
    pub trie: TrieConfig,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            start: Start::default(),
            memory: MemoryConfig::default(),
            search: SearchConfig::default(),
            solver: plat_solver::SolverConfig::default(),
            external: None,
            limits: Limits::default(),
            checks: Checks::default(),
            errors: Errors::default(),
            tests: TestConfig::default(),
            all_output: false,
            fast_paths: true,
            prediction: None,
            record_confusions: false,
            workers: WorkerConfig::default(),
            trie: TrieConfig::default(),
        }
    }
}

/// Where and in which surroundings the program starts.
#[derive(Clone, Debug)]
pub struct Start {
    /// Function to start in; the program's `__plat_start` calls it. Default `main`.
    pub entry_point: String,
    /// Environment of the program: `NAME=value`. Default [`plat_env::PROGRAM_ENVIRONMENT`].
    pub environment: Vec<Vec<u8>>,
    /// The directory that it starts in. Default that of the calling process.
    pub directory: Option<PathBuf>,
    /// The files of the host that it may see. Default those that it was given.
    pub files: plat_env::FileRules,
    /// The program's clock when it starts. Default 1 January 2024.
    pub clock: plat_env::Clock,
    /// What surrounds the program does as in KLEE where plat has a way of its own: streams of the C library
    /// write at once, as KLEE's external calls print; large allocations are warned of; klee_make_symbolic
    /// takes three arguments. Default false.
    pub as_klee: bool,
    /// The most bytes that a fuzzer's harness gets (`LLVMFuzzerTestOneInput`); none is
    /// [`Start::FUZZ_MAX_LEN`], or what the seeds ask for. Default none.
    pub fuzz_max_len: Option<u32>,
}

impl Start {
    /// The most bytes that a fuzzer's harness gets, where nothing else is said.
    pub const FUZZ_MAX_LEN: u32 = 64;

    /// The most bytes that a fuzzer's harness gets.
    pub fn most_fuzzed(&self) -> u32 {
        self.fuzz_max_len.unwrap_or(Start::FUZZ_MAX_LEN)
    }
}

impl Default for Start {
    fn default() -> Self {
        Start {
            entry_point: "main".into(),
            environment: plat_env::PROGRAM_ENVIRONMENT
                .iter()
                .map(|entry| entry.as_bytes().to_vec())
                .collect(),
            directory: None,
            files: plat_env::FileRules::default(),
            clock: plat_env::Clock::default(),
            as_klee: false,
            fuzz_max_len: None,
        }
    }
}

/// How pointers are followed at a place in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pin {
    /// The source file: its name, or as many of the folders above as tell it from others.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// How.
    pub way: Way,
}

/// The program's memory: the model, and the addresses and sizes of objects.
#[derive(Clone, Debug)]
pub struct MemoryConfig {
    /// The memory model. Default [`ModelChoice::default_for`] the program.
    pub model: Option<ModelChoice>,
    /// Memory models' options.
    pub options: plat_memory::ModelConfig,
    /// How the model `auto` follows pointers at some places. Default it decides everywhere.
    pub pins: Vec<Pin>,
    /// The allocator. Default [`plat_allocator::DEFAULT`].
    pub allocator: AllocatorChoice,
    /// The allocator's options.
    pub addresses: plat_allocator::AllocatorConfig,
    /// What becomes of an allocation of symbolic size. Default [`SymbolicSize::Bounded`].
    pub symbolic_size: SymbolicSize,
    /// The most bytes of an object whose size stays symbolic. Default 1024.
    pub size_capacity: u64,
    /// When expressions are given back that nothing holds. Default when they have grown.
    pub collect: Collect,
}

impl Config {
    /// Whether paths note the directions of their branches: for their tests, or to follow some that are given.
    pub(crate) fn notes_branches(&self) -> bool {
        self.tests.branches || !self.search.directions.is_empty()
    }
}

impl MemoryConfig {
    /// The memory model of a run of a program.
    pub fn model_of(&self, program: &Program) -> ModelChoice {
        let default = || ModelChoice::default_for(program.annotations.has_segments());
        self.model.clone().unwrap_or_else(default)
    }
}

impl Default for MemoryConfig {
    fn default() -> Self {
        MemoryConfig {
            model: None,
            options: plat_memory::ModelConfig::default(),
            pins: Vec::new(),
            allocator: AllocatorChoice::default(),
            addresses: plat_allocator::AllocatorConfig::default(),
            symbolic_size: SymbolicSize::Bounded,
            size_capacity: 1024,
            collect: Collect::default(),
        }
    }
}

/// The order of paths, and which of them become one.
#[derive(Clone, Debug)]
pub struct SearchConfig {
    /// Searchers; several are interleaved. Default none, which stands for
    /// [`crate::search::DEFAULT`].
    pub searchers: Vec<SearcherChoice>,
    /// Seed of all random choices. Default 1.
    pub seed: u64,
    /// Instructions that a selected state runs at most before the searcher is asked again.
    /// Default 10000.
    pub batch_instructions: u64,
    /// Paths that the program wants merged become one. Default [`Merging::Off`].
    pub merging: Merging,
    /// Paths that are in the same state where the sides of a fork meet, but for their conditions: one goes
    /// on, the others wait until nothing else is left. Only with a searcher that
    /// [asks for it](crate::search::Needs::subsumption). Default false.
    pub subsume: bool,
    /// Say where merges open and close. Default false.
    pub log_merges: bool,
    /// Whether values of a switch that lead to the same place are paths of their own. Default false.
    pub split_cases: bool,
    /// Test cases to follow first. Default none.
    pub seeds: Seeds,
    /// Places that are to be reached. Default none.
    pub targets: Vec<Target>,
    /// End the run when all targets have been reached. Default false.
    pub exit_on_targets: bool,
    /// How often a path may depart from the schedule of its threads. Default 0.
    pub preemptions: u32,
    /// The directions of conditional branches, in order, that all paths take as far as they can; other sides
    /// are not explored. Default none.
    pub directions: Arc<[bool]>,
}

impl Default for SearchConfig {
    fn default() -> Self {
        SearchConfig {
            searchers: Vec::new(),
            seed: 1,
            batch_instructions: 10_000,
            merging: Merging::Off,
            subsume: false,
            log_merges: false,
            split_cases: false,
            seeds: Seeds::default(),
            targets: Vec::new(),
            exit_on_targets: false,
            preemptions: 0,
            directions: Arc::default(),
        }
    }
}

/// What counts as a fault of the program, beside wrong accesses of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checks {
    /// Division by zero. Default true.
    pub div_zero: bool,
    /// Shifting by the width or more. Default true.
    pub overshift: bool,
    /// Releasing memory by another family of functions than it was allocated by. Default true.
    pub families: bool,
    /// A decision that depends on memory that was never written. Default false.
    pub uninitialised: bool,
    /// Heap objects that nothing refers to at the end of a path. Default false.
    pub leaks: bool,
    /// Descriptors that are open at the end of a path. Default false.
    pub descriptors: bool,
    /// The most bytes of an allocation that is no fault. Default none.
    pub max_allocation: Option<u64>,
    /// Coming back to a state that the path was in, without input in between. Default false.
    pub loops: bool,
    /// Two accesses of different threads that nothing orders, one of them a write. Default false.
    pub races: bool,
    /// A provably false `klee_assume` is none: its path ends without a report. Default false.
    pub silent_assume: bool,
}

impl Default for Checks {
    fn default() -> Self {
        Checks {
            div_zero: true,
            overshift: true,
            families: true,
            uninitialised: false,
            leaks: false,
            descriptors: false,
            max_allocation: None,
            loops: false,
            races: false,
            silent_assume: false,
        }
    }
}

/// What follows from a fault.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Errors {
    /// Report an error each time it is met and not once per instruction and message. Default false.
    pub all: bool,
    /// End the run at the first fault. Default false.
    pub end_at_first: bool,
    /// End the run at the first fault with one of these suffixes. Default none.
    pub end_at: Vec<String>,
}

/// What tests are made of, and which paths have one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TestConfig {
    /// Only faults and paths that cover new instructions have one. Default false.
    pub only_covering_new: bool,
    /// When a limit ends the run, live states have one too. Default true.
    pub of_live_states: bool,
    /// Most of these tests, over all processes, not counting paths that have covered something new:
    /// these have one each. `None` is no bound. Default none.
    pub most_of_live_states: Option<u64>,
    /// A path that becomes part of another has one if it has covered something new. Default true.
    pub of_merged: bool,
    /// Obey `klee_posix_prefer_cex` (printable arguments). Default false.
    pub readable: bool,
    /// Note the direction of every conditional branch on a path. Default false.
    pub branches: bool,
    /// Give the path condition of every test case as KQuery; faults have it always. Default false.
    pub kquery: bool,
    /// Give the path condition of every test case as SMT-LIB 2. Default false.
    pub smt2: bool,
}

impl Default for TestConfig {
    fn default() -> Self {
        TestConfig {
            only_covering_new: false,
            of_live_states: true,
            most_of_live_states: None,
            of_merged: true,
            readable: false,
            branches: false,
            kquery: false,
            smt2: false,
        }
    }
}

/// Processes that explore at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WorkerConfig {
    /// How many. With more than one the calling process is divided (`fork`), so it should have no
    /// other threads. Default 1.
    pub processes: usize,
    /// How long a process explores before it divides. Default 50 ms, a hundred times what that
    /// costs.
    pub interval: Duration,
}

impl Default for WorkerConfig {
    fn default() -> Self {
        WorkerConfig {
            processes: 1,
            interval: Duration::from_millis(50),
        }
    }
}

/// What a run tells of its decisions, and what it takes up of an earlier one.
#[derive(Clone, Default, Debug)]
pub struct TrieConfig {
    /// Tell observers of every decision, see [`crate::Decision`]. Default false.
    pub keep: bool,
    /// Earlier decisions that lead the run; what they do not lead to is not explored. Default none.
    pub plan: Option<Arc<Plan>>,
    /// Nodes of the trie have smaller numbers than this already. Default 0.
    pub next: NodeId,
    /// What the earlier run has found. Default nothing.
    pub earlier: Arc<Earlier>,
    /// If the plan is of another version of the program: the first instructions of what has changed. A led
    /// path goes on by itself from there. Default none.
    pub changed: Arc<[InstId]>,
}

/// What an earlier run has found with which this one goes on.
#[derive(Clone, Default, Debug)]
pub struct Earlier {
    /// Its counters.
    pub counts: Counts,
    /// Instructions that it has covered, by number.
    pub covered: Vec<u32>,
    /// Directions of branches that it has taken, by number: see [`crate::Progress::branches`].
    pub branches: Vec<(u32, u8)>,
    /// Sides of splits that its paths have gone: where, which, and how many times.
    pub gone: Vec<(Option<InstId>, u32, u64)>,
    /// Errors that have a test.
    pub faults: Vec<KnownFault>,
    /// What there is a test for, by [`crate::TestRecord::identity`].
    pub tests: HashSet<u64>,
}

/// What becomes of paths between `klee_open_merge` and `klee_close_merge`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Merging {
    /// They stay apart.
    Off,
    /// They wait for each other and go on as one where they can.
    Complete,
    /// The same, but those that are much slower than others are not waited for.
    Incomplete,
}

/// What becomes of an allocation of symbolic size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymbolicSize {
    /// The object has room for a capacity, and accesses are compared with the size; sizes beyond
    /// the capacity end as a limit.
    Bounded,
    /// It has the greatest size within the capacity; the others end as a limit.
    Max,
    /// A path for each size.
    Fork,
    /// It has the size under the path's model; the others end as a limit.
    Concretize,
}

/// Calls of machine code.
#[derive(Clone, Debug)]
pub struct External {
    /// The functions that may be called.
    pub allow: Vec<String>,
    /// Shared libraries that they are in, beside the C library.
    pub libraries: Vec<String>,
    /// Longest time of a call.
    pub longest: Duration,
    /// The command that starts the helper, see [`plat_external::Client::start`].
    pub helper: Vec<OsString>,
}

/// When expressions are given back that nothing holds. Results do not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Collect {
    /// When there are many more than after the last time, or memory is scarce.
    #[default]
    Grown,
    /// Between all batches, with checks; for tests.
    Always,
    /// Never.
    Never,
}

/// The largest shares of the forks of a process: behind them a fork keeps one side.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ForkShares {
    /// At one instruction. Default 1.
    pub of_instruction: f64,
    /// In one function as it is called by the same calls. Default 1.
    pub of_path: f64,
    /// Forks before that counts. Default 1000.
    pub delay: u64,
}

impl ForkShares {
    /// Whether there is a bound.
    pub fn are_bounded(&self) -> bool {
        self.of_instruction < 1.0 || self.of_path < 1.0
    }
}

impl Default for ForkShares {
    fn default() -> Self {
        ForkShares {
            of_instruction: 1.0,
            of_path: 1.0,
            delay: 1000,
        }
    }
}

/// Bounds of a run; `None` is no bound.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Wall time of the run. Default none.
    pub time: Option<Duration>,
    /// Resident memory of the process in bytes; near it the deepest paths go first, see
    /// [`crate::search::Deepest`]. Default 2000 MiB.
    pub memory: Option<u64>,
    /// Instructions over all paths. Default none.
    pub instructions: Option<u64>,
    /// Forks over all paths: behind it every new fork keeps one side. Default none.
    pub forks: Option<u64>,
    /// Forks on one path. Default none.
    pub depth: Option<u32>,
    /// How many of the forks may be at one instruction or on one call path. Default all.
    pub fork_shares: ForkShares,
    /// Test cases. Default none.
    pub tests: Option<u64>,
    /// Frames on a call stack. Default 2^20, more than the stack has room for.
    pub stack_frames: u32,
    /// Bytes on a call stack: more is a fault, a stack overflow. Default 8 MiB.
    pub stack: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            time: None,
            memory: Some(2000 << 20),
            instructions: None,
            forks: None,
            depth: None,
            fork_shares: ForkShares::default(),
            tests: None,
            stack_frames: 1 << 20,
            stack: 8 << 20,
        }
    }
}

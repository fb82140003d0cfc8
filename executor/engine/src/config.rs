//! What a run is told: one plain struct, passed by argument.

use crate::prediction::Prediction;
use crate::seeds::Seeds;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

/// What the engine is to do. Every field names its default.
#[derive(Clone, Debug)]
pub struct Config {
    /// Function to start in; the program's `__plat_start` calls it. Default `main`.
    pub entry_point: String,
    /// Memory model, by name in [`plat_memory::model::ALL`]. Default `forking`.
    pub memory_model: String,
    /// Allocator, by name in [`plat_allocator::ALL`]. Default [`plat_allocator::DEFAULT`].
    pub allocator: String,
    /// The allocator's options.
    pub addresses: plat_allocator::Config,
    /// Searchers, by name in [`crate::search::ALL`]; several are interleaved. Default none, which
    /// stands for [`crate::search::DEFAULT`].
    pub searchers: Vec<String>,
    /// Seed of all random choices. Default 0.
    pub seed: u64,
    /// Memory models' options.
    pub memory: plat_memory::ModelConfig,
    /// Functions without a body that are called as machine code. Default none.
    pub external: Option<External>,
    /// The solver chain.
    pub solver: plat_solver::Config,
    /// Bounds.
    pub limits: Limits,
    /// What becomes of an allocation of symbolic size. Default [`SymbolicSize::Bounded`].
    pub symbolic_size: SymbolicSize,
    /// The most bytes of an object whose size stays symbolic. Default 1024.
    pub size_capacity: u64,
    /// Division by zero is a fault. Default true.
    pub check_div_zero: bool,
    /// Shifting by the width or more is a fault. Default true.
    pub check_overshift: bool,
    /// A decision that depends on memory that was never written is a fault. Default false.
    pub check_uninitialised: bool,
    /// Heap objects that nothing refers to at the end of a path are a fault. Default false.
    pub check_leaks: bool,
    /// Report an error each time it is met and not once per instruction and message. Default false.
    pub emit_all_errors: bool,
    /// End the run at the first fault. Default false.
    pub exit_on_error: bool,
    /// End the run at the first fault with one of these suffixes. Default none.
    pub exit_on_error_types: Vec<String>,
    /// Write test cases only for faults and for paths that cover new instructions. Default false.
    pub only_covering_new: bool,
    /// When a limit ends the run, write test cases for the live states. Default true.
    pub dump_states_on_halt: bool,
    /// Most of these tests, over all processes, not counting paths that have covered something new:
    /// these have one each. `None` is no bound. Default 10000.
    pub halt_tests: Option<u64>,
    /// A provably false `klee_assume` ends its path without a report. Default false.
    pub silent_assume: bool,
    /// Obey `klee_posix_prefer_cex` (printable arguments). Default false.
    pub readable_inputs: bool,
    /// Paths that the program wants merged become one. Default [`Merging::Off`].
    pub merging: Merging,
    /// Say where merges open and close. Default false.
    pub log_merges: bool,
    /// Test cases to follow first. Default none.
    pub seeds: Seeds,
    /// Pass on what every path writes, not only those without symbolic input. Default false.
    pub all_output: bool,
    /// Note the direction of every conditional branch on a path. Default false.
    pub trace_branches: bool,
    /// Give the path condition of every test case as KQuery; faults have it always. Default false.
    pub kqueries: bool,
    /// Give the path condition of every test case as SMT-LIB 2. Default false.
    pub smt2s: bool,
    /// Instructions that a selected state runs at most before the searcher is asked again.
    /// Default 10000.
    pub batch_instructions: u64,
    /// Environment of the program: `NAME=value`. Default [`plat_env::PROGRAM_ENVIRONMENT`].
    pub environment: Vec<Vec<u8>>,
    /// The program's clock when it starts. Default 1 January 2024.
    pub clock: plat_env::Clock,
    /// What the run is checked against. Default nothing.
    pub prediction: Option<Arc<Prediction>>,
    /// Note which allocation contexts symbolic pointers confuse. Default false.
    pub survey: bool,
    /// Processes that explore at once, see [`crate::workers`]. Default 1.
    pub workers: usize,
    /// How long a process explores before it divides. Default 50 ms, a hundred times what that
    /// costs.
    pub fork_interval: Duration,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            entry_point: "main".into(),
            memory_model: "forking".into(),
            allocator: plat_allocator::DEFAULT.into(),
            addresses: plat_allocator::Config::default(),
            searchers: Vec::new(),
            seed: 0,
            memory: plat_memory::ModelConfig::default(),
            external: None,
            solver: plat_solver::Config::default(),
            limits: Limits::default(),
            symbolic_size: SymbolicSize::Bounded,
            size_capacity: 1024,
            check_div_zero: true,
            check_overshift: true,
            check_uninitialised: false,
            check_leaks: false,
            all_output: false,
            emit_all_errors: false,
            exit_on_error: false,
            exit_on_error_types: Vec::new(),
            only_covering_new: false,
            dump_states_on_halt: true,
            halt_tests: Some(10_000),
            silent_assume: false,
            readable_inputs: false,
            merging: Merging::Off,
            log_merges: false,
            seeds: Seeds::default(),
            trace_branches: false,
            kqueries: false,
            smt2s: false,
            batch_instructions: 10_000,
            environment: plat_env::PROGRAM_ENVIRONMENT
                .iter()
                .map(|entry| entry.as_bytes().to_vec())
                .collect(),
            clock: plat_env::Clock::default(),
            prediction: None,
            survey: false,
            workers: 1,
            fork_interval: Duration::from_millis(50),
        }
    }
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
            tests: None,
            stack_frames: 1 << 20,
            stack: 8 << 20,
        }
    }
}

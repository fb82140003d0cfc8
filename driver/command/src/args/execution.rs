//! Options of `plat run` and `plat explore`, as typed. [`crate::plan`] says what they mean.

use super::allocation::AllocationArgs;
use super::checks::CheckArgs;
use super::external::ExternalArgs;
use super::files::FileArgs;
use super::linking::LinkingArgs;
use super::merging::MergingArgs;
use super::readable::ReadableArgs;
use super::seeds::SeedArgs;
use super::values;
use clap::{ArgAction, Args, ValueEnum};
use plat_engine::config::{Collect, Pin};
use plat_segments::Unify;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// How pointers are followed that can lead to several places.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Execution")]
pub struct PointerArgs {
    /// When objects of a group come into one segment, under the model `segmented` [default: demand]
    #[arg(long, value_name = "WHEN")]
    pub join: Option<JoinPolicy>,

    /// How the model `dynamic` tells allocation contexts apart, to ask the solver about contexts instead
    /// of objects: by the N calls above the allocating one, at most 32; off: it asks about every object
    #[arg(long, value_name = "N", default_value = "4", value_parser = values::context_depth)]
    pub context_depth: values::ContextDepth,

    /// Follow pointers at a line as said, under the model `auto`: merge (their objects come into one
    /// segment), fork (a path for each segment), split (a path for each piece of a large segment, too) or
    /// value (a path for each position). FILE may leave out folders (repeatable)
    #[arg(long, value_name = "FILE:LINE=CHOICE", value_parser = values::pin)]
    pub resolve: Vec<Pin>,

    /// Split objects of more than BYTES bytes into pieces: an access at a symbolic position in them is
    /// followed on a path for each piece that it can start in, which makes smaller queries and more paths
    #[arg(long, value_name = "BYTES")]
    pub split_threshold: Option<u64>,

    /// The size of the pieces of --split-threshold
    #[arg(long, value_name = "BYTES", default_value_t = 128,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub partition_size: u64,
}

/// How the program is executed.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Execution")]
pub struct ExecutionArgs {
    /// How a symbolic pointer becomes reads and writes of memory
    #[arg(long, value_name = "MODEL", long_help = super::lists::memory_models())]
    pub memory_model: Option<String>,

    /// Take the segments from FILE, made by `plat segment` or `plat ideal`, instead of those of the
    /// analysis, for the model `segmented`
    #[arg(long, value_name = "FILE")]
    pub segments: Option<PathBuf>,

    /// Live bytes a segment may hold before the next object opens an overflow segment
    #[arg(long, value_name = "BYTES", default_value_t = 10_000)]
    pub segment_threshold: u64,

    /// How pointers are followed.
    #[command(flatten)]
    pub pointers: PointerArgs,

    /// Which path runs next; several take turns [default: random-path,nurs:covnew,random-path,fresh]
    #[arg(long, value_name = "SEARCHER", value_delimiter = ',',
          long_help = super::lists::searchers())]
    pub search: Vec<String>,

    /// Stay with a path for this many instructions before asking the searcher again
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub batch_instructions: u64,

    /// What tests switch.
    #[command(flatten)]
    pub switches: TestSwitches,

    /// Explore in this many processes at once, at most 64. The set of tests is that of one process,
    /// in another order. Of several paths to one error, or to new code, another one may come first.
    /// Runs whose results depend on the order of paths use one process all the same: those with
    /// bounds on tests, forks or instructions, with seeds, --exit-on-error, --exit-on-error-type,
    /// --only-output-states-covering-new, --use-merge, --check-points-to, --log-queries,
    /// --write-exec-tree or --write-cov
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub workers: u8,

    /// How long a process explores before it hands paths to another one
    #[arg(long, value_name = "SPAN", default_value = "50ms", value_parser = values::span)]
    pub worker_interval: Duration,

    /// The solver behind the caches
    #[arg(long, alias = "solver-backend", value_name = "SOLVER", default_value = "bits",
          long_help = super::lists::solvers())]
    pub solver: String,

    /// Longest time for one solver query [default: 30s]
    #[arg(long, value_name = "SPAN", value_parser = values::span)]
    pub max_solver_time: Option<Duration>,

    /// Seed of all random choices: the same seed gives the same run
    #[arg(
        long,
        alias = "rng-initial-seed",
        value_name = "N",
        default_value_t = 1
    )]
    pub seed: u64,

    /// Set a variable of the program's environment (repeatable); HOME, LC_ALL and PATH are set
    #[arg(long, value_name = "NAME=VALUE", value_parser = environment_variable)]
    pub env: Vec<(String, String)>,

    /// Read the program's environment from FILE, one NAME=VALUE a line
    #[arg(long, value_name = "FILE")]
    pub env_file: Option<PathBuf>,

    /// What the program's clock shows when it starts: seconds since 1970, or now. The default is the
    /// same in every run: 1 January 2024
    #[arg(long, value_name = "SECONDS", value_parser = values::start_time)]
    pub start_time: Option<i64>,

    /// Prefer printable characters in symbolic arguments
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub readable_posix_inputs: bool,

    /// Check that pointers lead where the points-to analysis says, and end with exit code 3 if one
    /// does not: against PTS, made by `plat analyze` from the program that is run, or against an
    /// analysis made on the spot
    #[arg(long, num_args = 0..=1, require_equals = true, value_name = "PTS")]
    pub check_points_to: Option<Option<PathBuf>>,

    /// What counts as an error on request
    #[command(flatten)]
    pub checks: CheckArgs,

    /// Paths that become one or wait for each other
    #[command(flatten)]
    pub merging: MergingArgs,

    /// The function that the program starts in; it gets main's arguments. A fuzzer's harness
    /// (LLVMFuzzerTestOneInput) gets symbolic data instead; it is what starts if there is no main
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    pub entry_point: String,

    /// Division by zero is an error
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = true, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub check_div_zero: bool,

    /// Shifting by the width of a number or more is an error
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = true, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub check_overshift: bool,

    /// Where it runs, and which files of the host it sees.
    #[command(flatten)]
    pub readable: ReadableArgs,

    /// End a path silently when klee_assume cannot hold (otherwise it is an error of the harness)
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub silent_klee_assume: bool,
}

/// What the run is to reach.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Execution")]
pub struct TargetArgs {
    /// Reach this place of the program: FILE:LINE (FILE may leave out folders) or a function
    /// (repeatable). The run says when a path comes to it and which test does so. Without --search the
    /// searchers are directed and random-path; in one process
    #[arg(long, value_name = "PLACE")]
    pub target: Vec<String>,

    /// End the run when every --target has been reached
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub exit_on_target: bool,
}

/// What tests switch; no result depends on it.
#[derive(Args, Clone, Debug)]
pub struct TestSwitches {
    /// Take the general path for every instruction
    #[arg(long, hide = true)]
    pub no_fast_paths: bool,

    /// When to give back expressions that nothing holds
    #[arg(long, hide = true, value_name = "WHEN", default_value = "grown")]
    pub collect: CollectWhen,
}

/// When expressions are given back.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub enum CollectWhen {
    /// When there are many more than after the last time, or memory is scarce
    Grown,
    /// Between all batches
    Always,
    /// Never
    Never,
}

impl From<CollectWhen> for Collect {
    fn from(when: CollectWhen) -> Self {
        match when {
            CollectWhen::Grown => Collect::Grown,
            CollectWhen::Always => Collect::Always,
            CollectWhen::Never => Collect::Never,
        }
    }
}

/// When objects that may be confused come into one segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum JoinPolicy {
    /// When they are allocated, as in the segmented-memory paper
    Allocation,
    /// When a symbolic pointer can lead to several of them
    Demand,
}

/// When to stop.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Limits (0 or absent: none)")]
pub struct LimitArgs {
    /// End the run after this time: 90s, 1h10min, or seconds as 3.5. Writing the tests of paths that
    /// are cut off may take a twentieth of it more (1 to 30 s); the stages before the run may take
    /// as long again (at least 10 s)
    #[arg(long, value_name = "SPAN", visible_alias = "budget", value_parser = values::span)]
    pub max_time: Option<Duration>,

    /// End the run when it holds this much memory: 2000 (MiB), 512M, 4G. Above three quarters of it
    /// the deepest paths run first, so that they end and free memory [default: 2000]
    #[arg(long, value_name = "SIZE", value_parser = values::memory)]
    pub max_memory: Option<u64>,

    /// End the run after this many instructions over all paths
    #[arg(long, value_name = "N")]
    pub max_instructions: Option<u64>,

    /// End the run after this many forks
    #[arg(long, value_name = "N")]
    pub max_forks: Option<u64>,

    /// End a path after this many forks on it
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,

    /// The largest share of all forks that may be at one instruction; behind it every new fork there keeps
    /// one side [default: 1]
    #[arg(long, value_name = "SHARE", value_parser = values::share)]
    pub max_static_fork_pct: Option<f64>,

    /// The same for all forks of a function that the same calls have led to [default: 1]
    #[arg(long, value_name = "SHARE", value_parser = values::share)]
    pub max_static_cpfork_pct: Option<f64>,

    /// Forks before these shares count [default: 1000]
    #[arg(long, value_name = "N")]
    pub max_static_pct_check_delay: Option<u64>,

    /// End the run after this many tests
    #[arg(long, value_name = "N")]
    pub max_tests: Option<u64>,

    /// End a path whose call stack is deeper than this [default: 1048576; 8192 under KLEE's names]
    #[arg(long, value_name = "N")]
    pub max_stack_frames: Option<u32>,

    /// Size of the program's stack: more on it is an error of the program [default: 8 MiB]
    #[arg(long, value_name = "SIZE", value_parser = values::memory)]
    pub stack_size: Option<u64>,
}

/// What is symbolic. The same options, in KLEE's spelling, work after the program's name too.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Symbolic input")]
pub struct InputArgs {
    /// One more program argument of N symbolic bytes (repeatable)
    #[arg(long, value_name = "N")]
    pub sym_arg: Vec<u32>,

    /// Between MIN and MAX more program arguments of at most N symbolic bytes each
    #[arg(long, num_args = 3, value_names = ["MIN", "MAX", "N"])]
    pub sym_args: Vec<u32>,

    /// NUM symbolic files named A, B, ... of N bytes
    #[arg(long, num_args = 2, value_names = ["NUM", "N"])]
    pub sym_files: Vec<u32>,

    /// N symbolic bytes on standard input
    #[arg(long, value_name = "N")]
    pub sym_stdin: Option<u32>,

    /// One peer outside that connects, or is connected to, and sends N symbolic bytes (a datagram, for
    /// sockets of that kind)
    #[arg(long, value_name = "N", conflicts_with = "sym_sockets")]
    pub sym_socket: Option<u32>,

    /// NUM such peers, of N bytes each
    #[arg(long, num_args = 2, value_names = ["NUM", "N"])]
    pub sym_sockets: Vec<u32>,

    /// One peer outside that only answers: it waits until the program connects to it, also where all of
    /// --sym-sockets have connected because the program listens
    #[arg(long, value_name = "N", conflicts_with = "sym_servers")]
    pub sym_server: Option<u32>,

    /// NUM such peers, of N bytes each
    #[arg(long, num_args = 2, value_names = ["NUM", "N"])]
    pub sym_servers: Vec<u32>,

    /// What other programs do.
    #[command(flatten)]
    pub commands: CommandArgs,

    /// The random numbers of rand, random, rand_r and the integers of drand48's family are symbolic, each
    /// time anew
    #[arg(long)]
    pub sym_rand: bool,

    /// For a fuzzer's harness (LLVMFuzzerTestOneInput): its data have 0 to N symbolic bytes
    /// [default: 64, or the longest seed up to 4096]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1 << 20))]
    pub fuzz_max_len: Option<u32>,

    /// Standard input from FILE, in which every `?` byte is symbolic and all others are concrete
    #[arg(long, value_name = "FILE")]
    pub stdin_template: Option<PathBuf>,

    /// A file NAME for the program with FILE's contents, every `?` byte symbolic (repeatable)
    #[arg(long, value_name = "NAME=FILE", value_parser = values::name_and_file)]
    pub file_template: Vec<(String, PathBuf)>,

    /// The byte that marks a symbolic byte in templates [default: ?]
    #[arg(long, value_name = "BYTE", value_parser = values::byte)]
    pub template_byte: Option<u8>,

    /// Restrict the symbolic bytes of templates to a range, both ends included
    #[arg(long, value_name = "LOW..HIGH", value_parser = values::byte_range)]
    pub template_range: Option<(u8, u8)>,
}

/// What other programs do that the program starts.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Symbolic input")]
pub struct CommandArgs {
    /// What comes of other programs that the program starts (system, popen, exec): they do nothing and end
    /// with exit status N, or a symbolic one [default: system and popen fail]
    #[arg(long, value_name = "N|symbolic")]
    pub system_result: Option<String>,

    /// What these programs print, each: N symbolic bytes, or the bytes of FILE, of which those that are
    /// --template-byte are symbolic. They end with exit status 0, unless --system-result says otherwise
    /// [default: nothing]
    #[arg(long, value_name = "N|FILE")]
    pub command_output: Option<PathBuf>,
}

/// What is written.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Write to DIR, which must not exist [default: plat-out-N beside the program, and the link
    /// plat-last]
    #[arg(long, value_name = "DIR", visible_alias = "results")]
    pub output_dir: Option<PathBuf>,

    /// Explore the paths of a piece of work, which `plat trie divide` has made of an earlier run of the
    /// same program with the same options, and no others. Paths that are live at the end get no tests:
    /// `plat trie divide` makes work of them again
    #[arg(long, value_name = "FILE", requires = "output_dir")]
    pub work: Option<PathBuf>,

    /// What others have covered meanwhile, as `plat trie coverage` prints it: it is not new to this piece
    /// of work
    #[arg(long, value_name = "FILE", requires = "work")]
    pub covered: Option<PathBuf>,

    /// What the program is told its name is, as argv[0] [default: PROGRAM.bc as it is typed]
    #[arg(long = "program-name", value_name = "NAME")]
    pub told_name: Option<String>,

    /// Whether it is that of a run that is to go on.
    #[arg(skip)]
    pub goes_on: bool,

    /// Write tests only for paths that covered new code, and for errors
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub only_output_states_covering_new: bool,

    /// Write a test for every error and not only for the first at each place
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub emit_all_errors: bool,

    /// End the run at the first error, with exit code 1
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub exit_on_error: bool,

    /// End the run at the first error of a type: Assert, Ptr, Free, ..., or the suffix of its .err
    /// file (repeatable)
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    pub exit_on_error_type: Vec<String>,

    /// Use KLEE's names: the directory klee-out-N, the link klee-last, messages `KLEE: ...`; and its habits:
    /// symbolic status of symbolic files, standard output without a buffer, 8192 stack frames, KLEE's
    /// warnings (all of them: KLEE.md). This is the default when the command is started under the name
    /// `klee`
    #[arg(long)]
    pub klee_names: bool,

    /// Show what the program writes on all paths, and not only where it is without symbolic input
    /// [default: under KLEE's names]
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_missing_value = "true", value_name = "BOOL", value_parser = values::switch)]
    pub all_output: Option<bool>,

    /// Print the summary, the object of summary.json, on standard output
    #[arg(long)]
    pub json: bool,

    /// End with the program's exit code, if it ran on one path (128 + signal for a fault)
    #[arg(long)]
    pub exit_code: bool,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub queries: super::queries::QueryLogArgs,

    /// No progress and no messages on standard error
    #[arg(long, short)]
    pub quiet: bool,
}

/// How a program is run, whatever comes of it.
#[derive(Args, Clone, Debug)]
pub struct HowArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub execution: ExecutionArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub targets: TargetArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: LimitArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub allocation: AllocationArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub external: ExternalArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub input: InputArgs,
}

/// `plat run`.
#[derive(Args, Clone, Debug)]
pub struct RunArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub how: HowArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub output: OutputArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub files: FileArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub seeds: SeedArgs,

    /// Serve the page of `plat report` while the run goes on, to browsers on this machine alone, at PORT or
    /// at one that is free. The page takes newer figures by itself
    #[arg(long, num_args = 0..=1, require_equals = true, value_name = "PORT",
          default_missing_value = "0", help_heading = "Output")]
    pub serve: Option<u16>,

    /// Load the program once, and do one piece of work after the other, each in a process of its own. Each line
    /// of standard input has the further options of one: --work FILE --results DIR --budget SPAN. A line
    /// `end` ends the one that runs as Ctrl-C does, the end of standard input at once. A line that begins with
    /// `trie` is that command of plat, as `trie divide DIR -o DIR`; what it prints is lost. Prints `ended CODE`
    /// when a line is done. Needs --output-source=false
    #[arg(long, conflicts_with_all = ["output_dir", "work", "serve"], help_heading = "Output")]
    pub pieces_from_stdin: bool,

    /// The program: bitcode, usually from `plat transform`
    #[arg(value_name = "PROGRAM.bc")]
    pub program: PathBuf,

    /// The program's arguments; --sym-arg N and its relatives may stand among them
    #[arg(
        value_name = "PROGRAM ARGS",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    pub program_args: Vec<OsString>,
}

/// `plat explore`: everything that `run` takes, and what the stages before it need.
#[derive(Args, Clone, Debug)]
pub struct ExploreArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub linking: LinkingArgs,

    /// Keep what the stages make in the run directory: linked.bc, linked.pts, segments.json,
    /// transformed.bc
    #[arg(long)]
    pub save_temps: bool,

    /// Segments unite what a pointer may reach: of all pointers (all), of those that are
    /// dereferenced, or of those that symbolic input can choose (symbolic), for the model `segmented`
    /// [default: symbolic]
    #[arg(long, value_name = "WHICH", value_parser = values::unify)]
    pub unify: Option<Unify>,

    /// Say before the run which functions of the program are used otherwise than to call them
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch, help_heading = "Linking")]
    pub debug_print_escaping_functions: bool,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub budget: BudgetArgs,

    #[command(flatten)]
    #[allow(missing_docs)]
    pub run: RunArgs,
}

/// How much the points-to analysis may do.
#[derive(Args, Clone, Debug)]
pub struct BudgetArgs {
    /// How much work the points-to analysis may do, in millions of operations. Beyond it the analysis
    /// drops contexts, then fields, then all precision, and says so. 0 is no bound
    #[arg(long, value_name = "N", default_value_t = plat_pointers::config::DEFAULT_BUDGET)]
    pub analysis_budget: u64,
}

impl BudgetArgs {
    /// The budget when the run is to end after `time`: the stages before it should leave it most
    /// of that.
    pub fn within(&self, time: Option<Duration>) -> u64 {
        let most = time
            .filter(|time| !time.is_zero())
            .map_or(u64::MAX, |time| {
                (time.as_secs().saturating_mul(MILLIONS_PER_SECOND) / 3).max(1)
            });
        match self.analysis_budget {
            0 => 0,
            budget => budget.min(most),
        }
    }
}

/// About how many millions of operations the analysis makes in a second.
const MILLIONS_PER_SECOND: u64 = 60;

/// Where the C library is.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "C library")]
pub struct LibcArgs {
    /// Directory of the C library in bitcode [default: $PLAT_LIBC, else where `make libc` or `make
    /// install` puts it, else the newest libc-* in the cache]
    #[arg(long, value_name = "DIR")]
    pub libc_dir: Option<PathBuf>,
}

fn environment_variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_string(), value.to_string())),
        _ => Err(format!("`{text}` is not of the form NAME=VALUE")),
    }
}

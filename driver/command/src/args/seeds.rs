//! Options of seeds, as typed.

use super::values;
use clap::{ArgAction, Args};
use std::path::PathBuf;

/// Which test cases a run follows first.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Seeds")]
pub struct SeedArgs {
    /// Follow the path of this test case before anything else (repeatable). A file that is no test
    /// case is an input as fuzzers have it: the bytes of the harness's data, of standard input, or of
    /// the first symbolic file, whichever is symbolic; everything else is zero
    #[arg(long, value_name = "FILE")]
    pub seed_file: Vec<PathBuf>,

    /// Follow the paths of the test cases in this directory (repeatable); if it has none, of the
    /// files in and below it, or of the queues in an output directory of AFL++
    #[arg(long, value_name = "DIR")]
    pub seed_dir: Vec<PathBuf>,

    /// Work beside AFL++, which writes to DIR (afl-fuzz -o DIR): follow the inputs that its nodes
    /// find, and publish tests that cover new code in a node of plat's own. A main node (-M) takes
    /// them up
    #[arg(long, value_name = "DIR")]
    pub fuzzer_corpus: Option<PathBuf>,

    /// With --fuzzer-corpus: how often the fuzzer's queues are looked at, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    pub sync: u64,

    /// With --fuzzer-corpus: the name of plat's node
    #[arg(long, value_name = "NAME", default_value = "plat")]
    pub fuzzer_node: String,

    /// End the run when all seeds have been followed
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub only_seed: bool,

    /// Give up every path that no seed takes
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub only_replay_seeds: bool,

    /// Objects of the program may be longer than a seed's: the rest starts as zero
    #[arg(long, alias = "zero-seed-extension", num_args = 0..=1, require_equals = true,
          action = ArgAction::Set, default_value_t = false, default_missing_value = "true",
          value_name = "BOOL", value_parser = values::switch)]
    pub allow_seed_extension: bool,

    /// Objects of the program may be shorter than a seed's
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub allow_seed_truncation: bool,

    /// Match objects by their names and not by their order
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub named_seed_matching: bool,

    /// Execute the path of this test case, and nothing else (repeatable)
    #[arg(long, value_name = "FILE.ktest")]
    pub replay_ktest_file: Vec<PathBuf>,

    /// Execute the paths of the test cases in this directory, and nothing else (repeatable)
    #[arg(long, value_name = "DIR")]
    pub replay_ktest_dir: Vec<PathBuf>,

    /// Take the directions of conditional branches that a file of --write-paths has
    #[arg(long, value_name = "FILE.path", conflicts_with_all = ["replay_ktest_file", "replay_ktest_dir"])]
    pub replay_path: Option<PathBuf>,
}

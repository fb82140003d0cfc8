//! Options of seeds, as typed.

use super::values;
use clap::{ArgAction, Args};
use std::path::PathBuf;

/// Which test cases a run follows first.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Seeds")]
pub struct SeedArgs {
    /// Follow the path of this test case before anything else (repeatable)
    #[arg(long, value_name = "FILE.ktest")]
    pub seed_file: Vec<PathBuf>,

    /// Follow the paths of the test cases in this directory (repeatable)
    #[arg(long, value_name = "DIR")]
    pub seed_dir: Vec<PathBuf>,

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
}

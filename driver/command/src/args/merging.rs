//! Options for paths that differ in little.

use super::values;
use clap::{ArgAction, Args};

/// Which paths become one, and which wait for others.
#[derive(Args, Clone, Debug)]
pub struct MergingArgs {
    /// With the searcher covnew-path: of paths that are in the same state where the sides of a fork meet, but
    /// for their conditions, one goes on and the others wait until nothing else is left
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub subsume_paths: bool,

    /// Values of a switch that lead to the same place are paths of their own, each as if it were compared
    /// with; otherwise one path has all of them
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub split_switch_cases: bool,

    /// Paths between klee_open_merge and klee_close_merge wait for each other and go on as one where
    /// they differ in values only
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub use_merge: bool,

    /// With --use-merge: paths that are much slower than the others are not waited for
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub use_incomplete_merge: bool,

    /// With --use-merge: say where merges open and close
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub debug_log_merge: bool,
}

//! Options about what counts as an error on request, as typed. [`crate::plan`] says what they mean.

use super::values;
use clap::{ArgAction, Args};

/// Errors that are looked for on request.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Execution")]
pub struct CheckArgs {
    /// A decision that depends on memory that was never written is an error
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub check_uninitialised: bool,

    /// Memory that nothing refers to at the end of a path is an error
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub check_leaks: bool,

    /// A path that comes back to a state that it was in, without having read anything in between, is
    /// an error: it does the same again for ever. Waiting for input and reading the time are no such
    /// loops, writing output without end is one. Loops that recur after many instructions are found
    /// after some hundred times as many
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub detect_infinite_loops: bool,
}

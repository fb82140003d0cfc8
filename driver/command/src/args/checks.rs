//! Options about what counts as an error, as typed. [`crate::plan`] says what they mean.

use super::values;
use clap::{ArgAction, Args};

/// What counts as an error, beside what always does.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Execution")]
pub struct CheckArgs {
    /// Releasing memory by other functions than those that go with its allocation (delete of what new[]
    /// or malloc has returned) is an error. Without this, it is released
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = true, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub check_mismatched_release: bool,

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

    /// A descriptor that the program has opened and that is open at the end of a path is an error
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub check_descriptors: bool,

    /// An allocation of more than this is an error: 16 (MiB), 64K, 1G. Of an allocation of symbolic size,
    /// the inputs that make it larger
    #[arg(long, value_name = "SIZE", value_parser = values::memory)]
    pub max_allocation: Option<u64>,

    /// A path that comes back to a state that it was in, without having read anything in between, is
    /// an error: it does the same again for ever. Waiting for input and reading the time are no such
    /// loops, writing output without end is one. Loops that recur after many instructions are found
    /// after some hundred times as many; a loop in which something counts, when 33 million instructions
    /// have passed and nothing leads out of it
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub detect_infinite_loops: bool,

    /// Two accesses of the same bytes by different threads, one of them a write, that no mutex, no
    /// atomic operation and nothing else orders, are an error. What is looked at is each path's own
    /// schedule; --preemptions makes others
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub detect_data_races: bool,

    /// How often a path may depart from the schedule of its threads. One thread runs until it waits,
    /// yields or ends, and then the next one in a ring. With N a path also splits where a thread is about
    /// to synchronise (mutexes, conditions, semaphores, atomic and volatile accesses) or leaves: one path
    /// for each other thread that could run there, at most N times. Many errors need one or two
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub preemptions: u32,
}

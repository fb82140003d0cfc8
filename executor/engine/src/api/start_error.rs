//! Why a run cannot start.

use crate::hook::BindError;
use std::fmt;

/// Why a run cannot start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StartError {
    /// The program has no function of this name with a body.
    NoEntry(String),
    /// The solver chain cannot be made.
    Solver(String),
    /// The program cannot start in its directory: the directory and why.
    Directory(String),
    /// The input cannot be made.
    Input(plat_env::InputError),
    /// No allocator can work with the regions that were asked for.
    Addresses(plat_allocator::ConfigError),
    /// The addresses for globals are exhausted.
    Globals,
    /// The conditions on the input contradict each other.
    Constraints,
    /// A hook or a native function does not fit the program.
    Hook(BindError),
    /// No external calls can be made.
    External(plat_external::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::NoEntry(name) => write!(out, "the program has no function {name}"),
            StartError::Solver(why) | StartError::Directory(why) => write!(out, "{why}"),
            StartError::Input(error) => write!(out, "{error}"),
            StartError::Addresses(why) => write!(out, "{why}"),
            StartError::Globals => write!(
                out,
                "the program's globals do not fit in memory: give them more addresses, for example \
                 --region globals=512G"
            ),
            StartError::Constraints => write!(out, "no input satisfies its own conditions"),
            StartError::Hook(why) => write!(out, "{why}"),
            StartError::External(why) => write!(out, "--external-calls: {why}"),
        }
    }
}

impl std::error::Error for StartError {}

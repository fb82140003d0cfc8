//! Why a run cannot start.

use crate::hook::BindError;
use std::fmt;
use std::path::PathBuf;

/// Why a run cannot start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StartError {
    /// The program has no function of this name with a body.
    NoEntry(String),
    /// The solver chain cannot be made.
    Solver(String),
    /// The program cannot start in its directory: the directory and why.
    Directory(String),
    /// A file that the program is allowed to read is not there: which and why.
    AllowedFile(PathBuf, String),
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
    /// No instruction at this place in the source accesses memory: the place of a pin.
    Pin(String),
    /// The program has no such place to be reached.
    Target(String),
    /// No external calls can be made.
    External(plat_external::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::NoEntry(name) => write!(out, "the program has no function {name}"),
            StartError::Solver(why) | StartError::Directory(why) | StartError::Target(why) => {
                write!(out, "{why}")
            }
            StartError::AllowedFile(path, why) => {
                write!(out, "--allow-file: {}: {why}", path.display())
            }
            StartError::Input(error) => write!(out, "{error}"),
            StartError::Addresses(why) => write!(out, "{why}"),
            StartError::Globals => write!(
                out,
                "the program's globals do not fit in memory: give them more addresses, for example \
                 --region globals=512G"
            ),
            StartError::Constraints => write!(out, "no input satisfies its own conditions"),
            StartError::Hook(why) => write!(out, "{why}"),
            StartError::Pin(place) => write!(
                out,
                "--resolve {place}: no access to memory has this place in the source: give FILE:LINE as \
                 forks_by_resolution or resolution.choices of summary.json have it"
            ),
            StartError::External(why) => write!(out, "--external-calls: {why}"),
        }
    }
}

impl std::error::Error for StartError {}

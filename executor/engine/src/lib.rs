//! The engine: states, instruction stepping, forking, calls, library functions, the run loop.
//!
//! [`run`] explores a [`Program`] under a [`Config`] from the inputs of an [`InputSpec`], and tells
//! an [`Observer`] of every path that ends. A [`State`] is one path; a step changes one state, and
//! where several continuations are possible it says so as data ([`Stop`](state::stop::Stop)) or
//! through the one place that forks ([`fork`]). Memory accesses go through one place too
//! ([`memory::access`]). What the program calls by name and the executor carries out itself is in
//! [`library`], in tables.
//!
//! Paths end in one of five ways that are never mixed up ([`PathEnd`]): by the program itself,
//! normally or in a fault; by something that plat does not support; by an error of plat itself; by
//! a limit; or unreported, because the program asked for it.

#![deny(unsafe_code)]

#[macro_use]
mod panic_points;

mod api;
mod checks;
mod code;
mod executor;
mod fork;
pub mod hook;
pub mod library;
mod memory;
mod processes;
mod report;
mod run;
pub mod search;
mod state;
mod step;
mod threads;
mod trie;
mod values;
mod workers;

#[cfg(test)]
mod tests;

pub use api::config::{self, Config, External, Limits, Merging, SymbolicSize};
pub use api::id::StateId;
pub use api::observe::{self, Fork, Observer, Progress, Silent};
pub use api::outcome::{
    self, Fault, FaultKind, IN_CHILD, InputObject, Limit, PathEnd, SourceLine, StackLine,
    TestRecord,
};
pub use api::seeds;
pub use api::sharing::{self, Confusions, Resolutions};
pub use api::start_error::StartError;
pub use api::summary::{self, Counts, ForkKind, ResolutionForks, StopReason, Summary};
pub use api::target::{Reached, Target};
pub use checks::prediction::{self, Checked, Prediction, Violation};
pub use executor::resident::give_memory_back_by;
pub use hook::native;
pub use hook::{BindError, Extensions, Hook};
pub use plat_solver::Answers;
pub use report::deduplication;
pub use run::{Covered, Run, check_targets, keeps_no_trie};
pub use trie::{Branching, Decision, Leaf, Left, Next, NodeId, Plan, PlanNode, Side};
pub use workers::needs_one_process;

use plat_env::InputSpec;
use plat_program::{Function, Program};
use std::sync::atomic::AtomicBool;

/// Whether a function belongs to a library: the C library and the runtime, and the standard libraries
/// of C++ and Rust.
pub fn is_library(program: &Program, function: &Function) -> bool {
    code::libraries::owns(program, function)
}

/// Explores a program. Setting `interrupt` ends the run as a limit does.
///
/// # Errors
/// When the run cannot start: a name in the configuration is unknown, the program has no entry
/// point, or the input cannot be made.
pub fn run(
    program: &Program,
    config: &Config,
    inputs: &InputSpec,
    observer: &mut dyn Observer,
    interrupt: &'static AtomicBool,
) -> Result<Summary, StartError> {
    Run::new(program, config, observer, interrupt)?.explore(inputs)
}

/// Explores a program with hooks and native functions.
///
/// # Errors
/// As [`run`]; and when a hook or a native function does not fit the program.
pub fn run_with<'a>(
    program: &'a Program,
    config: &'a Config,
    inputs: &InputSpec,
    observer: &'a mut dyn Observer,
    extensions: Extensions<'a>,
    interrupt: &'static AtomicBool,
) -> Result<Summary, StartError> {
    let mut run = Run::new(program, config, observer, interrupt)?;
    run.extend(extensions)?;
    run.explore(inputs)
}

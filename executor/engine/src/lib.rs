//! The engine: states, instruction stepping, forking, calls, library functions, the run loop.
//!
//! [`run`] explores a [`Program`] under a [`Config`] from the inputs of an [`InputSpec`], and tells
//! an [`Observer`] of every path that ends. A [`State`] is one path; a step changes one state, and
//! where several continuations are possible it says so as data ([`stop::Stop`]) or through the one
//! place that forks ([`fork`]). Memory accesses go through one place too ([`access`]). What the
//! program calls by name and the executor carries out itself is in [`library`], in tables.
//!
//! Paths end in one of four ways that are never mixed up ([`PathEnd`]): by the program itself,
//! normally or in a fault; by something that plat lacks; by a limit; or unreported, because the
//! program asked for it.

pub mod access;
mod blame;
mod bytes;
mod calls;
pub mod code;
pub mod config;
pub mod contexts;
mod decoded;
pub mod distance;
pub mod engine;
pub mod entry;
pub mod executed;
mod expect;
mod external;
pub mod float_environment;
pub mod fork;
pub mod frame;
mod grace;
mod guarded;
mod lacks;
mod leaks;
mod lent;
mod libraries;
pub mod library;
mod liveness;
mod merge;
pub mod observe;
mod ops;
pub mod outcome;
mod panicking;
mod parked;
mod plans;
pub mod prediction;
pub mod reached;
pub mod reason;
pub mod report;
pub mod reported;
pub mod runs;
mod scarcity;
mod schedule;
pub mod search;
pub mod seeds;
mod sizes;
pub mod state;
pub mod step;
pub mod stop;
pub mod summary;
mod survey;
pub mod system;
pub mod types;
pub mod uninitialised;
pub mod values;
pub mod workers;

pub use config::{Config, External, Limits, Merging, SymbolicSize};
pub use engine::Engine;
pub use entry::StartError;
pub use observe::{Fork, Observer, Progress, Silent};
pub use outcome::{
    Fault, FaultKind, InputObject, Limit, PathEnd, SourceLine, StackLine, TestRecord,
};
pub use prediction::{Checked, Prediction, Violation};
pub use reason::{ForkReason, ResolutionForks};
pub use state::{State, StateId};
pub use summary::{Counts, ForkKind, StopReason, Summary};

use distance::Distances;
use plat_env::InputSpec;
use plat_program::Program;
use std::sync::atomic::AtomicBool;

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
    let mut engine = Engine::new(program, config, observer, interrupt)?;
    let (searcher, needs_distance) = search::build(&config.searchers, config.seed)
        .map_err(|unknown| StartError::Unknown("searcher", unknown.0))?;
    let initial = engine.initial_states(inputs)?;
    if let Some(state) = initial.first() {
        engine.start_external(state)?;
    }
    if needs_distance {
        engine.distances = Some(Distances::new(program, &engine.executed));
    }
    let searcher = match config.seeds.all.is_empty() {
        true => searcher,
        false => Box::new(search::Seeding::new(searcher)),
    };
    let reason = engine.explore(initial, searcher);
    Ok(engine.into_summary(reason))
}

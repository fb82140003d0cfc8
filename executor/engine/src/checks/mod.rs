//! plat's own checks and statistics of a run. Each is a hook: it is registered if the configuration
//! asks for it, and owns what it knows. Where nobody asks, nothing of it runs.

mod allocations;
mod confusion;
mod descriptors;
mod fork_reasons;
mod leaks;
mod loops;
mod points_to;
pub mod prediction;
mod races;
mod sharing;
mod uninitialised;
mod versions;

use crate::api::config::Config;
use crate::hook::Hook;
use plat_program::Program;

/// Makes a hook, if the configuration asks for it.
type Make = for<'a> fn(&'a Program, &'a Config) -> Option<Box<dyn Hook + 'a>>;

/// All of them, in the order in which they are asked.
const ALL: &[Make] = &[
    uninitialised::make,
    confusion::make,
    points_to::make,
    fork_reasons::make,
    sharing::make,
    leaks::make,
    descriptors::make,
    allocations::make,
    loops::make,
    races::make,
    versions::make,
];

/// The hooks that a configuration asks for.
pub(crate) fn asked_for<'a>(program: &'a Program, config: &'a Config) -> Vec<Box<dyn Hook + 'a>> {
    ALL.iter()
        .filter_map(|make| make(program, config))
        .collect()
}

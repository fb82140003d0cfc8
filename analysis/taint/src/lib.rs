//! Which pointers can be symbolic, and among which objects can one of them choose?
//!
//! Only a pointer that symbolic input chooses makes the executor resolve among several objects;
//! only the objects that one *choice* can be between need to share a segment. So this analysis
//! finds the choices: loads through a symbolic address, selections by a symbolic condition, stores
//! through a symbolic address (what was there before, or what is stored). It runs on the
//! constraints of `plat-pointers` and their solution, with the same contexts.
//!
//! The executor never merges paths: a branch on symbolic data forks, and afterwards the data that
//! decided it is concrete enough. So taint is pure data flow. Control taints nothing, and a phi is
//! tainted by its operands only.
//!
//! Three taints are told apart ([`Taint`]): data that derives from input; an address in a known
//! object at a symbolic offset, which the executor resolves to that object alone; and an address
//! of one of several objects. A choice stays one choice wherever the address is copied: objects
//! are united where a choice is made, and only if what was chosen can be dereferenced later.
//!
//! What is outside: an address put together from input bytes or numbers alone, and one that is
//! copied byte by byte by a loop through a symbolic address. There the executor forks for each
//! segment, as it does wherever this analysis is wrong: an error costs forks, never paths.

mod build;
mod choices;
mod graph;
mod taint;

pub use choices::{Choices, choices};
pub use taint::Taint;

use plat_pointers::analyze::Analysis;
use plat_pointers::analyze::Defect;
use plat_pointers::constraints::Constraint;
use plat_pointers::{Config, PointsTo, Precision};
use plat_program::Program;

/// Points-to analysis and this one: a result in which [`PointsTo::symbolic`] is known.
///
/// # Errors
/// Only if a solver of the points-to analysis is found to be wrong.
pub fn analyze_checked(program: &Program, config: &Config) -> Result<PointsTo, Defect> {
    let mut analysis = plat_pointers::analyze::run(program, config)?;
    if config.budget > 0 && config.clone_depth > 0 && copied(&analysis) > MOST_COPIED {
        // What blocks are copied between would be too much for this analysis.
        let config = Config {
            clone_depth: 0,
            ..config.clone()
        };
        analysis = plat_pointers::analyze::run(program, &config)?;
        let statistics = &mut analysis.result.statistics;
        statistics.precision = statistics.precision.max(Precision::NoContexts);
    }
    choices(program, &analysis.extraction, &analysis.solved).enter(
        &analysis.extraction,
        &analysis.solved,
        &mut analysis.result,
    );
    Ok(analysis.result)
}

/// Locations of the pointers that blocks are copied through, beyond which contexts are given up.
const MOST_COPIED: usize = 2_000_000;

/// The locations of all pointers that blocks are copied through, one by one.
fn copied(analysis: &Analysis) -> usize {
    let constraints = analysis.extraction.system.constraints.iter();
    let pointers = constraints.filter_map(|constraint| match *constraint {
        Constraint::Gather { pointer, .. } | Constraint::Scatter { pointer, .. } => Some(pointer),
        _ => None,
    });
    let sizes = pointers.map(|pointer| analysis.solved.set(pointer).len());
    sizes.sum()
}

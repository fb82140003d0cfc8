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

#[cfg(test)]
mod naive_tests;

pub use choices::{Choices, choices};
pub use taint::Taint;

use plat_pointers::analyze::{Analysis, Defect};
use plat_pointers::stages::Clock;
use plat_pointers::wave::Limits;
use plat_pointers::{Config, PointsTo, Precision};
use plat_program::Program;

/// What an edge of the flow graph counts against the budget of the analysis: it is kept, and taken
/// up to four times.
const EDGE: u64 = 32;

/// Points-to analysis and this one: a result in which [`PointsTo::symbolic`] is known. Where that
/// exceeds the budget, contexts are given up for it; where it still does, every dereferenced
/// pointer counts as one that input can choose.
///
/// # Errors
/// Only if a solver of the points-to analysis is found to be wrong.
pub fn analyze_checked(program: &Program, config: &Config) -> Result<PointsTo, Defect> {
    let limits = Limits {
        work: match config.budget {
            0 => u64::MAX,
            millions => millions.saturating_mul(1_000_000) / EDGE,
        },
        ..Limits::NONE
    };
    analyze_within(program, config, &limits)
}

/// The same with flow graphs within these limits; work is edges.
///
/// # Errors
/// Those of [`analyze_checked`].
pub fn analyze_within(
    program: &Program,
    config: &Config,
    limits: &Limits,
) -> Result<PointsTo, Defect> {
    let mut analysis = plat_pointers::analyze::run(program, config)?;
    let precision = analysis.result.statistics.precision;
    if enter_choices(program, &mut analysis, limits)
        || config.clone_depth == 0
        || precision > Precision::Full
    {
        return Ok(analysis.result);
    }
    let without = Config {
        clone_depth: 0,
        ..config.clone()
    };
    let mut coarser = plat_pointers::analyze::run(program, &without)?;
    let statistics = &mut coarser.result.statistics;
    statistics.precision = statistics.precision.max(Precision::NoContexts);
    match enter_choices(program, &mut coarser, limits) {
        true => Ok(coarser.result),
        false => Ok(analysis.result),
    }
}

/// Enters the choices into the result; false if finding them is too much work.
fn enter_choices(program: &Program, analysis: &mut Analysis, limits: &Limits) -> bool {
    let (extraction, solved) = (&analysis.extraction, &analysis.solved);
    let mut clock = Clock::start();
    let choices = choices(program, extraction, solved, limits);
    if let Some(choices) = &choices {
        choices.enter(extraction, solved, &mut analysis.result);
    }
    clock.ended("choices");
    analysis.result.statistics.stages.extend(clock.stages);
    choices.is_some()
}

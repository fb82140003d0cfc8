//! Taint analysis: which pointers can be symbolic, and among which objects can they choose?
//!
//! The executor resolves a pointer among several objects only if symbolic input chooses it, so only
//! the objects of one *choice* need to share a segment. This analysis finds the choices: loads
//! through a symbolic address, selects by a symbolic condition, and stores through a symbolic
//! address (memory then holds the old or the new value). It runs on the constraints of
//! `plat-pointers` and their solution, with the same contexts.
//!
//! A branch on symbolic data forks, and afterwards the data that decided it is concrete enough. So
//! taint is pure data flow: there is no implicit flow through control, and a phi is tainted by its
//! operands only. With `--use-merge` a merged path can have a pointer to one of several objects that
//! no choice has united: an access through it forks by segment.
//!
//! There are three taints ([`Taint`]): data that derives from input; an address at a symbolic
//! offset in a known object, which resolves to that object alone; and an address of one of several
//! objects. Copying an address makes no new choice: objects are united where a choice is made, and
//! only if the chosen address can be dereferenced later.
//!
//! Not covered: addresses computed from input bytes or numbers alone, and addresses that a loop
//! copies byte by byte through a symbolic address. For these the executor forks for each segment.
//! An error of this analysis always costs forks, never paths.

#![forbid(unsafe_code)]

mod build;
mod choices;
mod graph;
mod taint;

#[cfg(test)]
mod naive_tests;

pub use choices::{Choices, choices};
pub use taint::Taint;

use plat_pointers::analyze::{Analysis, Clock, Defect};
use plat_pointers::solver::Limits;
use plat_pointers::{PointsTo, PointsToConfig, Precision};
use plat_program::Program;

/// The cost of an edge of the flow graph in the budget of the analysis: it is stored, and traversed
/// up to four times.
const EDGE: u64 = 32;

/// Points-to analysis followed by taint analysis; [`PointsTo::symbolic`] of the result is known. If
/// it exceeds the budget, it is repeated without contexts; if it still does, every dereferenced
/// pointer counts as one that input can choose.
///
/// # Errors
/// If a solver of the points-to analysis is found to be wrong.
pub fn analyze_checked(program: &Program, config: &PointsToConfig) -> Result<PointsTo, Defect> {
    let limits = Limits {
        work: match config.budget {
            0 => u64::MAX,
            millions => millions.saturating_mul(1_000_000) / EDGE,
        },
        ..Limits::NONE
    };
    analyze_within(program, config, &limits)
}

/// As [`analyze_checked`], with these limits on the flow graph; work counts edges.
///
/// # Errors
/// Those of [`analyze_checked`].
pub fn analyze_within(
    program: &Program,
    config: &PointsToConfig,
    limits: &Limits,
) -> Result<PointsTo, Defect> {
    let mut analysis = plat_pointers::analyze::run(program, config)?;
    let precision = analysis.result.statistics.precision;
    // Choices among all objects are no choices.
    if precision == Precision::NoDistinction {
        return Ok(analysis.result);
    }
    if enter_choices(program, &mut analysis, limits)
        || config.clone_depth == 0
        || precision > Precision::Full
    {
        return Ok(analysis.result);
    }
    let without = PointsToConfig {
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

/// Adds the choices to the result; false if the limits are exceeded.
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

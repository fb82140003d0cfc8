//! The stage: a program in, a result out.

use crate::check::{Violation, check};
use crate::clones::{Clones, choose};
use crate::config::{Algorithm, Config};
use crate::extract::{Extraction, extract};
use crate::points_to::{PointsTo, report};
use crate::solved::Solved;
use crate::{naive, wave};
use plat_program::Program;
use std::time::Instant;

/// Analyses a whole program.
///
/// # Errors
/// Only with [`Config::check`]: if the solution is not closed under a rule, which is a defect of
/// the solver.
pub fn analyze_checked(program: &Program, config: &Config) -> Result<PointsTo, Violation> {
    let start = Instant::now();
    let (clones, extraction) = constraints(program, config);
    let extracted = start.elapsed();
    let solved = solve(&extraction, config.algorithm);
    let done = start.elapsed();
    if config.check {
        check(&extraction.system, &solved.plain())?;
    }
    let reporting = Instant::now();
    let mut result = report(program, config, &clones, &extraction, &solved);
    let spans = [extracted, done - extracted, reporting.elapsed()];
    result.statistics.micros = spans.map(|span| span.as_micros() as u64);
    Ok(result)
}

/// Analyses a whole program.
///
/// # Panics
/// With [`Config::check`], if the solver is defective.
pub fn analyze(program: &Program, config: &Config) -> PointsTo {
    analyze_checked(program, config).unwrap_or_else(|violation| panic!("{violation}"))
}

/// The functions to clone and the constraints of a program.
pub fn constraints(program: &Program, config: &Config) -> (Clones, Extraction) {
    let clones = choose(program, config);
    let extraction = extract(program, &clones, config);
    (clones, extraction)
}

/// Solves the constraints of a program.
pub fn solve(extraction: &Extraction, algorithm: Algorithm) -> Solved {
    match algorithm {
        Algorithm::Wave => wave::solve(&extraction.system),
        Algorithm::Naive => {
            Solved::from_plain(&extraction.system, &naive::solve(&extraction.system))
        }
    }
}

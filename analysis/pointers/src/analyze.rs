//! The stage: a program in, a result out.

use crate::check::{Violation, check};
use crate::clones::{Clones, choose};
use crate::compare::Difference;
use crate::config::{Algorithm, Config};
use crate::extract::{Extraction, extract};
use crate::points_to::{PointsTo, report};
use crate::solution::Solution;
use crate::solved::Solved;
use crate::targets::Targets;
use crate::{compare, datalog, naive, wave};
use plat_program::Program;
use std::fmt;
use std::time::Instant;

/// A wrong solution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Defect {
    /// The checker refuses it.
    Open(Violation),
    /// Two solvers disagree.
    Differs(Difference),
}

impl fmt::Display for Defect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Defect::Open(violation) => violation.fmt(out),
            Defect::Differs(difference) => difference.fmt(out),
        }
    }
}

impl std::error::Error for Defect {}

impl From<Violation> for Defect {
    fn from(violation: Violation) -> Self {
        Defect::Open(violation)
    }
}

/// Analyses a whole program.
///
/// # Errors
/// Only with [`Config::check`] or [`Algorithm::Compare`]: if the solution is not closed under a
/// rule, or the solvers disagree, which is a defect of a solver.
pub fn analyze_checked(program: &Program, config: &Config) -> Result<PointsTo, Defect> {
    run(program, config).map(|analysis| analysis.result)
}

/// A result and what it was made from.
pub struct Analysis {
    /// The constraints.
    pub extraction: Extraction,
    /// Their solution.
    pub solved: Solved,
    /// What it says of the program.
    pub result: PointsTo,
}

/// Analyses a whole program.
///
/// # Errors
/// Those of [`analyze_checked`].
pub fn run(program: &Program, config: &Config) -> Result<Analysis, Defect> {
    let start = Instant::now();
    let (clones, extraction) = constraints(program, config);
    let extracted = start.elapsed();
    let solved = solve(&extraction, config.algorithm)?;
    let done = start.elapsed();
    if config.check {
        check(&extraction.system, &solved.plain())?;
    }
    let reporting = Instant::now();
    let mut result = report(program, config, &clones, &extraction, &solved);
    let spans = [extracted, done - extracted, reporting.elapsed()];
    result.statistics.micros = spans.map(|span| span.as_micros() as u64);
    Ok(Analysis {
        extraction,
        solved,
        result,
    })
}

/// Analyses a whole program.
///
/// # Panics
/// With [`Config::check`] or [`Algorithm::Compare`], if a solver is defective.
pub fn analyze(program: &Program, config: &Config) -> PointsTo {
    analyze_checked(program, config).unwrap_or_else(|defect| panic!("{defect}"))
}

/// The functions to clone and the constraints of a program, after the rounds that find out what
/// calls through pointers call ([`crate::targets`]).
pub fn constraints(program: &Program, config: &Config) -> (Clones, Extraction) {
    let mut targets = Targets::default();
    let mut rounds = config.rounds.max(1);
    loop {
        let clones = choose(program, config, &targets);
        let extraction = extract(program, &clones, &targets, config);
        rounds -= 1;
        if rounds == 0 || extraction.system.calls.is_empty() {
            return (clones, extraction);
        }
        let solved = wave::solve(&extraction.system);
        let found = targets.found(&extraction, &solved, config.known_targets);
        if found == targets {
            return (clones, extraction);
        }
        targets = found;
    }
}

/// Solves the constraints of a program.
///
/// # Errors
/// Only [`Algorithm::Compare`] has any: when two solvers disagree.
pub fn solve(extraction: &Extraction, algorithm: Algorithm) -> Result<Solved, Defect> {
    let system = &extraction.system;
    let shared = |solution: Solution| Solved::from_plain(system, &solution);
    match algorithm {
        Algorithm::Wave => Ok(wave::solve(system)),
        Algorithm::Naive => Ok(shared(naive::solve(system))),
        Algorithm::Datalog => Ok(shared(datalog::solve(system))),
        Algorithm::Compare => compare::solve(system).map_err(Defect::Differs),
    }
}

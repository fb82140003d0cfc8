//! The stage: a program in, a result out.

mod precision;
mod profile;

pub use precision::{Precision, indistinct};
pub use profile::{Clock, Stage};

use crate::check::{Violation, check};
use crate::cloning::targets::Targets;
use crate::cloning::{Clones, choose};
use crate::config::{Algorithm, PointsToConfig};
use crate::definition::compare::Difference;
use crate::definition::solution::Solution;
use crate::definition::{compare, datalog, naive};
use crate::extract::{Extraction, extract};
use crate::report::points_to::{PointsTo, report};
use crate::solver::solved::Solved;
use crate::solver::wave;
use crate::solver::wave::Limits;
use plat_program::Program;
use std::fmt;

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
/// Only with [`PointsToConfig::check`] or [`Algorithm::Compare`]: if the solution is not closed under a
/// rule, or the solvers disagree, which is a defect of a solver.
pub fn analyze_checked(program: &Program, config: &PointsToConfig) -> Result<PointsTo, Defect> {
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
pub fn run(program: &Program, config: &PointsToConfig) -> Result<Analysis, Defect> {
    let mut clock = Clock::start();
    let Attempt {
        precision,
        clones,
        extraction,
        solved,
    } = attempts(program, config, &mut clock)?;
    if config.check {
        check(&extraction.system, &solved)?;
        clock.ended("checking");
    }
    let mut result = report(program, config, &clones, &extraction, &solved);
    result.statistics.precision = precision;
    clock.ended("reporting");
    result.statistics.stages = clock.stages;
    Ok(Analysis {
        extraction,
        solved,
        result,
    })
}

/// A solution and what it was made from.
struct Attempt {
    precision: Precision,
    clones: Clones,
    extraction: Extraction,
    solved: Solved,
}

/// The most precise solution within the budget.
fn attempts(
    program: &Program,
    config: &PointsToConfig,
    clock: &mut Clock,
) -> Result<Attempt, Defect> {
    for precision in Precision::ALL {
        let config = PointsToConfig {
            clone_depth: match precision {
                Precision::Full => config.clone_depth,
                _ => 0,
            },
            ..config.clone()
        };
        let constraints = constraints_within(program, &config);
        clock.ended("constraints");
        let Some((clones, extraction)) = constraints else {
            continue;
        };
        let solved = solve_within(&extraction, &config, precision)?;
        clock.ended("solving");
        if let Some(solved) = solved {
            return Ok(Attempt {
                precision,
                clones,
                extraction,
                solved,
            });
        }
    }
    unreachable!("the coarsest precision needs no work")
}

/// Analyses a whole program.
///
/// # Panics
/// With [`PointsToConfig::check`] or [`Algorithm::Compare`], if a solver is defective.
pub fn analyze(program: &Program, config: &PointsToConfig) -> PointsTo {
    analyze_checked(program, config).unwrap_or_else(|defect| panic!("{defect}"))
}

/// The functions to clone and the constraints of a program, after the rounds that find out what
/// calls through pointers call (`cloning::targets`).
pub fn constraints(program: &Program, config: &PointsToConfig) -> (Clones, Extraction) {
    let config = PointsToConfig {
        budget: 0,
        ..config.clone()
    };
    constraints_within(program, &config).expect("no budget")
}

fn constraints_within(program: &Program, config: &PointsToConfig) -> Option<(Clones, Extraction)> {
    let mut targets = Targets::new(program);
    let mut rounds = config.rounds.max(1);
    loop {
        let clones = choose(program, config, &targets);
        let extraction = extract(program, &clones, &targets, config);
        rounds -= 1;
        if rounds == 0 || extraction.system.calls.is_empty() {
            return Some((clones, extraction));
        }
        let solved = wave::solve_within(&extraction.system, &limits(config, Precision::Full))?;
        let found = targets.found(&extraction, &solved, config.known_targets);
        if found == targets {
            return Some((clones, extraction));
        }
        targets = found;
    }
}

fn limits(config: &PointsToConfig, precision: Precision) -> Limits {
    Limits {
        work: match config.budget {
            0 => u64::MAX,
            millions => millions.saturating_mul(1_000_000),
        },
        most_copied: match precision {
            Precision::NoFields => 0,
            _ => Limits::NONE.most_copied,
        },
    }
}

/// Solves the constraints of a program; `None` if the budget is exceeded, which only wave
/// propagation has.
fn solve_within(
    extraction: &Extraction,
    config: &PointsToConfig,
    precision: Precision,
) -> Result<Option<Solved>, Defect> {
    let system = &extraction.system;
    if precision == Precision::NoDistinction {
        return Ok(Some(indistinct(system)));
    }
    let shared = |solution: Solution| Solved::from_plain(system, &solution);
    Ok(match config.algorithm {
        Algorithm::Wave => wave::solve_within(system, &limits(config, precision)),
        Algorithm::Naive => Some(shared(naive::solve(system))),
        Algorithm::Datalog => Some(shared(datalog::solve(system))),
        Algorithm::Compare => Some(compare::solve(system).map_err(Defect::Differs)?),
    })
}

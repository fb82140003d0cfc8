//! Answers no query. With it a run goes as far as the layers decide; KLEE has it under the same name.

use plat_expr::Pool;

use crate::answer::{Answer, Query, Solver};
use crate::stats::SolverStats;

/// Decides nothing.
pub struct Dummy;

plat_expr::holder!(Dummy {});

impl Solver for Dummy {
    fn check(&mut self, _: &mut Pool, _: &Query<'_>) -> Answer {
        Answer::Unknown("the dummy solver answers no query".to_owned())
    }

    fn stats(&self, _: &mut SolverStats) {}
}

//! Asks two back ends; if one answers sat and the other unsat, the answer is unknown. Only these
//! verdicts are compared: the oracle checks models by evaluation.

use plat_expr::Pool;

use crate::answer::{Answer, Query, Solver};
use crate::stats::SolverStats;

/// Two solvers that must agree.
pub struct CrossCheck {
    first: Box<dyn Solver>,
    second: Box<dyn Solver>,
    disagreements: u64,
}

impl CrossCheck {
    /// `second` checks the answers of `first`, and answers what `first` cannot.
    pub fn new(first: Box<dyn Solver>, second: Box<dyn Solver>) -> Self {
        Self {
            first,
            second,
            disagreements: 0,
        }
    }
}

plat_expr::holder!(CrossCheck { first, second } plain { disagreements });

impl Solver for CrossCheck {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        let first = self.first.check(pool, query);
        let second = self.second.check(pool, query);
        match (&first, &second) {
            (Answer::Sat(_), Answer::Unsat) | (Answer::Unsat, Answer::Sat(_)) => {
                self.disagreements += 1;
                Answer::Unknown("two solvers disagree".to_owned())
            }
            (Answer::Unknown(_), Answer::Sat(_) | Answer::Unsat) => second,
            _ => first,
        }
    }

    fn stats(&self, out: &mut SolverStats) {
        out.wrong.disagreements += self.disagreements;
        self.first.stats(out);
        self.second.stats(out);
    }
}

//! Asks two back ends and believes neither when they disagree. An unknown answer disagrees with
//! nothing. Models are evaluated by the oracle, so only the verdicts are compared here.

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
    /// `first` answers, `second` confirms.
    pub fn new(first: Box<dyn Solver>, second: Box<dyn Solver>) -> Self {
        Self {
            first,
            second,
            disagreements: 0,
        }
    }
}

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
        out.disagreements += self.disagreements;
        self.first.stats(out);
        self.second.stats(out);
    }
}

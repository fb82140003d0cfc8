//! The solver as the executor uses it.

use super::hard_places::HardPlaces;
use plat_program::InstId;
use plat_solver::{Effort, Oracle};

plat_expr::holder!(Solving { oracle } plain { effort, first, hard });

/// The solver chain, and how much work it may put into a query.
pub struct Solving {
    /// Answers queries.
    pub oracle: Oracle,
    /// How much work a query of the running step may take.
    pub(crate) effort: Effort,
    /// Whether what the running path asks is asked for the first time, and others can go on.
    pub(crate) first: bool,
    /// Where queries are expensive.
    hard: HardPlaces,
}

impl Solving {
    /// A solver without a bound on work.
    pub fn new(oracle: Oracle) -> Self {
        Self {
            oracle,
            effort: Effort::FULL,
            first: false,
            hard: HardPlaces::default(),
        }
    }

    /// Bounds the work of the next query, which is asked at a place behind so many instructions of the run.
    /// Gives what the solver has spent until now, for [`Solving::end_query`].
    pub fn begin_query(&mut self, place: Option<InstId>, instructions: u64) -> u64 {
        let spent = self.oracle.spent();
        let effort = match self.first {
            true => self.hard.budget(place, self.effort, instructions, spent),
            false => self.effort,
        };
        self.oracle.set_effort(effort);
        spent
    }

    /// The query is over; `before`, the solver had spent so much.
    pub fn end_query(&mut self, place: Option<InstId>, before: u64, answered: bool) {
        self.oracle.set_effort(Effort::FULL);
        if !self.effort.is_full() {
            let work = self.oracle.spent() - before;
            self.hard.note(place, work, answered);
        }
    }
}

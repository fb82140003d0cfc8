//! Queries, their answers, and the trait of all solvers.

use std::cell::Cell;
use std::fmt;
use std::time::Duration;

use plat_expr::{Assignment, ExprId, Holder, Pool};

use crate::deadline::Deadline;
use crate::effort::Effort;
use crate::stats::SolverStats;

/// A conjunction of constraints: each 1 bit wide and without bases.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// All must hold.
    pub constraints: &'a [ExprId],
    /// When to give up. It comes on top of a back end's own limit for one query.
    pub deadline: Deadline,
    /// How much work a back end may put into it.
    pub effort: Effort,
    /// Where the work that it takes is added up, in the operations of [`Effort`].
    pub spent: Option<&'a Cell<u64>>,
    /// A model of all constraints but the last, for layers that look for one near it.
    pub model: Option<&'a Assignment>,
}

impl<'a> Query<'a> {
    /// A query with no limits but the solver's own.
    pub const fn new(constraints: &'a [ExprId]) -> Self {
        Self {
            constraints,
            deadline: Deadline::NEVER,
            effort: Effort::FULL,
            spent: None,
            model: None,
        }
    }

    /// The same query with a deadline at most `limit` from now.
    #[must_use]
    pub(crate) fn within(&self, limit: Option<Duration>) -> Self {
        Self {
            deadline: self.deadline.or(Deadline::after(limit)),
            ..*self
        }
    }

    /// Other constraints with the same limits, for which no model is known.
    #[must_use]
    pub const fn with<'b>(&self, constraints: &'b [ExprId]) -> Query<'b>
    where
        'a: 'b,
    {
        Query {
            constraints,
            deadline: self.deadline,
            effort: self.effort,
            spent: self.spent,
            model: None,
        }
    }

    /// The work that was noted, of all queries that are counted with it.
    pub(crate) fn charged(&self) -> u64 {
        self.spent.map_or(0, Cell::get)
    }

    /// Notes work that was done for it.
    pub fn charge(&self, operations: u64) {
        if let Some(spent) = self.spent {
            spent.set(spent.get().saturating_add(operations));
        }
    }
}

/// The reason of an unknown answer when the time is over.
pub(crate) const TIMEOUT: &str = "timeout";

/// What a solver found.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The constraints hold under this assignment.
    Sat(Assignment),
    /// No assignment satisfies the constraints.
    Unsat,
    /// Not decided, and why.
    Unknown(String),
}

/// Why a query was not decided, in most cases a time limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown(pub String);

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the solver gave no answer: {}", self.0)
    }
}

impl std::error::Error for Unknown {}

/// A back end, or a layer around another solver. It caches by expression id, so one solver serves
/// one pool for its whole life and takes part in the pool's collections.
pub trait Solver: Holder {
    /// Decides a query.
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer;

    /// Adds the counts of this solver and of those below it.
    fn stats(&self, out: &mut SolverStats);
}

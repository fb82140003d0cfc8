//! The one question of this crate and its answers.

use std::fmt;
use std::time::Duration;

use plat_expr::{Assignment, ExprId, Pool};

use crate::deadline::Deadline;
use crate::effort::Effort;
use crate::stats::SolverStats;

/// A conjunction of constraints: each 1 bit wide and without bases.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// All must hold.
    pub constraints: &'a [ExprId],
    /// When nobody waits for the answer any more, whatever the limits of a single query.
    pub deadline: Deadline,
    /// How much work a back end may put into it.
    pub effort: Effort,
}

impl<'a> Query<'a> {
    /// A query that may take what the solver's own limits allow.
    pub const fn new(constraints: &'a [ExprId]) -> Self {
        Self {
            constraints,
            deadline: Deadline::NEVER,
            effort: Effort::FULL,
        }
    }

    /// The same for a solver that takes at most so long for a query, from now on.
    #[must_use]
    pub(crate) fn within(&self, limit: Option<Duration>) -> Self {
        Self {
            deadline: self.deadline.or(Deadline::after(limit)),
            ..*self
        }
    }

    /// Other constraints with the same bounds.
    #[must_use]
    pub const fn with<'b>(&self, constraints: &'b [ExprId]) -> Query<'b> {
        Query {
            constraints,
            deadline: self.deadline,
            effort: self.effort,
        }
    }
}

/// Why a query was given up.
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

/// Why a question has no answer: a time limit, mostly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown(pub String);

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the solver gave no answer: {}", self.0)
    }
}

impl std::error::Error for Unknown {}

/// A back end, or a layer around another solver. It remembers expressions by id, so that one
/// solver serves one pool for its whole life.
pub trait Solver {
    /// Decides a query.
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer;

    /// Adds what this solver, and those below it, counted.
    fn stats(&self, out: &mut SolverStats);
}

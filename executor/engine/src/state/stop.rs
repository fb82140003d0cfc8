//! How a step that cannot be completed at once stops.
//!
//! A step returns `Ok` when it has been carried out. Otherwise it has had no effect on the state
//! and says what must happen: the path ends, or it splits by conditions and each part tries the
//! same instruction again, or it is deferred and tries it again later. So an instruction or library function may ask for as many decisions
//! as it needs, wherever it needs them, as long as it asks before it acts.

use crate::api::outcome::{Fault, FaultKind, Limit, PathEnd};
use crate::api::summary::ForkKind;
use plat_expr::{Assignment, ExprId};

/// One part of a split.
#[derive(Clone, Debug)]
pub struct Side {
    /// The condition of this part.
    pub guard: ExprId,
    /// Satisfies the path condition and the guard, if already known.
    pub model: Option<Assignment>,
    /// The part ends at once.
    pub end: Option<PathEnd>,
}

/// What must happen instead of the step.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The path ends.
    End(PathEnd),
    /// The path splits. The guards cover everything that the path condition allows.
    Split(ForkKind, Vec<Side>),
    /// A query needs more work than the path has for it now: other paths go first.
    Defer,
    /// The run ends ([`crate::executor::Executor::overdue`]) before the step is carried out: the path
    /// stays alive, and has the test of a live path.
    Overdue,
}

/// The result of a step or a part of one.
pub type Step<T> = Result<T, Box<Stop>>;

impl From<PathEnd> for Box<Stop> {
    fn from(end: PathEnd) -> Self {
        Box::new(Stop::End(end))
    }
}

/// The path ends in a fault.
pub fn fault<T>(kind: FaultKind, message: impl Into<String>) -> Step<T> {
    Err(PathEnd::Fault(Fault::new(kind, message)).into())
}

/// The path ends because of something that plat does not support.
pub fn unsupported<T>(what: impl Into<String>) -> Step<T> {
    Err(PathEnd::Unsupported(what.into()).into())
}

/// The path ends because of an error in plat itself.
pub fn internal<T>(what: impl std::fmt::Display) -> Step<T> {
    Err(PathEnd::internal(what).into())
}

/// The path ends at the solver's limit.
pub fn solver_limit<T>(why: impl Into<String>) -> Step<T> {
    Err(PathEnd::Limit(Limit::Solver, why.into()).into())
}

/// Where control goes after a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// To the next instruction.
    Next,
    /// The step has set the position within the same function.
    Jumped,
    /// The running frame has changed.
    Frame,
    /// The step has also made siblings; position and frame are set.
    Forked,
}

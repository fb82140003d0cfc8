//! What a resolution says: plain data that the engine acts on.
//!
//! A memory model never forks a state, ends a path or prints. It answers "where does this pointer
//! lead?" with a list of outcomes whose guards exclude one another and cover everything that the
//! path condition allows; the engine follows each on a path of its own.

use crate::fault::Fault;
use crate::join::Part;
use crate::model::policy::Choice;
use plat_expr::{Assignment, ExprId, ObjectId};

plat_basics::ids! {
    /// The number of a segment in a state: its position in the state's table of segments.
    SegmentIndex
}

/// Why a pointer is resolved.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AccessKind {
    /// To read through it.
    Read,
    /// To write through it.
    Write,
    /// To free it: it must be the start of a live heap object, or null.
    Free,
}

/// Where a pointer can lead.
#[derive(Clone, Default, Debug)]
pub struct Resolution {
    /// The possibilities. Infeasible ones are absent unless keeping them costs nothing.
    pub outcomes: Vec<Outcome>,
    /// Alternatives that the model gives up (only the `single` model does).
    pub dropped: u32,
    /// What the model puts together before it answers; empty in an answer.
    pub(crate) join: Vec<Part>,
    /// What a model that chooses has chosen.
    pub(crate) choice: Option<Choice>,
}

/// One possibility: a path that continues, or a fault.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// When it happens, 1 bit; true: always.
    pub guard: ExprId,
    /// Where the access goes (for [`AccessKind::Free`] of null: nowhere), or what is wrong.
    pub then: Result<Vec<Target>, Fault>,
    /// Satisfies the path condition and the guard, when one is known.
    pub model: Option<Assignment>,
}

/// A range of positions in a segment that an access goes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target {
    /// Which alternative within the outcome: the first target whose guard holds counts; the last
    /// one's is true.
    pub guard: ExprId,
    /// The segment.
    pub segment: SegmentIndex,
    /// The position of the first byte, 64 bits.
    pub index: ExprId,
    /// The least value of `index` when the guards hold.
    pub low: u64,
    /// The greatest value of `index` when the guards hold.
    pub high: u64,
    /// The objects that it can be in, sorted.
    pub objects: Vec<ObjectId>,
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The solver gave up.
    Solver(String),
    /// The pointer has more positions than an expression should have elements.
    TooManyPositions(u64),
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Solver(reason) => write!(f, "solver: {reason}"),
            Self::TooManyPositions(count) => {
                write!(f, "a symbolic pointer with {count} possible positions")
            }
        }
    }
}

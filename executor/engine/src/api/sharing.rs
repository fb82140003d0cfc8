//! Which allocations a run has put together, and which it has followed on paths of their own: the segment
//! map that the run itself has drawn, whether an analysis has drawn one before or not.

use super::summary::ResolutionForks;
use plat_program::{FuncId, GlobalId, InstId};
use serde::{Deserialize, Serialize};

/// Where objects come from, by the program alone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Origin {
    /// These calls on the stack, the allocating one first, as far as the memory model tells contexts apart.
    Calls(Vec<InstId>),
    /// The instruction that makes a variable on the stack.
    Stack(InstId),
    /// An argument's copy or variable arguments of this function.
    Frame(FuncId),
    /// A global.
    Global(GlobalId),
    /// A function.
    Function(FuncId),
    /// Made before the program starts: arguments, environment.
    Entry,
}

/// Objects of one origin in a shared segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// Where they come from.
    pub origin: Origin,
    /// The size of the smallest,
    pub least_bytes: u64,
    /// and of the largest.
    pub most_bytes: u64,
}

/// Where segments were put together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JoinPlace {
    /// The instruction.
    pub at: Option<InstId>,
    /// How often, over all paths.
    pub count: u64,
    /// The most objects that the pointer could lead to.
    pub most_objects: u64,
}

/// Allocations whose objects came into one segment, directly or by way of others, over all paths.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Together {
    /// The allocations.
    pub members: Vec<Member>,
    /// The most bytes that one of the segments had when it was put together.
    pub most_bytes: u64,
    /// Where, the most frequent first.
    pub joins: Vec<JoinPlace>,
}

/// Allocations that a pointer could lead to and that were followed on paths of their own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Apart {
    /// The instruction.
    pub at: Option<InstId>,
    /// Why, in words.
    pub reason: String,
    /// How often, over all paths.
    pub count: u64,
    /// The most paths that one of the resolutions had.
    pub most_ways: u64,
    /// The allocations.
    pub members: Vec<Member>,
}

/// What an ideal segmentation is drawn from. A call string is the calls on the stack, the allocating one
/// first.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Confusions {
    /// Call strings of heap objects that one pointer could lead to: sets that do not intersect. Each has
    /// several, or one of which several objects were possible.
    pub sets: Vec<Vec<Vec<InstId>>>,
    /// All call strings under which the program has allocated.
    pub allocated: Vec<Vec<InstId>>,
}

/// What symbolic pointers have made of memory and of paths.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Resolutions {
    /// Forks by resolution in words, the most frequent first.
    pub forks: Vec<ResolutionForks>,
    /// Allocations that came together, those in the largest segments first.
    pub together: Vec<Together>,
    /// Allocations that were followed apart, the most frequent first.
    pub apart: Vec<Apart>,
    /// Combinations of places and allocations that are not in these lists, as there are too many.
    pub left_out: u64,
}

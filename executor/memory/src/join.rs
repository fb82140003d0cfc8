//! What a memory model is told, and says, about putting segments together.

use crate::objects::ObjectInfo;
use crate::resolution::SegmentIndex;
use plat_expr::ObjectId;

/// A segment that a pointer may lead to, to be put together with others.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The segment.
    pub segment: SegmentIndex,
    /// An object in it that the pointer may lead to.
    pub object: ObjectId,
    /// That object.
    pub info: ObjectInfo,
}

/// All of a segment becomes part of another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// The segment that is gone afterwards.
    pub from: SegmentIndex,
    /// The segment that has it then.
    pub to: SegmentIndex,
    /// What is at 0 goes to this position.
    pub by: u64,
    /// The object in it, if it is the only one.
    pub only: Option<ObjectId>,
}

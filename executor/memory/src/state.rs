//! What a state knows about an object.

use crate::objects::Kind;
use crate::resolution::SegmentIndex;
use plat_program::{GroupId, InstId};

/// Where an object's contents are: a position in a segment. Movable; the program sees numbers
/// only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The segment.
    pub segment: SegmentIndex,
    /// The position of the object's first byte.
    pub offset: u64,
}

/// The state of an object on one path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObjectState {
    /// Where its contents are, while it lives.
    pub place: Place,
    /// Its address.
    pub number: u64,
    /// Its size in bytes, as far as it is decided.
    pub size: u64,
    /// What kind of thing it is.
    pub kind: Kind,
    /// Whether it can be accessed.
    pub live: bool,
    /// Whether it can be written.
    pub writable: bool,
    /// The group of its allocation context.
    pub group: Option<GroupId>,
    /// Where it was freed.
    pub freed_at: Option<InstId>,
}

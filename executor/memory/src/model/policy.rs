//! How a pointer that can lead to several objects is followed, as data: what can be chosen, what a choice
//! is made of, and what was chosen.

use crate::resolution::SegmentIndex;
use serde::{Deserialize, Serialize};

/// The ways.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Way {
    /// The objects come into one segment, and the pointer is followed on one path.
    Merge,
    /// A path for each segment.
    Fork,
    /// A path for each segment, and for each piece of a large one.
    Split,
    /// A path for each position that the access can start at.
    Value,
}

impl Way {
    /// Every way with its name.
    pub const ALL: [(&'static str, Self); 4] = [
        ("fork", Self::Fork),
        ("merge", Self::Merge),
        ("split", Self::Split),
        ("value", Self::Value),
    ];

    /// The way of the given name.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|(known, _)| *known == name).map(|(_, way)| way)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        let mut all = Self::ALL.into_iter();
        all.find(|(_, way)| *way == self)
            .map_or("", |(name, _)| name)
    }
}

/// Why a way was chosen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Why {
    /// The user said so.
    Pinned,
    /// It was estimated to be the cheapest.
    Estimate,
    /// Accesses to a segment have cost more than a path for each object in it.
    Cost,
}

/// What was chosen at a place, and of what.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// What was chosen.
    pub way: Way,
    /// Why.
    pub why: Why,
    /// The segment whose objects are followed on paths of their own, if it is one.
    pub apart: Option<SegmentIndex>,
    /// Segments that the pointer could lead to; objects in that segment.
    pub alternatives: u64,
    /// Bytes in the segments.
    pub bytes: u64,
}

/// What was chosen at one instruction, over the run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Chosen {
    /// How often.
    pub count: u64,
    /// The most alternatives.
    pub alternatives: u64,
    /// The most bytes in them.
    pub bytes: u64,
}

impl Chosen {
    /// Both.
    pub fn add(&mut self, other: Self) {
        self.count += other.count;
        self.alternatives = self.alternatives.max(other.alternatives);
        self.bytes = self.bytes.max(other.bytes);
    }
}

/// What it costs to follow a pointer, before it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Segments that the pointer can lead to.
    pub alternatives: u64,
    /// Bytes in them.
    pub bytes: u64,
    /// By how much pointers at this place have multiplied this path so far.
    pub factor: u64,
}

/// So many bytes in a segment are taken to cost what one more path costs, once.
///
/// A query about what is read from a segment grows with its bytes. A fork makes everything that follows
/// twice, the next fork at the same place included.
pub const BYTES_PER_PATH: u64 = 256;

/// The cheaper way. Many small objects are put together at once, a few large ones only where forking
/// has multiplied the path before.
pub fn cheaper(facts: &Facts) -> Way {
    let more = facts.alternatives.saturating_sub(1);
    let paths = more.saturating_mul(facts.factor);
    match facts.bytes <= paths.saturating_mul(BYTES_PER_PATH) {
        true => Way::Merge,
        false => Way::Fork,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_list() {
        for (name, way) in Way::ALL {
            assert_eq!((Way::named(name), way.name()), (Some(way), name));
        }
        assert_eq!(Way::named("join"), None);
    }

    #[test]
    fn small_objects_are_merged_and_large_ones_when_it_recurs() {
        let facts = |alternatives, bytes, factor| Facts {
            alternatives,
            bytes,
            factor,
        };
        // The nodes of a hash table; the rows of a matrix.
        assert_eq!(cheaper(&facts(21, 1_008, 1)), Way::Merge);
        assert_eq!(cheaper(&facts(40, 6_400, 1)), Way::Merge);
        // Two buffers.
        assert_eq!(cheaper(&facts(2, 8_192, 1)), Way::Fork);
        assert_eq!(cheaper(&facts(2, 8_192, 32)), Way::Merge);
        assert_eq!(cheaper(&facts(u64::MAX, u64::MAX, u64::MAX)), Way::Merge);
    }
}

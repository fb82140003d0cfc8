//! Counters of memory and of resolution, for the whole run.

use crate::model::policy::{Choice, Chosen, Way, Why};
use plat_program::InstId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// What happened. Peaks are over all states.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct MemoryStats {
    /// Resolutions of pointers that were not a known object plus a known offset.
    pub symbolic: u64,
    /// Those that led to more than one object.
    pub multiple: u64,
    /// The most objects that one pointer led to.
    pub max_targets: u64,
    /// Solver queries made for resolutions.
    pub queries: u64,
    /// Time spent in resolutions, solving included.
    pub wall: Duration,
    /// Alternatives that the `single` model did not follow.
    pub dropped: u64,
    /// Allocations.
    pub allocations: u64,
    /// Most live heap bytes in one state.
    pub heap_peak: u64,
    /// Most segments in one state that hold, or held, objects of a group.
    pub segments: u64,
    /// Most live bytes in one such segment.
    pub largest_segment: u64,
    /// Times that a model put segments together because a pointer could lead to them.
    pub joins: u64,
    /// Objects that were moved for that.
    pub moved: u64,
    /// How pointers were followed, by the instruction.
    pub places: BTreeMap<Option<InstId>, Followed>,
    /// What the model has chosen where: the instruction, the way, and why.
    pub choices: BTreeMap<(Option<InstId>, Way, Why), Chosen>,
}

/// How symbolic pointers were followed at one instruction, over the run.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Followed {
    /// Resolutions; one that is made again in the parts of a split counts again.
    pub count: u64,
    /// Objects that they led to, in all,
    pub objects: u64,
    /// and at most.
    pub most_objects: u64,
    /// The most bytes in the objects of one.
    pub most_bytes: u64,
    /// Ways to go on that the model has made of them, in all,
    pub ways: u64,
    /// and at most.
    pub most_ways: u64,
    /// Faults that were possible.
    pub faults: u64,
    /// Times that segments were put together first.
    pub joins: u64,
    /// Objects that were moved for that.
    pub moved: u64,
}

impl Followed {
    /// Both.
    pub fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.objects += other.objects;
        self.most_objects = self.most_objects.max(other.most_objects);
        self.most_bytes = self.most_bytes.max(other.most_bytes);
        self.ways += other.ways;
        self.most_ways = self.most_ways.max(other.most_ways);
        self.faults += other.faults;
        self.joins += other.joins;
        self.moved += other.moved;
    }
}

impl MemoryStats {
    /// Counts a choice.
    pub(crate) fn chosen(&mut self, at: Option<InstId>, choice: &Choice) {
        let known = self.choices.entry((at, choice.way, choice.why));
        known.or_default().add(Chosen {
            count: 1,
            alternatives: choice.alternatives,
            bytes: choice.bytes,
        });
    }
}

//! Counters of memory and of resolution, for the whole run.

use crate::model::policy::{Choice, Chosen, Way};
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
    /// What the model has chosen where: the instruction, the way, and whether the user said so.
    pub choices: BTreeMap<(Option<InstId>, Way, bool), Chosen>,
}

impl MemoryStats {
    /// Counts a choice.
    pub(crate) fn chosen(&mut self, at: Option<InstId>, choice: &Choice) {
        let known = self.choices.entry((at, choice.way, choice.pinned));
        known.or_default().add(Chosen {
            count: 1,
            alternatives: choice.alternatives,
            bytes: choice.bytes,
        });
    }
}

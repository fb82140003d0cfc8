//! Why a group is one: the pointers whose sets have united most of its contexts.

use crate::explain::Joins;
use crate::map::SegmentMap;
use plat_pointers::PointsTo;
use plat_program::{GroupId, Program};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Pointers that are named for a group.
const MOST: usize = 5;

/// A pointer that may lead to contexts of a group.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Union {
    /// The group.
    pub group: GroupId,
    /// How many of its contexts are in the pointer's set.
    pub contexts: usize,
    /// The function that dereferences the pointer, or chooses it; empty for a pointer in memory.
    pub function: String,
    /// Its source file; empty if unknown.
    pub file: String,
    /// The line there; 0 if unknown.
    pub line: u32,
}

impl SegmentMap {
    /// Notes why groups are what they are. The map was made from these sets.
    pub fn note_unions(&mut self, program: &Program, points_to: &PointsTo) {
        let mut of_groups: BTreeMap<GroupId, Vec<Union>> = BTreeMap::new();
        let joins = Joins::new(points_to, self);
        for (inst, members) in joins.sets() {
            let group = members.first().and_then(|&at| self.contexts[at].group);
            let Some(group) = group else { continue };
            let function = inst.map(|inst| &program.function(program.position(inst).0).name);
            let location = inst.map(|inst| program.location_of(inst));
            let union = Union {
                group,
                contexts: members.len(),
                function: function.cloned().unwrap_or_default(),
                file: location.map(|at| at.file.clone()).unwrap_or_default(),
                line: location.map_or(0, |at| at.line),
            };
            let unions = of_groups.entry(group).or_default();
            if !unions.contains(&union) {
                let at = unions.partition_point(|one| one.contexts >= union.contexts);
                unions.insert(at, union);
                unions.truncate(MOST);
            }
        }
        self.unions = of_groups.into_values().flatten().collect();
    }
}

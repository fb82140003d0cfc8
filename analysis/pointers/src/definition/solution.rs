//! A solution of a constraint system in its plain form: what the solvers are compared by.

use crate::constraints::{Callable, Location, Object, Offset};
use std::collections::{BTreeMap, BTreeSet};

/// What was written to each slot class of each object.
pub type Memory = BTreeMap<Object, BTreeMap<Offset, BTreeSet<Location>>>;

/// Points-to sets, memory and call edges.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Solution {
    /// The points-to set of each node.
    pub sets: Vec<BTreeSet<Location>>,
    /// The contents of the objects; slot classes to which nothing was written are absent.
    pub memory: Memory,
    /// Which call (by position) can call what.
    pub bound: BTreeSet<(u32, Callable)>,
}

impl Solution {
    /// The points-to sets without the locations that another one of the same set covers: nothing
    /// follows from them, and solvers may leave them out.
    pub fn reduced(&self) -> Vec<BTreeSet<Location>> {
        let reduce = |set: &BTreeSet<Location>| {
            let covered = |at: &&Location| !set.iter().any(|by| by != *at && by.covers(**at));
            set.iter().filter(covered).copied().collect()
        };
        self.sets.iter().map(reduce).collect()
    }

    /// The objects that each node points to.
    pub fn objects(&self) -> Vec<BTreeSet<Object>> {
        self.sets
            .iter()
            .map(|set| set.iter().map(|at| at.object).collect())
            .collect()
    }
}

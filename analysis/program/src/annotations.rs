//! What the transform stage wrote into the bitcode: allocation contexts and their groups.
//!
//! Calls on the way to an allocation carry `!plat.site !{i32 N}`; the module carries
//! `!plat.contexts`, one node per allocation context: `!{i32 group, i32 site, i32 site, ...}`,
//! outermost call first, the allocating call last.

use crate::ids::{GroupId, InstId, SiteId};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// A call string that ends in an allocation, with the group it belongs to.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct AllocationContext {
    /// The sites on the way, outermost first; the last is the allocating call.
    pub chain: Vec<SiteId>,
    /// Its group; `None` if it aliases nothing and stays in an object of its own.
    pub group: Option<GroupId>,
}

/// All annotations of a module.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Annotations {
    /// The site number of an annotated call.
    pub sites: FxHashMap<InstId, SiteId>,
    /// The allocation contexts.
    pub contexts: Vec<AllocationContext>,
    /// Whether the transform stage has run on this module (realloc is rewritten).
    pub transformed: bool,
}

impl Annotations {
    /// Whether the module has the allocation contexts of a segment map.
    pub fn has_segments(&self) -> bool {
        !self.contexts.is_empty()
    }

    /// The context of an allocation, given the annotated sites of its call stack from the
    /// innermost call outwards: the context with the longest chain that matches.
    pub fn context_of(&self, stack: impl Iterator<Item = Option<SiteId>> + Clone) -> Option<usize> {
        let matches = |chain: &[SiteId]| {
            let mut calls = stack.clone();
            chain
                .iter()
                .rev()
                .all(|&site| calls.next() == Some(Some(site)))
        };
        (0..self.contexts.len())
            .filter(|&at| matches(&self.contexts[at].chain))
            .max_by_key(|&at| (self.contexts[at].chain.len(), std::cmp::Reverse(at)))
    }
}

//! Identities for new states.

use crate::api::id::StateId;
use crate::trie::NodeId;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Gives every state an identity that no other one has had.
#[derive(Default)]
pub(crate) struct StateIds {
    next: u32,
    /// The next one, where several processes explore.
    pub shared: Option<&'static AtomicU32>,
    /// The next node of the trie.
    pub nodes: NodeId,
    /// The same, where several processes explore.
    pub shared_nodes: Option<&'static AtomicU64>,
}

impl StateIds {
    /// An identity that no state of any process has had.
    pub fn next(&mut self) -> StateId {
        let id = match self.shared {
            Some(shared) => {
                shared.fetch_max(self.next, Ordering::Relaxed);
                shared.fetch_add(1, Ordering::Relaxed)
            }
            None => self.next,
        };
        self.next = id + 1;
        StateId(id)
    }

    /// The first of so many nodes of the trie that no path has had.
    pub fn next_nodes(&mut self, count: u64) -> NodeId {
        match self.shared_nodes {
            Some(shared) => shared.fetch_add(count, Ordering::Relaxed),
            None => {
                let first = self.nodes;
                self.nodes += count;
                first
            }
        }
    }
}

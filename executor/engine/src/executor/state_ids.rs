//! Identities for new states.

use crate::api::id::StateId;
use std::sync::atomic::{AtomicU32, Ordering};

/// Gives every state an identity that no other one has had.
#[derive(Default)]
pub(crate) struct StateIds {
    next: u32,
    /// The next one, where several processes explore.
    pub shared: Option<&'static AtomicU32>,
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
}

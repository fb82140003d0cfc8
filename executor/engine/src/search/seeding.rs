//! States that follow seeds run first, in the order of their making; then an inner searcher chooses.

use super::{Searcher, StateId, Summary};
use std::collections::BTreeSet;

/// Prefers seeded states to the inner searcher's choice.
pub struct Seeding {
    inner: Box<dyn Searcher>,
    seeded: BTreeSet<StateId>,
}

impl Seeding {
    /// Wraps a searcher.
    pub fn new(inner: Box<dyn Searcher>) -> Self {
        Seeding {
            inner,
            seeded: BTreeSet::new(),
        }
    }

    fn note(&mut self, summary: &Summary) {
        if summary.seeded {
            self.seeded.insert(summary.id);
        } else {
            self.seeded.remove(&summary.id);
        }
    }
}

impl Searcher for Seeding {
    fn select(&mut self) -> StateId {
        match self.seeded.first() {
            Some(&state) => state,
            None => self.inner.select(),
        }
    }

    fn added(&mut self, parent: Option<StateId>, states: &[Summary]) {
        for state in states {
            self.note(state);
        }
        self.inner.added(parent, states);
    }

    fn removed(&mut self, state: StateId) {
        self.seeded.remove(&state);
        self.inner.removed(state);
    }

    fn updated(&mut self, summary: &Summary) {
        self.note(summary);
        self.inner.updated(summary);
    }

    fn gone(&mut self, subpath: u64, times: u64) {
        self.inner.gone(subpath, times);
    }
}

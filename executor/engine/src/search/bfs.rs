//! Breadth-first in the tree of forks: the state that has gone longest without forking runs.

use super::{Entry, Needs, Searcher, StateId, Summary};
use std::collections::VecDeque;

/// Its entry in the list.
pub const ENTRY: Entry = Entry {
    name: "bfs",
    help: "breadth-first, level by level in the tree of forks",
    needs: Needs::NOTHING,
    make: |_seed| Box::new(Bfs::default()),
};

/// A queue: who forks goes to the end, just before its children.
#[derive(Default)]
struct Bfs {
    queue: VecDeque<StateId>,
}

impl Searcher for Bfs {
    fn select(&mut self) -> StateId {
        *self.queue.front().expect("a live state")
    }

    fn added(&mut self, parent: Option<StateId>, states: &[Summary]) {
        if let Some(parent) = parent {
            self.removed(parent);
            self.queue.push_back(parent);
        }
        self.queue.extend(states.iter().map(|summary| summary.id));
    }

    fn removed(&mut self, state: StateId) {
        // Nearly always the first: it is the one that ran.
        if let Some(at) = self.queue.iter().position(|&other| other == state) {
            self.queue.remove(at);
        }
    }
}

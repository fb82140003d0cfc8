//! Depth-first: the newest state runs until it ends.

use super::{Entry, Needs, Searcher, StateId, Summary};

/// Its entry in the list.
pub const ENTRY: Entry = Entry {
    name: "dfs",
    help: "depth-first: always the newest path, to its end",
    needs: Needs::NOTHING,
    make: |_seed| Box::new(Dfs::default()),
};

/// States in order of creation; the last one runs.
#[derive(Default)]
struct Dfs {
    states: Vec<StateId>,
}

impl Searcher for Dfs {
    fn select(&mut self) -> StateId {
        *self.states.last().expect("a live state")
    }

    fn added(&mut self, _parent: Option<StateId>, states: &[Summary]) {
        self.states.extend(states.iter().map(|summary| summary.id));
    }

    fn removed(&mut self, state: StateId) {
        // Nearly always the last: search from there.
        if let Some(at) = self.states.iter().rposition(|&other| other == state) {
            self.states.remove(at);
        }
    }
}

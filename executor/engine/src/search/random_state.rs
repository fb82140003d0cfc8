//! A live state chosen uniformly.

use super::random::Random;
use super::{Entry, Needs, Searcher, StateId, Summary};
use rustc_hash::FxHashMap;

/// Its entry in the list.
pub const ENTRY: Entry = Entry {
    name: "random-state",
    help: "a live path chosen uniformly",
    needs: Needs::NOTHING,
    make: |seed| {
        Box::new(RandomState {
            states: Vec::new(),
            position: FxHashMap::default(),
            random: Random::new(seed),
        })
    },
};

struct RandomState {
    states: Vec<StateId>,
    /// Where each state stands in `states`.
    position: FxHashMap<StateId, usize>,
    random: Random,
}

impl Searcher for RandomState {
    fn select(&mut self) -> StateId {
        assert!(!self.states.is_empty(), "a live state");
        self.states[self.random.below(self.states.len())]
    }

    fn added(&mut self, _parent: Option<StateId>, states: &[Summary]) {
        for summary in states {
            self.position.insert(summary.id, self.states.len());
            self.states.push(summary.id);
        }
    }

    fn removed(&mut self, state: StateId) {
        if let Some(at) = self.position.remove(&state) {
            self.states.swap_remove(at);
            if let Some(&moved) = self.states.get(at) {
                self.position.insert(moved, at);
            }
        }
    }
}

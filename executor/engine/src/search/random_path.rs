//! A random walk from the root of the fork tree: at every fork each branch with live states under
//! it is equally likely. (Cadar et al., OSDI 2008, section 3.4.)
//!
//! States high in the tree, which had few constraints to pass, are preferred over a swarm of
//! states from one loop.

use super::fork_tree::ForkTree;
use super::random::Random;
use super::{Entry, Needs, Searcher, StateId, Summary};
use rustc_hash::FxHasher;
use std::hash::Hasher as _;

/// Its entry in the list.
pub const ENTRY: Entry = Entry {
    name: "random-path",
    help: "a random walk down the fork tree, live branches equally likely",
    needs: Needs::NOTHING,
    make: |seed| {
        Box::new(RandomPath {
            tree: ForkTree::new(1),
            random: Random::new(seed),
        })
    },
};

struct RandomPath {
    tree: ForkTree,
    random: Random,
}

/// Which fork has split a state off: one into several branches splits off several, at one depth.
fn fork(state: &Summary) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(state.fork);
    hasher.write_u32(state.depth);
    hasher.finish()
}

impl Searcher for RandomPath {
    fn select(&mut self) -> StateId {
        self.tree.walk(&mut self.random, |_, _| true)
    }

    fn added(&mut self, parent: Option<StateId>, states: &[Summary]) {
        for state in states {
            self.tree.add(parent, state.id, fork(state));
        }
    }

    fn removed(&mut self, state: StateId) {
        self.tree.remove(state);
    }
}

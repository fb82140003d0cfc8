//! Subpath-guided search: a path whose last decisions have been gone least often ("Steering symbolic
//! execution to less traveled paths", Li, Su, Wang, Li, OOPSLA 2013).
//!
//! A subpath is the last k decisions of a path, each a place and a side. Every selection counts for
//! the subpath of the path selected; the subpath with the least count is next, and of its paths any.

use super::random::Random;
use super::{Entry, Needs, SUBPATHS, Searcher, StateId, Summary};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Subpaths of four decisions.
pub const FOUR: Entry = Entry {
    name: "subpath:4",
    help: "the path whose last 4 decisions have been gone least often",
    needs: Needs::NOTHING,
    make: |seed| Box::new(Subpath::new(seed, 0)),
};

/// Subpaths of eight decisions.
pub const EIGHT: Entry = Entry {
    name: "subpath:8",
    help: "the path whose last 8 decisions have been gone least often",
    needs: Needs::NOTHING,
    make: |seed| Box::new(Subpath::new(seed, 1)),
};

const _: () = assert!(SUBPATHS[0] == 4 && SUBPATHS[1] == 8);

/// The live paths with one subpath, and how often one was selected. Kept when no path is left, for
/// those to come.
#[derive(Default)]
struct Bucket {
    count: u64,
    states: Vec<StateId>,
}

struct Subpath {
    /// Which of the lengths it uses.
    length: usize,
    buckets: FxHashMap<u64, Bucket>,
    /// Count and subpath of each bucket with paths.
    order: BTreeSet<(u64, u64)>,
    /// The subpath of each live path, and where the path stands in its bucket.
    position: FxHashMap<StateId, (u64, usize)>,
    random: Random,
}

impl Subpath {
    fn new(seed: u64, length: usize) -> Self {
        Subpath {
            length,
            buckets: FxHashMap::default(),
            order: BTreeSet::new(),
            position: FxHashMap::default(),
            random: Random::new(seed),
        }
    }

    fn enter(&mut self, state: StateId, subpath: u64) {
        let bucket = self.buckets.entry(subpath).or_default();
        if bucket.states.is_empty() {
            self.order.insert((bucket.count, subpath));
        }
        self.position.insert(state, (subpath, bucket.states.len()));
        bucket.states.push(state);
    }

    fn leave(&mut self, state: StateId) {
        let Some((subpath, at)) = self.position.remove(&state) else {
            return;
        };
        let Some(bucket) = self.buckets.get_mut(&subpath) else {
            return;
        };
        bucket.states.swap_remove(at);
        match bucket.states.get(at) {
            Some(&moved) => drop(self.position.insert(moved, (subpath, at))),
            None if bucket.states.is_empty() => drop(self.order.remove(&(bucket.count, subpath))),
            None => {}
        }
    }
}

impl Searcher for Subpath {
    fn select(&mut self) -> StateId {
        let (count, subpath) = self.order.pop_first().expect("a live state");
        let bucket = self.buckets.entry(subpath).or_default();
        bucket.count = count + 1;
        self.order.insert((bucket.count, subpath));
        bucket.states[self.random.below(bucket.states.len())]
    }

    fn added(&mut self, _parent: Option<StateId>, states: &[Summary]) {
        for summary in states {
            self.enter(summary.id, summary.subpaths[self.length]);
        }
    }

    fn removed(&mut self, state: StateId) {
        self.leave(state);
    }

    fn updated(&mut self, summary: &Summary) {
        let now = summary.subpaths[self.length];
        let before = self.position.get(&summary.id);
        if before.is_some_and(|&(subpath, _)| subpath != now) {
            self.leave(summary.id);
            self.enter(summary.id, now);
        }
    }
}

//! Live paths in classes, and the class that has been given the fewest turns next.
//!
//! A frontier that explodes does so at a few places. Chosen by state, nearly all turns go there; by
//! class, each place gets as many as any other. The members of this family differ in the class: the
//! last decisions, the last discovery, where the path stands.

use super::random::Random;
use super::{Searcher, StateId, Summary};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The class of a path.
pub(super) type Class = fn(&Summary) -> u64;

/// The live paths of one class, and the turns that it has been given. Kept when no path is left, for
/// those to come.
#[derive(Default)]
struct Bucket {
    turns: u64,
    states: Vec<StateId>,
}

/// The searcher.
pub(super) struct Shares {
    class: Class,
    /// Whether turns of earlier runs count: classes are subpaths of one decision.
    counts_gone: bool,
    buckets: FxHashMap<u64, Bucket>,
    /// Turns and class of each bucket with paths.
    order: BTreeSet<(u64, u64)>,
    /// The class of each live path, and where the path stands in its bucket.
    position: FxHashMap<StateId, (u64, usize)>,
    random: Random,
}

impl Shares {
    pub(super) fn new(seed: u64, class: Class) -> Self {
        Shares {
            class,
            counts_gone: false,
            buckets: FxHashMap::default(),
            order: BTreeSet::new(),
            position: FxHashMap::default(),
            random: Random::new(seed),
        }
    }

    /// Lets what earlier runs have gone count as turns.
    pub(super) fn counts_gone(mut self) -> Self {
        self.counts_gone = true;
        self
    }

    fn enter(&mut self, state: StateId, class: u64) {
        let bucket = self.buckets.entry(class).or_default();
        if bucket.states.is_empty() {
            self.order.insert((bucket.turns, class));
        }
        self.position.insert(state, (class, bucket.states.len()));
        bucket.states.push(state);
    }

    fn leave(&mut self, state: StateId) {
        let Some((class, at)) = self.position.remove(&state) else {
            return;
        };
        let Some(bucket) = self.buckets.get_mut(&class) else {
            return;
        };
        bucket.states.swap_remove(at);
        match bucket.states.get(at) {
            Some(&moved) => drop(self.position.insert(moved, (class, at))),
            None if bucket.states.is_empty() => drop(self.order.remove(&(bucket.turns, class))),
            None => {}
        }
    }
}

impl Searcher for Shares {
    fn select(&mut self) -> StateId {
        let (turns, class) = self.order.pop_first().expect("a live state");
        let bucket = self.buckets.entry(class).or_default();
        bucket.turns = turns + 1;
        self.order.insert((bucket.turns, class));
        bucket.states[self.random.below(bucket.states.len())]
    }

    fn added(&mut self, _parent: Option<StateId>, states: &[Summary]) {
        for summary in states {
            self.enter(summary.id, (self.class)(summary));
        }
    }

    fn removed(&mut self, state: StateId) {
        self.leave(state);
    }

    fn updated(&mut self, summary: &Summary) {
        let now = (self.class)(summary);
        let before = self.position.get(&summary.id);
        if before.is_some_and(|&(class, _)| class != now) {
            self.leave(summary.id);
            self.enter(summary.id, now);
        }
    }

    fn gone(&mut self, subpath: u64, times: u64) {
        if self.counts_gone {
            self.buckets.entry(subpath).or_default().turns += times;
        }
    }
}

//! Under memory pressure: the path with the most forks runs, to its end.
//!
//! It is the one with the least left to fork, so that paths end sooner than others come to be, and
//! what they hold is free again: the live ones are those from before and one path's siblings. A path
//! may have no end. One that has run for long is put behind the others, for twice as long next time.
//! What is chosen here is only the order of paths.

use super::{Searcher, StateId, Summary};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Instructions that a path runs before it is put behind the others for the first time.
const PATIENCE: u64 = 1_000_000;

/// How often it was put behind, its forks, its name: the last one runs.
type Rank = (Reverse<u32>, u32, StateId);

/// The live states in the order of their forks.
#[derive(Default)]
pub struct Deepest {
    order: BTreeSet<Rank>,
    /// The rank of a state, and its instructions when it came to this line of the queue.
    known: FxHashMap<StateId, (Rank, u64)>,
}

impl Deepest {
    fn put(&mut self, rank: Rank, since: u64) {
        self.order.insert(rank);
        self.known.insert(rank.2, (rank, since));
    }
}

impl Searcher for Deepest {
    fn select(&mut self) -> StateId {
        self.order.last().expect("a live state").2
    }

    fn added(&mut self, _parent: Option<StateId>, states: &[Summary]) {
        for state in states {
            self.put((Reverse(0), state.depth, state.id), state.instructions);
        }
    }

    fn removed(&mut self, state: StateId) {
        if let Some((rank, _)) = self.known.remove(&state) {
            self.order.remove(&rank);
        }
    }

    fn updated(&mut self, state: &Summary) {
        let Some(&(before, mut since)) = self.known.get(&state.id) else {
            return;
        };
        let (Reverse(mut times), ..) = before;
        let most = PATIENCE.saturating_mul(1 << times.min(32));
        if state.instructions.saturating_sub(since) >= most {
            (times, since) = (times + 1, state.instructions);
        }
        let rank = (Reverse(times), state.depth, state.id);
        if rank != before {
            self.order.remove(&before);
            self.put(rank, since);
        }
    }
}

//! The path that is nearest to a target runs.
//!
//! The distance is the least number of instructions to one of the targets over jumps, calls and
//! returns (Ma et al., "Directed Symbolic Execution", SAS 2011: shortest-distance search). It knows no
//! conditions, so the nearest path may run for ever without coming nearer. So a path's distance
//! counts once more for each turn in which it has not come nearer than its part of the path had been
//! before; what is split off it has had its turns, too.

use super::{Entry, Needs, Searcher, StateId, Summary};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Its entry in the list.
pub const ENTRY: Entry = Entry {
    name: "directed",
    help: "the path nearest to a --target; turns that bring it no nearer count",
    needs: Needs::TARGETS,
    make: |_seed| Box::new(Directed::default()),
};

/// The distance of a path that no way is known of: behind all others.
const FAR: u32 = u32::MAX;

/// A live path.
#[derive(Clone, Copy)]
struct Path {
    /// The least distance that it has had.
    best: u32,
    /// Its distance now.
    distance: u32,
    /// Turns since it had come nearer.
    turns: u32,
}

impl Path {
    fn cost(self) -> u64 {
        let distance = u64::from(self.distance) + 1;
        match self.distance {
            FAR => u64::MAX,
            _ => distance * (u64::from(self.turns) + 1),
        }
    }
}

/// What orders paths: cost, turns, the latest first.
type Key = (u64, u32, std::cmp::Reverse<StateId>);

#[derive(Default)]
struct Directed {
    order: BTreeSet<Key>,
    paths: FxHashMap<StateId, Path>,
}

fn key(state: StateId, path: Path) -> Key {
    (path.cost(), path.turns, std::cmp::Reverse(state))
}

impl Directed {
    fn enter(&mut self, state: StateId, path: Path) {
        self.removed(state);
        self.order.insert(key(state, path));
        self.paths.insert(state, path);
    }
}

impl Searcher for Directed {
    fn select(&mut self) -> StateId {
        self.order.first().expect("a live state").2.0
    }

    fn added(&mut self, parent: Option<StateId>, states: &[Summary]) {
        let parent = parent.and_then(|parent| self.paths.get(&parent).copied());
        for summary in states {
            let distance = summary.target.unwrap_or(FAR);
            let best = parent.map_or(distance, |parent| parent.best);
            let path = match distance < best || parent.is_none() {
                true => Path {
                    best: distance,
                    distance,
                    turns: 0,
                },
                false => Path {
                    best,
                    distance,
                    turns: parent.map_or(0, |parent| parent.turns),
                },
            };
            self.enter(summary.id, path);
        }
    }

    fn removed(&mut self, state: StateId) {
        if let Some(path) = self.paths.remove(&state) {
            self.order.remove(&key(state, path));
        }
    }

    fn updated(&mut self, summary: &Summary) {
        let Some(&path) = self.paths.get(&summary.id) else {
            return;
        };
        let distance = summary.target.unwrap_or(FAR);
        let (best, turns) = match distance < path.best {
            true => (distance, 0),
            false => (path.best, path.turns.saturating_add(1)),
        };
        let path = Path {
            best,
            distance,
            turns,
        };
        self.enter(summary.id, path);
    }
}

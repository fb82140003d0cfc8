//! Equal turns for what follows each discovery, by a random walk.
//!
//! Whoever executes code of the program itself, or takes a side of a branch there, for the first time
//! makes a discovery; what is split off it later belongs to the same one. `nurs:covnew` prefers such
//! paths too, but each part of a path that splits counts as fresh in full, so that the discovery that
//! splits most gets nearly all turns. Here a discovery has one share, however many paths follow it, and
//! a random walk from where it was made says which of them runs.

use super::covnew_path::LOOP;
use super::fork_tree::ForkTree;
use super::random::Random;
use super::{Entry, Needs, Searcher, StateId, Summary};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Its entry in the list.
pub const ENTRY: Entry = Entry {
    name: "fresh",
    help: "equal turns for what follows each first execution of the program's code",
    needs: Needs::NOTHING,
    make: |seed| Box::new(Fresh::new(seed)),
};

/// The live paths that follow one discovery.
struct Family {
    turns: u64,
    paths: usize,
    tree: ForkTree,
}

struct Fresh {
    families: FxHashMap<u32, Family>,
    /// Turns and number of each family.
    order: BTreeSet<(u64, u32)>,
    /// The family of each live path.
    of: FxHashMap<StateId, u32>,
    random: Random,
}

impl Fresh {
    fn new(seed: u64) -> Self {
        Fresh {
            families: FxHashMap::default(),
            order: BTreeSet::new(),
            of: FxHashMap::default(),
            random: Random::new(seed),
        }
    }

    /// The family of a discovery, made if there is none.
    fn family(&mut self, discovery: u32) -> &mut Family {
        let order = &mut self.order;
        self.families.entry(discovery).or_insert_with(|| {
            order.insert((0, discovery));
            Family {
                turns: 0,
                paths: 0,
                tree: ForkTree::new(LOOP),
            }
        })
    }

    fn enter(&mut self, parent: Option<StateId>, states: &[Summary], discovery: u32) {
        let parent = parent.filter(|parent| self.of.get(parent) == Some(&discovery));
        let family = self.family(discovery);
        family.paths += states.len();
        for state in states {
            family.tree.add(parent, state.id, state.fork);
        }
        let of_it = states.iter().map(|state| (state.id, discovery));
        self.of.extend(of_it);
    }

    fn leave(&mut self, state: StateId) {
        let Some(discovery) = self.of.remove(&state) else {
            return;
        };
        let Some(family) = self.families.get_mut(&discovery) else {
            return;
        };
        family.tree.remove(state);
        family.paths -= 1;
        // Only a path that was deferred can come back to it; its turns are forgotten then.
        if family.paths == 0 {
            self.order.remove(&(family.turns, discovery));
            self.families.remove(&discovery);
        }
    }
}

impl Searcher for Fresh {
    fn select(&mut self) -> StateId {
        let (turns, discovery) = self.order.pop_first().expect("a live state");
        self.order.insert((turns + 1, discovery));
        let family = self.families.get_mut(&discovery).expect("a family");
        family.turns = turns + 1;
        family.tree.walk(&mut self.random, |_, _| true)
    }

    fn added(&mut self, parent: Option<StateId>, states: &[Summary]) {
        let mut rest = states;
        // Those of one discovery together, as they are of one fork.
        while let Some(first) = rest.first() {
            let of_it = rest
                .iter()
                .take_while(|state| state.discovery == first.discovery);
            let (now, later) = rest.split_at(of_it.count());
            self.enter(parent, now, first.discovery);
            rest = later;
        }
    }

    fn removed(&mut self, state: StateId) {
        self.leave(state);
    }

    fn updated(&mut self, summary: &Summary) {
        let before = self.of.get(&summary.id);
        if before.is_some_and(|&before| before != summary.discovery) {
            self.leave(summary.id);
            self.enter(None, std::slice::from_ref(summary), summary.discovery);
        }
    }
}

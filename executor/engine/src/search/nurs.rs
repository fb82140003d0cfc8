//! Non-uniform random search: a live state chosen with a probability in proportion to a weight.
//!
//! Each member of the family is a weight function over [`Summary`]; the weights are KLEE's. A
//! state's weight is renewed when it is updated (after it has run), not when the world changes.

use super::random::Random;
use super::sum_tree::SumTree;
use super::{Entry, Needs, Searcher, StateId, Summary};
use rustc_hash::FxHashMap;

type Weight = fn(&Summary) -> f64;

macro_rules! member {
    ($constant:ident, $name:literal, $help:literal, $needs:expr, $weight:expr) => {
        #[doc = concat!("`", $name, "`.")]
        pub const $constant: Entry = Entry {
            name: $name,
            help: $help,
            needs: $needs,
            make: |seed| Box::new(Nurs::new(seed, $weight)),
        };
    };
}

member!(
    COVNEW,
    "nurs:covnew",
    "prefers paths that covered new code lately or are close to uncovered code",
    Needs::DISTANCE,
    |state| {
        let near = inverse_distance(state);
        // The grace of 1000 instructions is KLEE's: within it a path counts as fresh.
        let fresh = match state.since_new {
            Some(since) => 1.0 / since.saturating_sub(1000).max(1) as f64,
            None => 0.0,
        };
        fresh * fresh + near * near
    }
);
member!(
    CPICNT,
    "nurs:cpicnt",
    "prefers call stacks under which few instructions have been executed",
    Needs::CALL_PATHS,
    |state| 1.0 / state.call_path_count.max(1) as f64
);
member!(
    DEPTH,
    "nurs:depth",
    "prefers paths with many forks",
    Needs::NOTHING,
    |state| f64::from(state.depth.max(1))
);
member!(
    ICNT,
    "nurs:icnt",
    "prefers paths about to execute a rarely executed instruction",
    Needs::NOTHING,
    |state| {
        let inverse = 1.0 / state.location_count.max(1) as f64;
        inverse * inverse
    }
);
member!(
    MD2U,
    "nurs:md2u",
    "prefers paths close to uncovered code (least distance in instructions)",
    Needs::DISTANCE,
    |state| {
        let near = inverse_distance(state);
        near * near
    }
);
member!(
    QC,
    "nurs:qc",
    "prefers paths that have cost few solver queries",
    Needs::NOTHING,
    |state| 1.0 / state.queries.max(1) as f64
);
member!(
    RP,
    "nurs:rp",
    "prefers paths with few forks: weight 1/2^forks",
    Needs::NOTHING,
    // Below 2^-1000 a double runs out of exponent, and a weight of 0 would starve the path.
    |state| 0.5f64.powi(state.depth.min(1000) as i32)
);

/// 1 / distance to uncovered code; a path that reaches none is taken to be 10000 away.
fn inverse_distance(state: &Summary) -> f64 {
    match state.distance {
        Some(distance) => 1.0 / f64::from(distance.max(1)),
        None => 1.0 / 10_000.0,
    }
}

struct Nurs {
    weight: Weight,
    tree: SumTree,
    /// The state in each slot of the tree; slots of ended states are used again.
    slots: Vec<Option<StateId>>,
    free: Vec<usize>,
    position: FxHashMap<StateId, usize>,
    random: Random,
}

impl Nurs {
    fn new(seed: u64, weight: Weight) -> Self {
        Nurs {
            weight,
            tree: SumTree::new(),
            slots: Vec::new(),
            free: Vec::new(),
            position: FxHashMap::default(),
            random: Random::new(seed),
        }
    }
}

impl Searcher for Nurs {
    fn select(&mut self) -> StateId {
        assert!(!self.position.is_empty(), "a live state");
        let slot = self.tree.slot_at(self.random.unit());
        self.slots[slot].expect("a slot with weight holds a state")
    }

    fn added(&mut self, _parent: Option<StateId>, states: &[Summary]) {
        for summary in states {
            let slot = self.free.pop().unwrap_or_else(|| {
                self.slots.push(None);
                self.slots.len() - 1
            });
            self.slots[slot] = Some(summary.id);
            self.position.insert(summary.id, slot);
            self.tree.set(slot, (self.weight)(summary));
        }
    }

    fn removed(&mut self, state: StateId) {
        if let Some(slot) = self.position.remove(&state) {
            self.slots[slot] = None;
            self.tree.set(slot, 0.0);
            self.free.push(slot);
        }
    }

    fn updated(&mut self, summary: &Summary) {
        if let Some(&slot) = self.position.get(&summary.id) {
            self.tree.set(slot, (self.weight)(summary));
        }
    }
}

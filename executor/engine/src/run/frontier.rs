//! The frontier: states that have not ended, and what chooses among them.

use crate::api::id::StateId;
use crate::fork::merge::Groups;
use crate::run::cold::Cold;
use crate::run::pressure::MemoryPressure;
use crate::search::{Searcher, Summary};
use crate::state::State;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The live states and what chooses among them.
pub(super) struct Frontier {
    pub states: FxHashMap<StateId, Box<State>>,
    pub searcher: Box<dyn Searcher>,
    /// The searcher that takes over under memory pressure.
    pub pressure: MemoryPressure,
    /// The state that ran last, if it goes on: it is ready to.
    pub last: Option<StateId>,
    /// States that wait for others to be merged with; the searcher knows nothing of them.
    pub merges: Groups,
    /// States deferred at a hard query, until nothing cheaper is left: those that have waited the
    /// fewest times first. The searcher knows nothing of them.
    pub deferred: BTreeMap<(u32, StateId), Box<State>>,
    /// The states that the run began with, if seeds may come that are to begin with them.
    pub beginnings: Vec<State>,
    /// Paths that wait without their states.
    pub cold: FxHashMap<StateId, Cold>,
    /// The initial states, to begin from again.
    pub roots: Vec<State>,
}

plat_expr::holder!(Frontier { states, merges, deferred, beginnings, roots }
    plain { searcher, pressure, last, cold });

impl Frontier {
    /// Without states.
    pub fn new(searcher: Box<dyn Searcher>, most_memory: Option<u64>) -> Self {
        Frontier {
            states: FxHashMap::default(),
            searcher,
            pressure: MemoryPressure::new(most_memory),
            last: None,
            merges: Groups::default(),
            deferred: BTreeMap::new(),
            beginnings: Vec::new(),
            cold: FxHashMap::default(),
            roots: Vec::new(),
        }
    }

    /// States that have not ended.
    pub fn live(&self) -> usize {
        self.states.len() + self.cold.len() + self.deferred.len() + self.merges.waiting()
    }

    /// States that may run, now or later, and are not cold.
    pub fn runnable(&self) -> usize {
        self.states.len() + self.deferred.len()
    }

    /// Whether the searcher has no state to choose.
    pub fn nothing_to_choose(&self) -> bool {
        self.states.is_empty() && self.cold.is_empty()
    }

    pub fn added(&mut self, parent: Option<StateId>, states: &[Summary]) {
        self.searcher.added(parent, states);
        if let Some(deepest) = self.pressure.searcher() {
            deepest.added(parent, states);
        }
    }

    pub fn removed(&mut self, state: StateId) {
        self.searcher.removed(state);
        if let Some(deepest) = self.pressure.searcher() {
            deepest.removed(state);
        }
    }

    /// Takes a state out, deferred or not.
    pub fn take(&mut self, id: StateId) -> Option<Box<State>> {
        if let Some(state) = self.states.remove(&id) {
            self.removed(id);
            return Some(state);
        }
        let key = self
            .deferred
            .keys()
            .find(|(_, deferred)| *deferred == id)
            .copied();
        key.and_then(|key| self.deferred.remove(&key))
    }

    pub fn updated(&mut self, summary: &Summary) {
        self.searcher.updated(summary);
        if let Some(deepest) = self.pressure.searcher() {
            deepest.updated(summary);
        }
    }

    pub fn select(&mut self) -> StateId {
        match self.pressure.searcher() {
            Some(deepest) => deepest.select(),
            None => self.searcher.select(),
        }
    }
}

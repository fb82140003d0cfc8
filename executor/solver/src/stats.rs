//! What solving cost and which layer answered.

use std::collections::BTreeMap;
use std::time::Duration;

/// How often a layer answered by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LayerStats {
    /// Queries it answered.
    pub hits: u64,
    /// Queries it passed on.
    pub misses: u64,
}

/// Counts and times of one solver chain and the oracle above it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SolverStats {
    /// Questions that were asked of the oracle.
    pub questions: u64,
    /// Questions that the facts or the state's own model answered.
    pub free: u64,
    /// Queries that entered the chain.
    pub queries: u64,
    /// Queries that reached the back end.
    pub backend_queries: u64,
    /// The nodes of their expressions, those that several share counted for each.
    pub backend_nodes: u64,
    /// Of the queries, the satisfiable ones.
    pub backend_sat: u64,
    /// Of those, the unsatisfiable ones.
    pub backend_unsat: u64,
    /// Of those, the undecided ones.
    pub backend_unknown: u64,
    /// Of those, the ones that were put off with a part of the work ([`crate::Effort`]).
    pub backend_postponed: u64,
    /// Time spent in the chain.
    pub wall: Duration,
    /// Time spent in the back end.
    pub backend_wall: Duration,
    /// The longest time that the back end spent on one query.
    pub backend_longest: Duration,
    /// How often the back end started afresh because it had grown too large.
    pub backend_resets: u64,
    /// Answers of the back end that evaluation refuted. Always 0, or the back end is wrong.
    pub wrong_models: u64,
    /// Queries on which two back ends disagreed. Always 0, or one of them is wrong.
    pub disagreements: u64,
    /// What each layer answered, by name.
    pub layers: BTreeMap<&'static str, LayerStats>,
}

impl SolverStats {
    /// Adds the counts of a layer.
    pub fn add_layer(&mut self, name: &'static str, counts: LayerStats) {
        let layer = self.layers.entry(name).or_default();
        layer.hits += counts.hits;
        layer.misses += counts.misses;
    }
}

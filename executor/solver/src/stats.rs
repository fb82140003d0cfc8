//! Statistics of the solver chain: counts, times, hits by layer.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use crate::watched::Longest;

/// How often a layer answered a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LayerStats {
    /// Queries it answered.
    pub hits: u64,
    /// Queries it passed on.
    pub misses: u64,
}

/// Answers that are wrong. Not 0 means a bug.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct WrongAnswers {
    /// Models of the back end that do not satisfy the query.
    pub models: u64,
    /// Queries on which two back ends disagreed.
    pub disagreements: u64,
}

/// Counts and times of one solver chain and the oracle above it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SolverStats {
    /// Queries to the oracle.
    pub questions: u64,
    /// Of these, the ones answered without the chain: by facts or by the state's model.
    pub free: u64,
    /// Queries answered with what an earlier walk of the same path was answered.
    pub remembered: u64,
    /// Queries that entered the chain.
    pub queries: u64,
    /// Queries that reached the back end.
    pub backend_queries: u64,
    /// The nodes of these queries; shared nodes count once for each query.
    pub backend_nodes: u64,
    /// Of the back end's queries, the satisfiable ones.
    pub backend_sat: u64,
    /// Of the back end's queries, the unsatisfiable ones.
    pub backend_unsat: u64,
    /// Of the back end's queries, the undecided ones.
    pub backend_unknown: u64,
    /// Of the back end's queries, the ones postponed at the end of their budget
    /// ([`crate::Effort`]).
    pub backend_postponed: u64,
    /// Time spent in the chain.
    pub wall: Duration,
    /// Time spent in the back end.
    pub backend_wall: Duration,
    /// The longest time the back end spent on one query.
    pub backend_longest: Duration,
    /// How often the back end dropped its state: too large, half built or crashed.
    pub backend_resets: u64,
    /// Answers that are wrong.
    pub wrong: WrongAnswers,
    /// The queries that took longest.
    pub longest: Longest,
    /// Hits and misses of each layer, by name.
    pub layers: BTreeMap<Cow<'static, str>, LayerStats>,
}

impl SolverStats {
    /// Adds the counts of a layer.
    pub fn add_layer(&mut self, name: &'static str, counts: LayerStats) {
        let layer = self.layers.entry(name.into()).or_default();
        layer.hits += counts.hits;
        layer.misses += counts.misses;
    }
}

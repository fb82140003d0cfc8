//! Remembers the answer to every set of constraints. Expressions are hash-consed and free of
//! addresses that differ between paths, so equal questions on sibling paths are equal keys. What
//! contains a refuted set is refuted: the same condition asked again further down a path.

use plat_expr::{Assignment, ExprId, Pool};
use rustc_hash::FxHashMap;

use crate::answer::{Answer, Query, Solver};
use crate::stats::{LayerStats, SolverStats};

/// How many ids the keys may hold together before the cache starts afresh (4 bytes each).
const IDS: usize = 1 << 25;

/// How many refuted sets are tried for one constraint.
const REFUTED: usize = 8;

/// Whether every element of the sorted `small` is in the sorted `large`.
fn is_subset(small: &[ExprId], large: &[ExprId]) -> bool {
    let mut rest = large.iter();
    small.len() <= large.len() && small.iter().all(|id| rest.any(|other| other == id))
}

/// A cache above `inner`. Unknown answers are not kept.
pub struct QueryCache {
    inner: Box<dyn Solver>,
    answers: FxHashMap<Box<[ExprId]>, Option<Assignment>>,
    /// Refuted sets by the constraint that was new in them, the last of the query.
    refuted: FxHashMap<ExprId, Vec<Box<[ExprId]>>>,
    ids: usize,
    counts: LayerStats,
}

impl QueryCache {
    /// Above `inner`.
    pub fn new(inner: Box<dyn Solver>) -> Self {
        Self {
            inner,
            answers: FxHashMap::default(),
            refuted: FxHashMap::default(),
            ids: 0,
            counts: LayerStats::default(),
        }
    }
}

impl Solver for QueryCache {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        let mut key = query.constraints.to_vec();
        key.sort_unstable();
        key.dedup();
        if let Some(answer) = self.answers.get(&key[..]) {
            self.counts.hits += 1;
            return match answer {
                Some(model) => Answer::Sat(model.clone()),
                None => Answer::Unsat,
            };
        }
        let newest = query.constraints.last().copied();
        if let Some(sets) = newest.and_then(|newest| self.refuted.get(&newest))
            && sets.iter().any(|set| is_subset(set, &key))
        {
            self.counts.hits += 1;
            return Answer::Unsat;
        }
        self.counts.misses += 1;
        let answer = self.inner.check(pool, query);
        let kept = match &answer {
            Answer::Sat(model) => Some(model.clone()),
            Answer::Unsat => None,
            Answer::Unknown(_) => return answer,
        };
        if self.ids > IDS {
            self.answers.clear();
            self.refuted.clear();
            self.ids = 0;
        }
        self.ids += key.len();
        if let (None, Some(newest)) = (&kept, newest) {
            let sets = self.refuted.entry(newest).or_default();
            if sets.len() == REFUTED {
                sets.remove(0);
            }
            sets.push(key.clone().into());
        }
        self.answers.insert(key.into(), kept);
        answer
    }

    fn stats(&self, out: &mut SolverStats) {
        out.add_layer("query_cache", self.counts);
        self.inner.stats(out);
    }
}

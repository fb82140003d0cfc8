//! Remembers the answer to every set of constraints. Expressions are hash-consed and free of
//! addresses that differ between paths, so equal questions on sibling paths are equal keys.

use plat_expr::{Assignment, ExprId, Pool};
use rustc_hash::FxHashMap;

use crate::answer::{Answer, Query, Solver};
use crate::stats::{LayerStats, SolverStats};

/// How many ids the keys may hold together before the cache starts afresh (4 bytes each).
const IDS: usize = 1 << 25;

/// A cache above `inner`. Unknown answers are not kept.
pub struct QueryCache {
    inner: Box<dyn Solver>,
    answers: FxHashMap<Box<[ExprId]>, Option<Assignment>>,
    ids: usize,
    counts: LayerStats,
}

impl QueryCache {
    /// Above `inner`.
    pub fn new(inner: Box<dyn Solver>) -> Self {
        Self {
            inner,
            answers: FxHashMap::default(),
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
        self.counts.misses += 1;
        let answer = self.inner.check(pool, query);
        let kept = match &answer {
            Answer::Sat(model) => Some(model.clone()),
            Answer::Unsat => None,
            Answer::Unknown(_) => return answer,
        };
        if self.ids > IDS {
            self.answers.clear();
            self.ids = 0;
        }
        self.ids += key.len();
        self.answers.insert(key.into(), kept);
        answer
    }

    fn stats(&self, out: &mut SolverStats) {
        out.add_layer("query_cache", self.counts);
        self.inner.stats(out);
    }
}

//! Caches the answer to every set of constraints. Expressions are hash-consed and contain no
//! addresses that differ between paths, so sibling paths have equal keys for equal queries. A
//! superset of an unsatisfiable set is unsatisfiable: the same condition later on a path.

use plat_expr::{Assignment, ExprId, Moves, Pool, Weak};
use rustc_hash::FxHashMap;

use crate::answer::{Answer, Query, Solver};
use crate::stats::{LayerStats, SolverStats};

/// The total number of ids in keys (4 bytes each) at which the cache is cleared.
const IDS: usize = 1 << 25;

/// How many unsatisfiable sets are kept for one constraint.
const UNSAT_SETS: usize = 8;

/// Whether every element of the sorted `small` is in the sorted `large`.
fn is_subset(small: &[ExprId], large: &[ExprId]) -> bool {
    let mut rest = large.iter();
    small.len() <= large.len() && small.iter().all(|id| rest.any(|other| other == id))
}

/// The cached answers.
#[derive(Default)]
struct Answers {
    known: FxHashMap<Box<[ExprId]>, Option<Assignment>>,
    /// Unsatisfiable sets by the last constraint of their query, which is the new one on the path.
    unsat: FxHashMap<ExprId, Vec<Box<[ExprId]>>>,
    ids: usize,
}

impl Weak for Answers {
    fn forget(&mut self, moves: &Moves) {
        let Self { known, unsat, ids } = self;
        let kept_set = |set: Box<[ExprId]>| moves.all_kept(&set).map(Box::from);
        let all = std::mem::take(known).into_iter();
        *known = all
            .filter_map(|(set, answer)| Some((kept_set(set)?, answer)))
            .collect();
        let all = std::mem::take(unsat).into_iter();
        let kept = all.filter_map(|(newest, sets)| {
            let sets: Vec<Box<[ExprId]>> = sets.into_iter().filter_map(kept_set).collect();
            Some((moves.kept(newest)?, sets)).filter(|(_, sets)| !sets.is_empty())
        });
        *unsat = kept.collect();
        *ids = known.keys().map(|set| set.len()).sum();
    }
}

/// A cache above `inner`. Unknown answers are not cached.
pub struct QueryCache {
    inner: Box<dyn Solver>,
    answers: Answers,
    counts: LayerStats,
}

impl QueryCache {
    /// Above `inner`.
    pub fn new(inner: Box<dyn Solver>) -> Self {
        Self {
            inner,
            answers: Answers::default(),
            counts: LayerStats::default(),
        }
    }
}

plat_expr::holder!(QueryCache { inner } plain { counts } weak { answers });

impl Solver for QueryCache {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        let mut key = query.constraints.to_vec();
        key.sort_unstable();
        key.dedup();
        if let Some(answer) = self.answers.known.get(&key[..]) {
            self.counts.hits += 1;
            return match answer {
                Some(model) => Answer::Sat(model.clone()),
                None => Answer::Unsat,
            };
        }
        let newest = query.constraints.last().copied();
        if let Some(sets) = newest.and_then(|newest| self.answers.unsat.get(&newest))
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
        if self.answers.ids > IDS {
            self.answers = Answers::default();
        }
        self.answers.ids += key.len();
        if let (None, Some(newest)) = (&kept, newest) {
            let sets = self.answers.unsat.entry(newest).or_default();
            if sets.len() == UNSAT_SETS {
                sets.remove(0);
            }
            sets.push(key.clone().into());
        }
        self.answers.known.insert(key.into(), kept);
        answer
    }

    fn stats(&self, out: &mut SolverStats) {
        out.add_layer("query_cache", self.counts);
        self.inner.stats(out);
    }
}

//! Constraint independence: splits a query into parts that share no input byte, solves them one by
//! one and merges their models. Most queries have one part, as the oracle sends only relevant
//! constraints. There are more when a layer above has removed the constraint that connected them.

use plat_expr::{Assignment, ExprId, FALSE, Pool, SymbolId, SymbolSet, TRUE};
use rustc_hash::FxHashMap;

use crate::answer::{Answer, Query, Solver};
use crate::stats::{LayerStats, SolverStats};

/// Splits queries above `inner`.
pub struct Independence {
    inner: Box<dyn Solver>,
    counts: LayerStats,
}

impl Independence {
    /// Above `inner`.
    pub fn new(inner: Box<dyn Solver>) -> Self {
        Self {
            inner,
            counts: LayerStats::default(),
        }
    }
}

/// Partitions constraints into groups that share no byte, ordered by their first constraint.
pub(crate) fn partition(pool: &Pool, constraints: &[ExprId]) -> Vec<Vec<ExprId>> {
    let mut parent: Vec<usize> = (0..constraints.len()).collect();
    fn root(parent: &mut [usize], mut at: usize) -> usize {
        while parent[at] != at {
            parent[at] = parent[parent[at]];
            at = parent[at];
        }
        at
    }
    let mut first: FxHashMap<(SymbolId, u32), usize> = FxHashMap::default();
    for (at, &constraint) in constraints.iter().enumerate() {
        for byte in pool.symbols(constraint).iter() {
            let other = *first.entry(byte).or_insert(at);
            let (a, b) = (root(&mut parent, at), root(&mut parent, other));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut groups: Vec<Vec<ExprId>> = vec![Vec::new(); constraints.len()];
    for (at, &constraint) in constraints.iter().enumerate() {
        groups[root(&mut parent, at)].push(constraint);
    }
    groups.retain(|group| !group.is_empty());
    groups
}

plat_expr::holder!(Independence { inner } plain { counts });

impl Solver for Independence {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        if query.constraints.contains(&FALSE) {
            self.counts.hits += 1;
            return Answer::Unsat;
        }
        let constraints: Vec<ExprId> = query
            .constraints
            .iter()
            .copied()
            .filter(|&c| c != TRUE)
            .collect();
        if constraints.is_empty() {
            self.counts.hits += 1;
            return Answer::Sat(Assignment::new());
        }
        let groups = partition(pool, &constraints);
        if let [group] = &groups[..] {
            self.counts.misses += 1;
            return self.inner.check(pool, &query.with(group));
        }
        // The solver below answers the parts.
        self.counts.misses += 1;
        let mut merged = Assignment::new();
        let mut unknown = None;
        for group in &groups {
            match self.inner.check(pool, &query.with(group)) {
                Answer::Unsat => return Answer::Unsat,
                Answer::Unknown(reason) => unknown = Some(reason),
                Answer::Sat(model) => {
                    let bytes: SymbolSet =
                        group.iter().flat_map(|&c| pool.symbols(c).iter()).collect();
                    merged = model.merged_over(&merged, &bytes);
                }
            }
        }
        match unknown {
            Some(reason) => Answer::Unknown(reason),
            None => Answer::Sat(merged),
        }
    }

    fn stats(&self, out: &mut SolverStats) {
        out.add_layer("independence", self.counts);
        self.inner.stats(out);
    }
}

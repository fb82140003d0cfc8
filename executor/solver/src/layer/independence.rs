//! Splits a query into parts that share no input byte and solves them one by one; the models of
//! the parts are joined. Most queries are of one part already, since the oracle asks only with
//! the relevant constraints; a part here is smaller than a component of the path condition when
//! a query drops the constraint that connected it.

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

/// The constraints in groups that share no byte, in the order of each group's first constraint.
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
        // The parts are answered below.
        self.counts.misses += 1;
        let mut joined = Assignment::new();
        let mut unknown = None;
        for group in &groups {
            match self.inner.check(pool, &query.with(group)) {
                Answer::Unsat => return Answer::Unsat,
                Answer::Unknown(reason) => unknown = Some(reason),
                Answer::Sat(model) => {
                    let bytes: SymbolSet =
                        group.iter().flat_map(|&c| pool.symbols(c).iter()).collect();
                    joined = model.merged_over(&joined, &bytes);
                }
            }
        }
        match unknown {
            Some(reason) => Answer::Unknown(reason),
            None => Answer::Sat(joined),
        }
    }

    fn stats(&self, out: &mut SolverStats) {
        out.add_layer("independence", self.counts);
        self.inner.stats(out);
    }
}

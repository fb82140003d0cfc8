//! The common part of layers that answer some queries and never change one.

use plat_expr::{Holder, Marks, Moves, Pool};

use crate::answer::{Answer, Query, Solver};
use crate::stats::{LayerStats, SolverStats};

/// A decision procedure for some queries.
pub trait Decide: Default + Holder {
    /// Its name in statistics.
    const NAME: &'static str;

    /// The answer, or `None` to pass the query on.
    fn decide(&mut self, pool: &mut Pool, query: &Query<'_>) -> Option<Answer>;

    /// Learns that a query that was passed on took that many operations.
    fn passed_on(&mut self, _pool: &Pool, _query: &Query<'_>, _operations: u64) {}
}

/// A procedure above a solver that gets the other queries.
pub struct Layer<D> {
    procedure: D,
    inner: Box<dyn Solver>,
    counts: LayerStats,
}

impl<D: Decide> Layer<D> {
    /// Above `inner`.
    pub fn new(inner: Box<dyn Solver>) -> Self {
        Self {
            procedure: D::default(),
            inner,
            counts: LayerStats::default(),
        }
    }
}

impl<D: Decide> Holder for Layer<D> {
    fn mark(&self, marks: &mut Marks<'_>) {
        let Self {
            procedure,
            inner,
            counts: _,
        } = self;
        procedure.mark(marks);
        inner.mark(marks);
    }

    fn relocate(&mut self, moves: &mut Moves) {
        let Self {
            procedure,
            inner,
            counts: _,
        } = self;
        procedure.relocate(moves);
        inner.relocate(moves);
    }
}

impl<D: Decide> Solver for Layer<D> {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        if let Some(answer) = self.procedure.decide(pool, query) {
            self.counts.hits += 1;
            return answer;
        }
        self.counts.misses += 1;
        let before = query.charged();
        let answer = self.inner.check(pool, query);
        self.procedure
            .passed_on(pool, query, query.charged() - before);
        answer
    }

    fn stats(&self, out: &mut SolverStats) {
        out.add_layer(D::NAME, self.counts);
        self.inner.stats(out);
    }
}

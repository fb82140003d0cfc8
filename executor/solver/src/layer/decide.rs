//! What layers have in common that answer some queries by themselves and never change one.

use plat_expr::Pool;

use crate::answer::{Answer, Query, Solver};
use crate::stats::{LayerStats, SolverStats};

/// A procedure that answers some queries.
pub trait Decide: Default {
    /// Its name in statistics.
    const NAME: &'static str;

    /// The answer, if it is found.
    fn decide(&mut self, pool: &mut Pool, query: &Query<'_>) -> Option<Answer>;
}

/// The procedure above a solver, which gets the other queries.
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

impl<D: Decide> Solver for Layer<D> {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        if let Some(answer) = self.procedure.decide(pool, query) {
            self.counts.hits += 1;
            return answer;
        }
        self.counts.misses += 1;
        self.inner.check(pool, query)
    }

    fn stats(&self, out: &mut SolverStats) {
        out.add_layer(D::NAME, self.counts);
        self.inner.stats(out);
    }
}

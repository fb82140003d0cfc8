//! Tries recent models: an assignment that satisfied one query often satisfies the next. Each model
//! has an evaluation cache, so trying it costs only the new nodes.

use plat_expr::{Assignment, EvalMemo, Pool};

use crate::answer::{Answer, Query, Solver};
use crate::stats::{LayerStats, SolverStats};

/// How many models are tried.
const MODELS: usize = 16;
/// How many values are cached for one model before they are dropped.
const VALUES: usize = 1 << 18;

/// Recent models above `inner`, the last one used first.
pub struct ModelReuse {
    inner: Box<dyn Solver>,
    models: Vec<(Assignment, EvalMemo)>,
    counts: LayerStats,
}

impl ModelReuse {
    /// Above `inner`.
    pub fn new(inner: Box<dyn Solver>) -> Self {
        Self {
            inner,
            models: Vec::new(),
            counts: LayerStats::default(),
        }
    }
}

plat_expr::holder!(ModelReuse { inner } plain { counts } weak { models });

impl Solver for ModelReuse {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        let fits = self.models.iter_mut().position(|(model, memo)| {
            if memo.len() > VALUES {
                *memo = EvalMemo::new();
            }
            // The last constraint is the new one, the likeliest to fail.
            query
                .constraints
                .iter()
                .rev()
                .all(|&c| pool.holds(c, model, memo))
        });
        if let Some(at) = fits {
            self.counts.hits += 1;
            self.models[..=at].rotate_right(1);
            return Answer::Sat(self.models[0].0.clone());
        }
        self.counts.misses += 1;
        let answer = self.inner.check(pool, query);
        if let Answer::Sat(model) = &answer {
            self.models.truncate(MODELS - 1);
            self.models.insert(0, (model.clone(), EvalMemo::new()));
        }
        answer
    }

    fn stats(&self, out: &mut SolverStats) {
        out.add_layer("model_reuse", self.counts);
        self.inner.stats(out);
    }
}

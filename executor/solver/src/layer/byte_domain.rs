//! Constraints on one input byte are decided without a solver: each has a table of the 256
//! values that satisfy it, computed once, and a query is the intersection of tables. Programs
//! that read text branch on single characters most of the time.

use plat_expr::{Assignment, ExprId, Pool, SymbolId};
use rustc_hash::FxHashMap;

use crate::answer::{Answer, Query, Solver};
use crate::stats::{LayerStats, SolverStats};

/// Nodes below a constraint beyond which its table is not computed.
const NODES: usize = 2000;

/// The values of a byte, one bit each.
type Values = [u64; 4];

/// Tables above `inner`.
pub struct ByteDomain {
    inner: Box<dyn Solver>,
    tables: FxHashMap<ExprId, Option<Values>>,
    counts: LayerStats,
}

impl ByteDomain {
    /// Above `inner`.
    pub fn new(inner: Box<dyn Solver>) -> Self {
        Self {
            inner,
            tables: FxHashMap::default(),
            counts: LayerStats::default(),
        }
    }

    /// The values of `byte` that satisfy all constraints, which depend on nothing else.
    fn intersection(
        &mut self,
        pool: &Pool,
        constraints: &[ExprId],
        byte: (SymbolId, u32),
    ) -> Option<Values> {
        let mut values = [u64::MAX; 4];
        // The last constraint is the new one; if its table is unknown the others do not matter.
        for &constraint in constraints.iter().rev() {
            let table = *self
                .tables
                .entry(constraint)
                .or_insert_with(|| pool.byte_table(constraint, byte, NODES));
            for (kept, satisfying) in values.iter_mut().zip(table?) {
                *kept &= satisfying;
            }
        }
        Some(values)
    }
}

/// The one byte that all constraints depend on.
fn only_byte(pool: &Pool, constraints: &[ExprId]) -> Option<(SymbolId, u32)> {
    let (&first, rest) = constraints.split_first()?;
    let bytes = pool.symbols(first);
    let alone = bytes.len() == 1 && rest.iter().all(|&c| pool.symbols(c) == bytes);
    if alone { bytes.iter().next() } else { None }
}

impl Solver for ByteDomain {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        if let Some(byte) = only_byte(pool, query.constraints)
            && let Some(values) = self.intersection(pool, query.constraints, byte)
        {
            self.counts.hits += 1;
            return match values.iter().position(|&word| word != 0) {
                None => Answer::Unsat,
                Some(word) => {
                    let mut model = Assignment::new();
                    let value = word * 64 + values[word].trailing_zeros() as usize;
                    model.set_byte(byte.0, byte.1, value as u8);
                    Answer::Sat(model)
                }
            };
        }
        self.counts.misses += 1;
        self.inner.check(pool, query)
    }

    fn stats(&self, out: &mut SolverStats) {
        out.add_layer("byte_domain", self.counts);
        self.inner.stats(out);
    }
}

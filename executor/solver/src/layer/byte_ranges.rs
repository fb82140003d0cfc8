//! Decides constraints from what their bytes can be: an interval and known bits are computed for
//! every node from the values that constraints on single bytes leave.
//!
//! Where text is hashed, each path compares the hash of some letters with those of the names that are
//! known, and most of these are too long to have such a small one. What no values satisfy refutes the
//! query; what all of them satisfy is left out of it. (So they must be what constraints on single bytes
//! leave, which stay: a constraint that has narrowed its own bytes would be left out for that.)

use plat_expr::{Narrowed, Pool};
use rustc_hash::FxHashMap;

use super::byte_tables::{Byte, ByteTables, Values, intersect};
use crate::answer::{Answer, Query, Solver};
use crate::stats::{LayerStats, SolverStats};

/// Ranges above `inner`.
pub struct ByteRanges {
    inner: Box<dyn Solver>,
    tables: ByteTables,
    counts: LayerStats,
}

impl ByteRanges {
    /// Above `inner`.
    pub fn new(inner: Box<dyn Solver>) -> Self {
        Self {
            inner,
            tables: ByteTables::default(),
            counts: LayerStats::default(),
        }
    }
}

impl Solver for ByteRanges {
    fn check(&mut self, pool: &mut Pool, query: &Query<'_>) -> Answer {
        let (mut domains, mut others): (FxHashMap<Byte, Values>, usize) = Default::default();
        for &constraint in query.constraints {
            match self.tables.of(pool, constraint) {
                Some((byte, values)) => {
                    intersect(domains.entry(byte).or_insert([u64::MAX; 4]), &values);
                }
                None => others += 1,
            }
        }
        if domains.is_empty() || others == 0 {
            self.counts.misses += 1;
            return self.inner.check(pool, query);
        }
        let mut narrowed = Narrowed::new(domains);
        let mut left = Vec::with_capacity(query.constraints.len());
        for &constraint in query.constraints {
            let alone = self.tables.of(pool, constraint).is_some();
            match (!alone).then(|| narrowed.holds(pool, constraint)).flatten() {
                Some(false) => {
                    self.counts.hits += 1;
                    return Answer::Unsat;
                }
                Some(true) => {}
                None => left.push(constraint),
            }
        }
        self.counts.misses += 1;
        self.inner.check(pool, &query.with(&left))
    }

    fn stats(&self, out: &mut SolverStats) {
        out.add_layer("byte_ranges", self.counts);
        self.inner.stats(out);
    }
}

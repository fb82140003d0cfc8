//! Abstract interpretation of constraints: computes an interval and known bits for every node from
//! the domains that single-byte constraints leave the input bytes.
//!
//! A constraint that is false for all these values refutes the query; one that is always true is
//! dropped. For example, a program that hashes names compares the hash of a few letters with the
//! hashes of known names, most of which are out of range. Only single-byte constraints narrow the
//! domains, and they are never dropped: a constraint must not justify its own removal.

use plat_expr::{Narrowed, Pool};
use rustc_hash::FxHashMap;

use super::byte_tables::{Byte, ByteTables, Values, intersect};
use crate::answer::{Answer, Query, Solver};
use crate::stats::{LayerStats, SolverStats};

/// The layer above `inner`.
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

plat_expr::holder!(ByteRanges { inner } plain { counts } weak { tables });

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

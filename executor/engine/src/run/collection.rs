//! When expressions are given back that nothing holds.
//!
//! A collection visits all states and caches, so there is one only when the pool has become so much
//! larger than it was after the last one that most of it is likely to be garbage, and before states
//! are dropped because memory is scarce. All expressions are in states, tables and caches between two
//! batches, when nothing runs.

use super::Run;
use crate::api::config::Collect;
use std::time::{Duration, Instant};

/// The pool is not collected below this size: half a million expressions are made in a second.
const LEAST: u64 = 16 << 20;

/// How many times the pool must have grown since the last collection.
const GROWTH: u64 = 2;

/// The part of the time that collections may take while memory is not scarce: one visits all states,
/// which takes 0.75 s for 1.5 GiB of them.
const SHARE: u32 = 20;

/// Where memory is scarce, the part of the bound by which the pool must have grown.
const NEED: u64 = 16;

/// When the pool is collected next.
#[derive(Default)]
pub(super) struct Collecting {
    /// Bytes that the last collection has left.
    left: u64,
    /// The end of the last collection, and the time that it took.
    last: Option<(Instant, Duration)>,
}

impl Collecting {
    /// Whether the last collection is so long ago that another one takes a small part of the time.
    fn may_collect(&self) -> bool {
        self.last
            .is_none_or(|(end, took)| end.elapsed() >= took * SHARE)
    }
}

// The states and all that steps work with.
plat_expr::holder!(Run<'_> { exec, frontier }
    plain { workers, guidance, faults, collecting, late, subsumption, ends, next_tick, spent });

impl Run<'_> {
    /// The constants of the program and the initial states stay for ever.
    pub(super) fn begin_collecting(&mut self) {
        let pool = &mut self.exec.pool;
        pool.keep_all();
        if self.exec.config.memory.collect == Collect::Always {
            pool.test_collections();
        }
        self.collecting.left = pool.bytes();
    }

    /// Collects the pool if it has grown enough.
    pub(super) fn collect_if_due(&mut self) {
        let due = match self.exec.config.memory.collect {
            Collect::Always => true,
            Collect::Never => false,
            Collect::Grown => {
                let least = LEAST.max(self.collecting.left.saturating_mul(GROWTH));
                self.exec.pool.bytes() >= least && self.collecting.may_collect()
            }
        };
        if due {
            self.collect();
        }
    }

    /// Collects the pool, as memory is scarce, if that may help; whether it was.
    pub(super) fn collect_in_need(&mut self) -> bool {
        let most = self.exec.config.limits.memory.unwrap_or(u64::MAX);
        let grown = self.exec.pool.bytes().saturating_sub(self.collecting.left);
        let helps = grown >= most / NEED && self.exec.config.memory.collect != Collect::Never;
        if helps {
            self.collect();
        }
        helps
    }

    fn collect(&mut self) {
        let started = Instant::now();
        self.note_pool();
        let mut pool = std::mem::take(&mut self.exec.pool);
        let done = pool.collect(self);
        self.exec.pool = pool;
        let took = started.elapsed();
        self.collecting.left = done.after;
        self.collecting.last = Some((Instant::now(), took));
        let counts = &mut self.exec.counters.counts.pool;
        counts.collections += 1;
        counts.bytes_before += done.before;
        counts.bytes_after += done.after;
        counts.wall += took;
    }

    /// Notes how large the pool is.
    pub(super) fn note_pool(&mut self) {
        let bytes = self.exec.pool.bytes();
        let peak = &mut self.exec.counters.counts.pool.peak;
        *peak = bytes.max(*peak);
    }
}

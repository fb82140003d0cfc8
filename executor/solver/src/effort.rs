//! A work budget for a query. The engine postpones a query that exceeds it and retries later with a
//! larger one.
//!
//! Work is counted, not timed, so that every run postpones the same queries. The unit is one
//! operation of the SAT search in `bits`, about a nanosecond; Z3's own unit is coarser. A query
//! without a budget has time limits only.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The budget of the first attempt: about 70 ms. With 2^28 fewer paths are explored where floats are
/// printed; with 2^24 paths wait that read hashes (docs/decisions/037-hard-queries-wait.md).
const FIRST: u64 = 1 << 26;
/// The factor from one attempt's budget to the next.
const GROWTH: u32 = 4;
/// Attempts with a budget; later ones have none.
const RUNGS: u32 = 4;
/// What a query to Z3 is taken to cost, as its work is not known: some milliseconds.
pub(crate) const Z3_PRICE: u64 = 1 << 22;
/// How many nanoseconds Z3 may take for each operation.
pub(crate) const Z3_OVERRUN: u64 = 8;
/// Operations in one unit of Z3's `rlimit`.
const OPERATIONS_PER_RLIMIT: u64 = 1 << 8;

/// A bound on the work for a query, or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Effort(Option<u64>);

impl Effort {
    /// No budget: time limits only.
    pub const FULL: Self = Self(None);

    /// No back end is asked.
    pub const NONE: Self = Self(Some(0));

    /// A budget of `operations`.
    pub const fn of(operations: u64) -> Self {
        Self(Some(operations))
    }

    /// The budget for a query that was postponed `times` times. There is none if it would take most
    /// of the time `limit` of a query.
    pub fn rung(times: u32, limit: Option<Duration>) -> Self {
        if times >= RUNGS {
            return Self::FULL;
        }
        let operations = Self::price(times);
        match limit {
            Some(limit) if u128::from(operations) * 2 > limit.as_nanos() => Self::FULL,
            _ => Self(Some(operations)),
        }
    }

    /// The operations that an attempt is taken to cost which was postponed `times` times before: its
    /// budget, and for those without one what the next budget would be.
    pub const fn price(times: u32) -> u64 {
        let times = if times < RUNGS { times } else { RUNGS };
        FIRST * GROWTH.pow(times) as u64
    }

    /// Whether there is no budget.
    pub const fn is_full(self) -> bool {
        self.0.is_none()
    }

    /// The number of operations allowed.
    pub const fn operations(self) -> u64 {
        match self.0 {
            Some(operations) => operations,
            None => u64::MAX,
        }
    }

    /// The budget as Z3's `rlimit`; 0 is no bound.
    pub(crate) fn rlimit(self) -> u32 {
        self.0.map_or(0, |operations| {
            u32::try_from(operations / OPERATIONS_PER_RLIMIT)
                .unwrap_or(u32::MAX)
                .max(1)
        })
    }

    /// A time limit in addition, for Z3, which does not count all of its work; none without a
    /// budget.
    pub(crate) fn time_limit(self) -> Option<Duration> {
        self.0
            .map(|operations| Duration::from_nanos(operations.saturating_mul(Z3_OVERRUN)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_grow_until_only_time_limits() {
        let limit = Some(Duration::from_secs(30));
        let rungs: Vec<Effort> = (0..8).map(|times| Effort::rung(times, limit)).collect();
        assert!(!rungs[0].is_full() && rungs[7].is_full());
        for pair in rungs.windows(2) {
            let (less, more) = (pair[0].operations(), pair[1].operations());
            assert!(less == u64::MAX || less < more);
        }
        // A query with little time has no budget.
        let short = Some(Duration::from_millis(100));
        assert!(Effort::rung(0, short).is_full());
    }
}

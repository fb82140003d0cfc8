//! How much work a back end may put into a query before the question is put off.
//!
//! Work is counted and not timed, so that the same question is put off on every run or on none. A
//! unit is an operation of a search in `bits`, of which there are about a billion in a second; what
//! Z3 counts is coarser. A query without a bound has the limits on its time alone.

use std::time::Duration;

/// The work of the first rung: about a quarter of a second, which is more than the median of what
/// reaches Z3.
const FIRST: u64 = 1 << 28;
/// How many times as much the next rung has.
const GROWTH: u32 = 4;
/// Rungs with a bound.
const RUNGS: u32 = 4;
/// Operations in one unit of Z3's count of resources.
const IN_RESOURCE: u64 = 1 << 8;

/// A bound on the work for a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effort(Option<u64>);

impl Effort {
    /// Whatever the limits on time allow.
    pub const FULL: Self = Self(None);

    /// So many operations.
    pub const fn of(operations: u64) -> Self {
        Self(Some(operations))
    }

    /// The effort for a question that was put off so many times, where a query has `limit` at most:
    /// what comes near that is no bound any more.
    pub fn rung(times: u32, limit: Option<Duration>) -> Self {
        if times >= RUNGS {
            return Self::FULL;
        }
        let operations = FIRST * u64::from(GROWTH.pow(times));
        match limit {
            Some(limit) if u128::from(operations) * 2 > limit.as_nanos() => Self::FULL,
            _ => Self(Some(operations)),
        }
    }

    /// Whether there is no bound.
    pub const fn is_full(self) -> bool {
        self.0.is_none()
    }

    /// The operations that are allowed.
    pub const fn operations(self) -> u64 {
        match self.0 {
            Some(operations) => operations,
            None => u64::MAX,
        }
    }

    /// The same in units of Z3's; 0 is no bound.
    pub(crate) fn resources(self) -> u32 {
        self.0.map_or(0, |operations| {
            u32::try_from(operations / IN_RESOURCE)
                .unwrap_or(u32::MAX)
                .max(1)
        })
    }

    /// The longest time for a solver that does not count all that it does; none without a bound.
    pub(crate) fn backstop(self) -> Option<Duration> {
        self.0
            .map(|operations| Duration::from_nanos(operations.saturating_mul(8)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rungs_grow_until_time_is_the_bound() {
        let limit = Some(Duration::from_secs(30));
        let rungs: Vec<Effort> = (0..8).map(|times| Effort::rung(times, limit)).collect();
        assert!(!rungs[0].is_full() && rungs[7].is_full());
        for pair in rungs.windows(2) {
            let (less, more) = (pair[0].operations(), pair[1].operations());
            assert!(less == u64::MAX || less < more);
        }
        // Nothing is put off where a query has little time anyway.
        let short = Some(Duration::from_millis(300));
        assert!(Effort::rung(0, short).is_full());
    }
}

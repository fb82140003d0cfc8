//! When to give up. A run has a time limit and so has a query: what works on a query heeds the
//! earlier of both, all the way down, so that no single question outlives the run.

use std::time::{Duration, Instant};

/// A moment after which nobody waits for an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// There is all the time in the world.
    pub const NEVER: Self = Self(None);

    /// So long from now; `None` is never.
    pub fn after(span: Option<Duration>) -> Self {
        Self(span.and_then(|span| Instant::now().checked_add(span)))
    }

    /// So long from a moment; `None` is never.
    pub fn since(start: Instant, span: Option<Duration>) -> Self {
        Self(span.and_then(|span| start.checked_add(span)))
    }

    /// The earlier of two.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(match (self.0, other.0) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        })
    }

    /// Whether it is past.
    pub fn is_over(self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }

    /// What is left until then; `None` is for ever.
    pub fn left(self) -> Option<Duration> {
        self.0
            .map(|end| end.saturating_duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earlier_one_counts() {
        let start = Instant::now();
        let hour = |hours: u64| Some(Duration::from_secs(3600 * hours));
        let (soon, late) = (
            Deadline::since(start, hour(1)),
            Deadline::since(start, hour(2)),
        );
        assert_eq!(soon.or(late), soon);
        assert_eq!(late.or(soon), soon);
        assert_eq!(Deadline::NEVER.or(late), late);
        assert_eq!(late.or(Deadline::NEVER), late);
        assert!(Deadline::since(start, Some(Duration::ZERO)).is_over());
        assert!(!soon.is_over() && !Deadline::NEVER.is_over());
        assert_eq!(Deadline::NEVER.left(), None);
        assert_eq!(
            Deadline::since(start, Some(Duration::ZERO)).left(),
            Some(Duration::ZERO)
        );
    }
}

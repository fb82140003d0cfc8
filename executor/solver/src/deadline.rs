//! Deadlines. The run has a time limit, each query has one, and a user may interrupt the run. Every
//! solver in the chain stops at the earliest of these, so that no query outlives the run.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Flags that end all solving when they are set.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interrupt {
    /// Set when the user asks for the end of the run.
    pub asked: Option<&'static AtomicBool>,
    /// Not 0 when another worker process has stopped all workers.
    pub halted: Option<&'static AtomicU32>,
}

impl Interrupt {
    /// Whether one of the flags is set.
    pub fn is_set(self) -> bool {
        (self.asked).is_some_and(|flag| flag.load(Ordering::Relaxed))
            || (self.halted).is_some_and(|flag| flag.load(Ordering::Relaxed) != 0)
    }

    fn or(self, other: Self) -> Self {
        Self {
            asked: self.asked.or(other.asked),
            halted: self.halted.or(other.halted),
        }
    }
}

/// A point in time after which answers are no longer needed. An interrupt expires it at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deadline {
    end: Option<Instant>,
    interrupt: Interrupt,
}

impl Deadline {
    /// No deadline.
    pub const NEVER: Self = Self::at(None);

    const fn at(end: Option<Instant>) -> Self {
        let interrupt = Interrupt {
            asked: None,
            halted: None,
        };
        Self { end, interrupt }
    }

    /// `span` from now; `None` is never.
    pub fn after(span: Option<Duration>) -> Self {
        Self::at(span.and_then(|span| Instant::now().checked_add(span)))
    }

    /// `span` after `start`; `None` is never.
    pub fn since(start: Instant, span: Option<Duration>) -> Self {
        Self::at(span.and_then(|span| start.checked_add(span)))
    }

    /// The same deadline with this interrupt.
    #[must_use]
    pub fn unless(self, interrupt: Interrupt) -> Self {
        Self { interrupt, ..self }
    }

    /// The earlier of the two.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let end = match (self.end, other.end) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self::at(end).unless(self.interrupt.or(other.interrupt))
    }

    /// `span` later. An interrupt still takes effect at once.
    #[must_use]
    pub fn later(self, span: Duration) -> Self {
        let end = self.end.and_then(|end| end.checked_add(span));
        Self { end, ..self }
    }

    /// Whether it has passed.
    pub fn is_over(self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end) || self.interrupt.is_set()
    }

    /// The remaining time; `None` if there is no deadline. An interrupt may end it early.
    pub fn left(self) -> Option<Duration> {
        if self.interrupt.is_set() {
            return Some(Duration::ZERO);
        }
        self.end
            .map(|end| end.saturating_duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earlier_deadline_counts() {
        let start = Instant::now();
        let hour = |hours: u64| Some(Duration::from_secs(3600 * hours));
        let (soon, late) = (
            Deadline::since(start, hour(1)),
            Deadline::since(start, hour(2)),
        );
        assert_eq!(soon.or(late).end, soon.end);
        assert_eq!(late.or(soon).end, soon.end);
        assert_eq!(Deadline::NEVER.or(late).end, late.end);
        assert_eq!(soon.later(Duration::from_secs(3600)).end, late.end);
        assert!(Deadline::since(start, Some(Duration::ZERO)).is_over());
        assert!(!soon.is_over() && !Deadline::NEVER.is_over());
        assert_eq!(Deadline::NEVER.left(), None);
        assert_eq!(
            Deadline::since(start, Some(Duration::ZERO)).left(),
            Some(Duration::ZERO)
        );
    }

    #[test]
    fn an_interrupt_expires_a_deadline() {
        static ASKED: AtomicBool = AtomicBool::new(false);
        static HALTED: AtomicU32 = AtomicU32::new(0);
        let asked = Interrupt {
            asked: Some(&ASKED),
            ..Interrupt::default()
        };
        let halted = Interrupt {
            halted: Some(&HALTED),
            ..Interrupt::default()
        };
        let query = Deadline::after(Some(Duration::from_secs(60)));
        let both = Deadline::NEVER.unless(asked).or(query.unless(halted));
        assert!(!both.is_over() && both.left() > Some(Duration::from_secs(50)));
        HALTED.store(2, Ordering::Relaxed);
        assert!(both.is_over() && both.left() == Some(Duration::ZERO));
        HALTED.store(0, Ordering::Relaxed);
        ASKED.store(true, Ordering::Relaxed);
        assert!(both.later(Duration::from_secs(9)).is_over());
        assert!(!query.is_over());
    }
}

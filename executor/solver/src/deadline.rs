//! When to give up. A run has a time limit and so has a query, and somebody may ask for the end of
//! the run: what works on a query heeds whatever comes first, all the way down, so that no single
//! question outlives the run.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Flags that others set when nobody waits for an answer any more.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interrupt {
    /// Set when somebody has asked for the end of the run.
    pub asked: Option<&'static AtomicBool>,
    /// Not 0 when another process has told all of them to stop.
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

/// A moment after which nobody waits for an answer. An interrupt brings it about at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deadline {
    end: Option<Instant>,
    interrupt: Interrupt,
}

impl Deadline {
    /// There is all the time in the world.
    pub const NEVER: Self = Self::at(None);

    const fn at(end: Option<Instant>) -> Self {
        let interrupt = Interrupt {
            asked: None,
            halted: None,
        };
        Self { end, interrupt }
    }

    /// So long from now; `None` is never.
    pub fn after(span: Option<Duration>) -> Self {
        Self::at(span.and_then(|span| Instant::now().checked_add(span)))
    }

    /// So long from a moment; `None` is never.
    pub fn since(start: Instant, span: Option<Duration>) -> Self {
        Self::at(span.and_then(|span| start.checked_add(span)))
    }

    /// The same moment, or the interrupt if it comes before.
    #[must_use]
    pub fn unless(self, interrupt: Interrupt) -> Self {
        Self { interrupt, ..self }
    }

    /// The earlier of two.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let end = match (self.end, other.end) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self::at(end).unless(self.interrupt.or(other.interrupt))
    }

    /// So much later. An interrupt does not wait.
    #[must_use]
    pub fn later(self, span: Duration) -> Self {
        let end = self.end.and_then(|end| end.checked_add(span));
        Self { end, ..self }
    }

    /// Whether it is past.
    pub fn is_over(self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end) || self.interrupt.is_set()
    }

    /// What is left until then; `None` is for ever. An interrupt can come before.
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
    fn the_earlier_one_counts() {
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
    fn an_interrupt_is_the_end_whatever_the_time() {
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

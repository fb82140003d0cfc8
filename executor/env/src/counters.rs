//! Descriptors that are read as a number or as what came: eventfd, timerfd, signalfd.

use crate::metadata::Time;

plat_basics::ids! {
    /// One of them.
    CounterId
}

/// What such a descriptor refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counter {
    /// eventfd: the sum of what was written.
    Events {
        /// The sum.
        sum: u64,
        /// How often something was written.
        writes: u64,
        /// `EFD_SEMAPHORE`: each read takes one.
        one_by_one: bool,
    },
    /// timerfd.
    Timer(Timer),
    /// signalfd: the pending signals of a set.
    Signals {
        /// Bit `n - 1` for signal `n`.
        set: u64,
    },
}

/// A timer, on the time since the machine was started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timer {
    /// The clock by which it is set.
    pub clock: i32,
    /// When it expires next; none is never.
    pub next: Option<Time>,
    /// And then again each time; nothing is once.
    pub every: Time,
    /// How often it was set, or read when it had expired: the kernel has it run again then.
    pub turns: u64,
}

plat_expr::plain!(CounterId, Counter);

const SECOND: i128 = 1_000_000_000;

/// Nanoseconds.
fn nanos(time: Time) -> i128 {
    i128::from(time.seconds) * SECOND + i128::from(time.nanos)
}

fn of_nanos(nanos: i128) -> Time {
    Time {
        seconds: (nanos / SECOND) as i64,
        nanos: (nanos % SECOND) as i64,
    }
}

impl Timer {
    /// How often it has expired by now since it was read or set.
    pub fn expired(&self, now: Time) -> u64 {
        let Some(next) = self.next.filter(|&next| next <= now) else {
            return 0;
        };
        match nanos(self.every) {
            0 => 1,
            every => 1 + ((nanos(now) - nanos(next)) / every) as u64,
        }
    }

    /// The timer after a read now.
    pub fn read(self, now: Time) -> Timer {
        let times = self.expired(now);
        if times == 0 {
            return self;
        }
        let again = self.next.filter(|_| self.every != Time::default());
        let behind = i128::from(times) * nanos(self.every);
        Timer {
            next: again.map(|next| of_nanos(nanos(next) + behind)),
            turns: self.turns + 1,
            ..self
        }
    }

    /// How long it takes until it expires next; none is for ever.
    pub fn left(&self, now: Time) -> Option<Time> {
        let next = self.read(now).next?;
        Some(of_nanos((nanos(next) - nanos(now)).max(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Time, Timer};

    fn at(seconds: i64) -> Time {
        Time { seconds, nanos: 0 }
    }

    #[test]
    fn a_timer_counts_what_was_not_read() {
        let mut timer = Timer {
            clock: 1,
            next: Some(at(10)),
            every: at(3),
            turns: 0,
        };
        assert_eq!((timer.expired(at(9)), timer.left(at(9))), (0, Some(at(1))));
        assert_eq!(timer.expired(at(16)), 3);
        timer = timer.read(at(16));
        assert_eq!((timer.next, timer.expired(at(16))), (Some(at(19)), 0));
        let once = Timer {
            every: at(0),
            ..timer
        };
        assert_eq!(once.expired(at(100)), 1);
        assert_eq!(once.read(at(100)).next, None);
    }
}

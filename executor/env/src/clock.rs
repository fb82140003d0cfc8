//! Deterministic time: starts at a fixed point, or where the user says, and advances with every
//! call.

use crate::metadata::Time;

/// Nanoseconds in a second.
const SECOND: i64 = 1_000_000_000;
/// The start of every run: 1 January 2024, 00:00:00 UTC.
pub const START_TIME: i64 = 1_704_067_200;
/// Uptime of the machine at the start, in seconds.
const UPTIME: i64 = 1000;
/// Nanoseconds that a call takes.
const STEP: i64 = 1000;

/// The clock of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    /// Seconds since 1970 when the path began.
    start: i64,
    /// Nanoseconds since then.
    elapsed: i64,
}

impl Default for Clock {
    fn default() -> Self {
        Self::starting_at(START_TIME)
    }
}

impl Clock {
    /// A clock that starts at `start`, in seconds since 1970.
    pub fn starting_at(start: i64) -> Self {
        Self { start, elapsed: 0 }
    }

    /// The time of day.
    pub fn now(&self) -> Time {
        Time {
            seconds: self.start + self.elapsed / SECOND,
            nanos: self.elapsed % SECOND,
        }
    }

    /// Time since the machine was started.
    pub fn uptime(&self) -> Time {
        Time {
            seconds: UPTIME + self.elapsed / SECOND,
            nanos: self.elapsed % SECOND,
        }
    }

    /// Processor time of the program.
    pub fn used(&self) -> Time {
        Time {
            seconds: self.elapsed / SECOND,
            nanos: self.elapsed % SECOND,
        }
    }

    /// The time since the machine was started, in so long; not before now.
    pub fn uptime_after(&self, time: Time) -> Time {
        let mut later = *self;
        later.sleep(time);
        later.uptime()
    }

    /// Advances to this time since the machine was started, if it is not past.
    pub fn sleep_until(&mut self, time: Time) {
        let now = self.uptime();
        self.sleep(Time {
            seconds: time.seconds - now.seconds,
            nanos: time.nanos - now.nanos,
        });
    }

    /// Advances by the time of one call.
    pub fn step(&mut self) {
        self.elapsed = self.elapsed.saturating_add(STEP);
    }

    /// Advances by the time that the program sleeps.
    pub fn sleep(&mut self, time: Time) {
        let nanos = time
            .seconds
            .saturating_mul(SECOND)
            .saturating_add(time.nanos);
        self.elapsed = self.elapsed.saturating_add(nanos.max(0));
    }
}

//! How long the tests of live paths may take when the time of a run is over.
//!
//! Half of it is for finding least models: behind that a test is any input of its path. At the end
//! of it no more tests are made, but for paths that were the first to cover something, and the paths
//! without one are counted. So the end of a run takes not much longer than the grace, however many
//! states there are and however slow the disk is. A run that ends by another limit in time has all
//! of its tests.

use crate::executor::Executor;
use plat_solver::{Deadline, Interrupt};
use std::time::Duration;

/// The grace is this part of the time of the run,
const SHARE: u32 = 20;
/// and so much at least and at most.
const BOUNDS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

/// Whether there is time for further tests.
#[derive(Default)]
pub(crate) struct Grace {
    /// When it ends; none while the run has time.
    end: Option<Deadline>,
    /// Whether the end of the run was asked for.
    asked: bool,
}

impl Grace {
    /// Whether a test may still be made.
    pub fn lasts(&mut self, exec: &mut Executor<'_>) -> bool {
        if self.end.is_none() && exec.overdue().is_none() {
            return true;
        }
        let asked = exec.clock.interrupted();
        let end = match self.end {
            // Who asks while tests are made already does not wait for the whole grace.
            Some(end) if asked && !self.asked => end.or(Deadline::after(Some(BOUNDS.0))),
            Some(end) => end,
            None => Self::begin(exec, asked),
        };
        self.end = Some(end);
        self.asked |= asked;
        !end.is_over()
    }

    fn begin(exec: &mut Executor<'_>, asked: bool) -> Deadline {
        let share = exec.config.limits.time.map(|time| time / SHARE);
        let span = share.unwrap_or_default().clamp(BOUNDS.0, BOUNDS.1);
        let interrupt = match asked {
            true => Interrupt::default(),
            false => Interrupt {
                halted: None,
                ..exec.clock.interrupts()
            },
        };
        let models = Deadline::after(Some(span / 2)).unless(interrupt);
        exec.solving.oracle.set_deadline(models);
        Deadline::after(Some(span))
    }
}

//! Ending a run from elsewhere: another thread, a signal handler.

use std::sync::atomic::{AtomicBool, Ordering};

/// A request to end a run, as a flag. Copies are the same flag. The run ends as at a limit: it keeps
/// what it has found, and its live paths have tests.
///
/// The flag lives as long as the process, because nobody can say who else may still set it: each
/// [`Interrupt::new`] takes one byte for good.
#[derive(Clone, Copy, Debug)]
pub struct Interrupt(&'static AtomicBool);

impl Interrupt {
    /// One that is not set.
    pub fn new() -> Self {
        Interrupt(Box::leak(Box::new(AtomicBool::new(false))))
    }

    /// A flag that is there already, for example that of a signal handler.
    pub const fn of(flag: &'static AtomicBool) -> Self {
        Interrupt(flag)
    }

    /// Asks for the end.
    pub fn set(self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the end was asked for.
    pub fn is_set(self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag.
    pub const fn flag(self) -> &'static AtomicBool {
        self.0
    }
}

impl Default for Interrupt {
    fn default() -> Self {
        Interrupt::new()
    }
}

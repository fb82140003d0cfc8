//! When a run began, and what may end it early.

use crate::api::outcome::Limit;
use plat_solver::{Deadline, Interrupt};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Why all processes of a run are to stop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Halt {
    /// Somebody has asked for the end.
    Interrupt = 1,
    /// All processes together have too much memory.
    Memory = 2,
    /// A hook has stopped the run.
    Hook = 3,
}

impl Halt {
    /// The limit that a shared flag stands for.
    fn limit(flag: u32) -> Option<Limit> {
        match flag {
            0 => None,
            halt if halt == Halt::Memory as u32 => Some(Limit::Memory),
            halt if halt == Halt::Hook as u32 => Some(Limit::Hook),
            _ => Some(Limit::Interrupt),
        }
    }
}

/// The time of a run, and requests for its end.
pub struct Clock {
    /// When the run began.
    pub(crate) started: Instant,
    /// How long it may take.
    most: Option<Duration>,
    /// Set from outside to end the run.
    interrupt: &'static AtomicBool,
    /// Set by another process of the run to end it: a [`Halt`].
    pub(crate) halt: Option<&'static AtomicU32>,
    /// Whether a hook has stopped the run in this process.
    stopped: bool,
}

impl Clock {
    /// The run begins.
    pub(crate) fn new(most: Option<Duration>, interrupt: &'static AtomicBool) -> Self {
        Clock {
            started: Instant::now(),
            most,
            interrupt,
            halt: None,
            stopped: false,
        }
    }

    /// A hook stops the run, in all processes.
    pub(crate) fn stop(&mut self) {
        self.stopped = true;
        if let Some(halt) = self.halt {
            let order = Ordering::SeqCst;
            // The first reason stays.
            let _ = halt.compare_exchange(0, Halt::Hook as u32, order, order);
        }
    }

    /// Whether a hook has stopped the run in this process.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Whether the end of the run was asked for.
    pub(crate) fn interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    /// Why another process wants the run to end, if one does.
    pub(crate) fn halted(&self) -> Option<Limit> {
        Halt::limit(self.halt?.load(Ordering::Relaxed))
    }

    /// What asks this process for the end of the run.
    pub(crate) fn interrupts(&self) -> Interrupt {
        Interrupt {
            asked: Some(self.interrupt),
            halted: self.halt,
        }
    }

    /// When queries must have an answer.
    pub(crate) fn deadline(&self) -> Deadline {
        Deadline::since(self.started, self.most).unless(self.interrupts())
    }

    /// The limit to end at now: the time is over, or the end was asked for.
    pub(crate) fn overdue(&self) -> Option<Limit> {
        if self.interrupted() {
            return Some(Limit::Interrupt);
        }
        if let Some(limit) = self.halted() {
            return Some(limit);
        }
        let over = self.most.is_some_and(|most| self.started.elapsed() >= most);
        over.then_some(Limit::Time)
    }
}

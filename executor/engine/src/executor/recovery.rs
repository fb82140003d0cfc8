//! What happens when a step panics.
//!
//! A panic is a defect of plat's own. It ends the path that met it, as an internal error, and no
//! other path may notice. What a step takes out of the executor is put back whatever happens
//! ([`with`]); what a step may have left half done is reset ([`Executor::recover`]). All else that a
//! step changes belongs to its state, which ends, or is a table that only grows. See
//! `docs/decisions/040-panics-end-one-path.md`.

use crate::executor::Executor;
use plat_solver::{Effort, panic_text};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Takes a part out of the executor for as long as `work` goes on with both, and puts it back, also
/// when `work` panics. None if the part is out already.
pub(crate) fn with<'a, T, R>(
    exec: &mut Executor<'a>,
    part: impl for<'e> Fn(&'e mut Executor<'a>) -> &'e mut Option<T>,
    work: impl FnOnce(&mut Executor<'a>, &mut T) -> R,
) -> Option<R> {
    let mut out = part(exec).take()?;
    let done = catch_unwind(AssertUnwindSafe(|| work(exec, &mut out)));
    *part(exec) = Some(out);
    match done {
        Ok(result) => Some(result),
        Err(panic) => resume_unwind(panic),
    }
}

impl<'a> Executor<'a> {
    /// Does what works on one path. If that panics, the executor is as good as before for all other
    /// paths; the text of the panic.
    pub(crate) fn guarded<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> Result<R, String> {
        catch_unwind(AssertUnwindSafe(|| work(self))).map_err(|panic| {
            self.recover();
            panic_text(&*panic).to_string()
        })
    }
}

impl Executor<'_> {
    /// Counts a panic that is no path's.
    pub(crate) fn note_internal_error(&mut self, text: &str) {
        self.counters.counts.internal_errors += 1;
        self.events.warn_once(format!("internal: {text}"));
    }

    /// Counts what observers and hooks have panicked about since the last time, beside ends of paths.
    pub(crate) fn note_listeners_panics(&mut self) {
        for text in self.events.observer.take_panics() {
            self.note_internal_error(&format!("an observer: {text}"));
        }
        for text in self.hooks.take_panics() {
            self.note_internal_error(&text);
        }
    }

    /// Resets what a path that has panicked may have left half done.
    pub(crate) fn recover(&mut self) {
        // The helper for external calls may be in the middle of one; the next call starts another.
        self.system.external = None;
        // What the host did otherwise for this path is not the next path's.
        if let Some(host) = &mut self.system.host {
            host.take_differences();
            host.take_refused();
        }
        // When the batch was to end.
        self.batch.end = 0;
        // A query that was given a part of the work only.
        self.solving.oracle.set_effort(Effort::FULL);
        // A rewrite of an expression that was not finished.
        self.pool.end_rewrites();
        // The host, the environment that stands in for a state's and hooks are back by themselves, see
        // `with`. Back ends of the solver that were left in the middle of a query notice it at the
        // next one.
    }
}

//! Parts of the engine that work together with the rest of it, and what a panic leaves behind.
//!
//! A panic is a defect of plat's own. It ends the path that met it, as an internal error, and no
//! other path may notice. So what a step takes out of the engine is put back whatever happens
//! ([`with`]), and what a step may have left half done is reset ([`Engine::recover`]). All else
//! that a step changes belongs to its state, which ends, or is a table that only grows.

use crate::engine::Engine;
use plat_solver::Effort;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Takes a part out of the engine for as long as `work` goes on with both, and puts it back, also
/// when `work` panics. None if the part is out already.
pub(crate) fn with<'a, T, R>(
    engine: &mut Engine<'a>,
    part: impl for<'e> Fn(&'e mut Engine<'a>) -> &'e mut Option<T>,
    work: impl FnOnce(&mut Engine<'a>, &mut T) -> R,
) -> Option<R> {
    let mut out = part(engine).take()?;
    let done = catch_unwind(AssertUnwindSafe(|| work(engine, &mut out)));
    *part(engine) = Some(out);
    match done {
        Ok(result) => Some(result),
        Err(panic) => resume_unwind(panic),
    }
}

impl Engine<'_> {
    /// Resets what a path that has panicked may have left half done.
    pub(crate) fn recover(&mut self) {
        // The helper for external calls may be in the middle of one; the next call starts another.
        self.external = None;
        // What the host did otherwise for this path is not the next path's.
        if let Some(host) = &mut self.host {
            host.take_differences();
        }
        // What was being resolved, and when the batch was to end.
        self.resolving = None;
        self.batch_end = 0;
        // A question that was given a part of the work only.
        self.oracle.set_effort(Effort::FULL);
        // The host and the environment that stands in for a state's, the survey and the check of an
        // analysis are back by themselves, see `with`. Back ends of the solver that were left in
        // the middle of a question notice it at the next one. States that were split off before the panic
        // are whole: they live.
    }
}

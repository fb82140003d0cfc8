//! Batches that pause for hooks, see [`crate::hook::Pause`].

use super::Batch;
use crate::executor::Executor;
use crate::state::State;

impl Executor<'_> {
    /// Runs a state as [`Executor::run_batch`] does, with the pauses that hooks have asked for.
    pub(super) fn run_with_pauses(&mut self, state: &mut State) -> Batch {
        let end = self.batch.end;
        self.await_pause(state, end);
        let interrupted = match self.is_paused(state) {
            true => self.tell_pause(state),
            false => None,
        };
        let batch = interrupted.unwrap_or_else(|| self.run_instructions(state));
        self.end_pausing();
        batch
    }

    /// Asks hooks whose pause has come; why the batch cannot go on, if that has come of it.
    #[cold]
    #[inline(never)]
    pub(super) fn tell_pause(&mut self, state: &mut State) -> Option<Batch> {
        may_panic!();
        if let Err(stop) = self.ask_paused(state) {
            let batch = self.stopped_between(state, *stop);
            let interrupted = batch.or_else(|| self.batch.split());
            if interrupted.is_some() {
                return interrupted;
            }
        }
        let end = self.end_without_pauses();
        self.await_pause(state, end);
        None
    }
}

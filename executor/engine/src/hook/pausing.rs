//! Has paths pause, and asks hooks where they do, see [`Pause`].

use super::Access;
use super::data::path_hooks;
use super::pause::{Pause, Pausing};
use crate::executor::Executor;
use crate::hook::Step;
use crate::state::State;
use crate::state::frame::Frame;
use plat_program::InstId;

impl Access<'_, '_> {
    /// Asks for the next pauses of the path; those of before are over. A number of instructions is
    /// met once, a block whenever the path comes to it. With
    /// [`Interest::pauses`](super::Interest::pauses).
    pub fn pause(&mut self, pause: Pause) {
        path_hooks(self.state).set_pause(self.hook, pause);
    }

    /// The beginning of the block at which the path stands.
    pub fn block(&self) -> InstId {
        self.block_of(&self.state.frame)
    }

    /// The beginning of the block at which the path stands in the innermost activation of the program's
    /// own code, if there is one.
    pub(crate) fn own_block(&self) -> Option<InstId> {
        let own = |frame: &&Frame| !self.exec.code.functions[frame.function.index()].library;
        self.state.stack().find(own).map(|one| self.block_of(one))
    }

    fn block_of(&self, frame: &Frame) -> InstId {
        let function = self.program().function(frame.function);
        let last = function.insts.len().saturating_sub(1);
        let block = function.block_of((frame.pc as usize).min(last));
        let first = function.blocks[block.index()].first as usize;
        InstId::new(function.first_inst.index() + first)
    }
}

impl Executor<'_> {
    /// A batch begins or a pause is over: has it end at the next one, and its blocks watched. The batch
    /// ends at `end` if there is none.
    pub(crate) fn await_pause(&mut self, state: &State, end: u64) {
        self.forget_pauses();
        let hooks = state.history.hooks.as_ref();
        let pause = hooks.map_or(Pause::default(), |hooks| hooks.pause());
        if let Some(block) = pause.block {
            self.counters.executed.watch(block.index());
        }
        self.batch.pausing = Pausing { pause, end };
        // What has been told is over.
        let at = match pause.at > state.instructions {
            true => pause.at,
            false => u64::MAX,
        };
        self.batch.end = end.min(at);
    }

    /// A batch is over, or is interrupted: it may go on to where it would end without pauses.
    pub(crate) fn end_pausing(&mut self) {
        self.batch.end = self.end_without_pauses();
        self.forget_pauses();
    }

    fn forget_pauses(&mut self) {
        if let Some(block) = self.batch.pausing.pause.block {
            self.counters.executed.unwatch(block.index());
        }
        self.batch.pausing = Pausing::default();
    }

    /// Whether a state, which stands between two instructions, is to pause.
    pub(crate) fn is_paused(&self, state: &State) -> bool {
        let pause = self.batch.pausing.pause;
        let Some(hooks) = &state.history.hooks else {
            return false;
        };
        !hooks.has_paused(state.instructions) && self.applies(pause, state)
    }

    /// Whether a state is where a pause is.
    fn applies(&self, pause: Pause, state: &State) -> bool {
        let begins = |at: usize| {
            let function = self.program.function(state.frame.function);
            function.blocks[function.block_of(at).index()].first as usize == at
        };
        state.instructions >= pause.at
            || pause.block == Some(state.frame.inst(self.program))
            || (pause.blocks && begins(state.frame.pc as usize))
    }

    /// Where the batch ends if nothing pauses; 0 if it is to end at once.
    pub(crate) fn end_without_pauses(&self) -> u64 {
        match self.batch.end {
            0 => 0,
            _ => self.batch.pausing.end,
        }
    }

    /// Asks the hooks whose pause has come.
    pub(crate) fn ask_paused(&mut self, state: &mut State) -> Step<()> {
        let pauses = path_hooks(state).pauses().to_vec();
        for (number, pause) in pauses {
            if self.applies(pause, state) {
                let command = self.ask(state, number, |hook, access| hook.paused(access))?;
                self.carry_out_command(state, command.unwrap_or(super::Command::Continue))?;
                let instructions = state.instructions;
                path_hooks(state).end_pause(number, pause, instructions);
            }
        }
        let instructions = state.instructions;
        path_hooks(state).note_paused(instructions);
        Ok(())
    }
}

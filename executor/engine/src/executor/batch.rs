//! The running batch of instructions.

use crate::api::outcome::PathEnd;
use crate::hook::Pausing;
use crate::state::State;
use plat_program::InstId;

/// A part of a path that has ended while the path goes on.
pub struct EndedPart {
    /// Its state.
    pub state: State,
    /// How it ended.
    pub end: PathEnd,
    /// Whether its path condition is known to have a model.
    pub has_model: bool,
}

/// Where a path was split by a branch or switch.
#[derive(Clone, Copy, Debug)]
pub struct ForkPlace {
    /// The branch or switch.
    pub inst: InstId,
    /// The activation.
    pub serial: u64,
    /// Its depth: the frames on the stack.
    pub frames: u32,
}

impl ForkPlace {
    /// The branch or switch at which a path stands.
    pub fn of(state: &State, inst: InstId) -> Self {
        ForkPlace {
            inst,
            serial: state.frame.serial,
            frames: state.frames(),
        }
    }
}

/// What a batch is bounded by, and what it has come to besides its state.
#[derive(Default)]
pub struct CurrentBatch {
    /// It ends when its state has executed this many instructions.
    pub(crate) end: u64,
    /// It ends when the solver's work of the run has come to this.
    pub(crate) work_end: u64,
    /// Splits before the same instruction that have left one part.
    pub(crate) retries: u32,
    /// It ends where its state comes to the first instruction of this block, in this activation.
    pub(crate) stop: Option<(InstId, u64)>,
    /// Where it was split by a branch or switch.
    pub(crate) fork: Option<ForkPlace>,
    /// States that it has split off and that are live.
    pub(crate) forked: Vec<State>,
    /// States of a split that is not complete, with the positions of their sides. They stand before
    /// the instruction that splits.
    pub(crate) parts: Vec<(usize, State)>,
    /// Whether the running split is before an instruction that counts as executed only when it is
    /// tried again.
    pub(crate) uncounted: bool,
    /// Where it pauses for hooks.
    pub(crate) pausing: Pausing,
    /// States that it has split off and that have ended, for the run to finish in this order.
    pub(crate) ended: Vec<EndedPart>,
}

plat_expr::holder!(EndedPart { state } plain { end, has_model });
plat_expr::holder!(CurrentBatch { forked, parts, ended } plain { end, stop, fork, work_end, retries, uncounted, pausing });

impl CurrentBatch {
    /// Begins a batch that ends when its state has executed `end` instructions, or behind the query
    /// that brings the solver's work to `work_end`.
    pub(crate) fn begin(&mut self, end: u64, work_end: u64) {
        self.end = end;
        self.fork = None;
        self.work_end = work_end;
        self.retries = 0;
        self.uncounted = false;
    }

    /// Lets the parts of a split that was not completed go on: they try its instruction again.
    pub(crate) fn keep_parts(&mut self) {
        for (_, mut part) in self.parts.drain(..) {
            part.instructions -= u64::from(!self.uncounted);
            if let Some(hooks) = &mut part.history.hooks {
                hooks.forget_accesses();
            }
            self.forked.push(part);
        }
    }
}

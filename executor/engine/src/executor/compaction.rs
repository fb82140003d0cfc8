//! Frames that do not run keep the registers that may still be read.
//!
//! A function has hundreds of registers, of which a dozen matter at any place. The frame of a state
//! that waits for its turn, and the callers that states share, are *compact*: they hold what
//! [`Live`] names at their position, in its order, which begins with the parameters. To run again a
//! frame takes a vector of all registers, in which the others hold anything, as after a call.
//!
//! Frames stay whole where others than the program read registers: where runs merge paths or look
//! for leaks, and in functions that have called `setjmp`, which may go on elsewhere than where they
//! stand.

use crate::api::config::Merging;
use crate::code::liveness::Live;
use crate::executor::Executor;
use crate::state::State;
use crate::state::frame::Frame;
use plat_expr::Value;
use plat_program::{FuncId, Reg};
use std::rc::Rc;

/// Frames of so few registers stay as they are.
const FEW: usize = 8;

impl Executor<'_> {
    /// Keeps the frames of a function whole from now on.
    pub(crate) fn keep_whole(&mut self, function: FuncId) {
        self.cache.live_registers[function.index()].whole = true;
    }

    /// The registers that matter where a frame stands, if it may do without the others.
    fn live(&mut self, frame: &Frame) -> Option<Rc<[Reg]>> {
        let function = self.program.function(frame.function);
        let known = &mut self.cache.live_registers[frame.function.index()];
        if known.whole || frame.regs.len() <= FEW || frame.pc as usize >= function.insts.len() {
            return None;
        }
        if self.hooks.all_registers || self.config.search.merging != Merging::Off {
            known.whole = true;
            return None;
        }
        let live = known
            .live
            .get_or_insert_with(|| Box::new(Live::new(function)));
        Some(Rc::clone(live.at(function, frame.pc)))
    }

    /// The registers that a compact frame has.
    fn kept(&self, frame: &Frame) -> &[Reg] {
        let known = self.cache.live_registers[frame.function.index()]
            .live
            .as_ref();
        known
            .and_then(|live| live.known(frame.pc))
            .map_or(&[], |live| &**live)
    }

    /// Lets a frame that is not to run for now keep what matters only.
    pub(crate) fn compact(&mut self, frame: &mut Frame) {
        may_panic!();
        if frame.compact {
            return;
        }
        if let Some(live) = self.live(frame) {
            let kept = live.iter().map(|reg| frame.regs[reg.index()]).collect();
            let all = std::mem::replace(&mut frame.regs, kept);
            frame.compact = true;
            self.keep_registers(frame.function, all);
        }
    }

    /// Gives a frame that is to run all its registers.
    pub(crate) fn expand(&mut self, frame: &mut Frame) {
        may_panic!();
        if !frame.compact {
            return;
        }
        let mut all = self.registers(frame.function);
        let kept = self.kept(frame);
        assert_eq!(kept.len(), frame.regs.len(), "a compact frame has moved");
        for (reg, &value) in kept.iter().zip(&frame.regs) {
            all[reg.index()] = value;
        }
        (frame.regs, frame.compact) = (all, false);
    }

    /// The value of a register of a frame, at which it may be read.
    pub(crate) fn register_of(&self, frame: &Frame, reg: Reg) -> Value {
        if !frame.compact {
            return frame.regs[reg.index()];
        }
        let at = self.kept(frame).binary_search(&reg).ok();
        at.map_or(Value::Int(0), |at| frame.regs[at])
    }

    /// Lets copies of a state share its calls.
    pub(crate) fn share_callers(&mut self, state: &mut State) {
        let mut own = state.callers.take_own();
        own.iter_mut().for_each(|frame| self.compact(frame));
        state.callers.share(own);
    }

    /// The registers that may be read where a frame stands or behind it, with the parameters; `None`
    /// if any may be, as the function has called `setjmp`.
    pub(crate) fn readable(&mut self, frame: &Frame) -> Option<Rc<[Reg]>> {
        let function = self.program.function(frame.function);
        let known = &mut self.cache.live_registers[frame.function.index()];
        if known.whole {
            return None;
        }
        let live = known
            .live
            .get_or_insert_with(|| Box::new(Live::new(function)));
        Some(Rc::clone(live.at(function, frame.pc)))
    }

    /// A copy of a state, whose calls the two share. Of the running frame's registers it has those
    /// that matter.
    pub(crate) fn copy(&mut self, state: &mut State) -> State {
        may_panic!();
        self.share_callers(state);
        let Some(live) = self.live(&state.frame) else {
            return state.clone();
        };
        let regs = std::mem::take(&mut state.frame.regs);
        let mut copy = state.clone();
        copy.frame.regs = self.registers(state.frame.function);
        for reg in live.iter() {
            copy.frame.regs[reg.index()] = regs[reg.index()];
        }
        state.frame.regs = regs;
        copy
    }
}

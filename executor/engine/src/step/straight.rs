//! The loop of the fast paths, which holds position and counters in the machine's registers, and
//! counts what is executed by blocks: a block that lies within the batch and in which nothing is
//! new is counted when it is entered, and what of it is not executed is taken back.

use super::quick::{Lane, Quick, follow};
use crate::decoded::{Decoded, Op, Slot};
use crate::engine::Engine;
use crate::state::State;
use crate::stop::Flow;
use plat_expr::Value;
use plat_program::Function;

/// What is to be done at the instruction at which a state stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    /// It is to be counted and carried out by itself.
    Single,
    /// It is counted, and needs the whole step.
    Step,
    /// It is counted, and a call with this plan.
    Call(u32),
    /// It is counted, and makes a stack object by this plan.
    Alloca(u32),
    /// It is counted, and ends the function.
    Return(Slot),
}

impl Engine<'_> {
    /// Carries out easy instructions as long as blocks can be counted as a whole.
    #[inline(always)]
    pub(super) fn go_straight_on(
        &mut self,
        state: &mut State,
        function: &Function,
        decoded: &Decoded,
    ) -> Way {
        let first = function.first_inst.index();
        let mut executed = self.executed.stretch(first, decoded.ops.len());
        let branches = &mut self.branches[first..][..decoded.ops.len()];
        let mut lane = Lane {
            regs: &mut state.frame.regs,
            memory: &mut state.memory,
            pool: &self.pool,
            distances: &state.distances,
        };
        let room = self.batch_end.saturating_sub(state.instructions);
        let mut left = room;
        let mut pc = state.frame.pc as usize;
        let mut end = decoded.ends[pc] as usize;
        let way = loop {
            let mut rest = decoded.ops[pc..end].iter();
            if left < rest.len() as u64 || !executed.come(pc) {
                break Way::Single;
            }
            left -= rest.len() as u64;
            let edge = loop {
                let Some(op) = rest.next() else {
                    unreachable!("a block ends with an instruction that leaves it");
                };
                match lane.quick(decoded, op, &mut rest) {
                    Quick::Next => {}
                    Quick::Goes(edge) => break Ok(edge),
                    Quick::Branches(taken, edge) => {
                        branches[end - 1] |= 1 << u8::from(taken);
                        break Ok(edge);
                    }
                    Quick::Call(plan) => break Err(Way::Call(plan)),
                    Quick::Alloca(plan) => break Err(Way::Alloca(plan)),
                    Quick::Return(value) => break Err(Way::Return(value)),
                    Quick::Declined => break Err(Way::Step),
                }
            };
            match edge {
                Ok(edge) => {
                    let (exit, moves) = decoded.exit(edge);
                    follow(lane.regs, moves);
                    (pc, end) = (exit.pc as usize, exit.end as usize);
                }
                Err(way) => {
                    pc = end - rest.len() - 1;
                    if rest.len() > 0 {
                        executed.leave(pc + 1);
                        left += rest.len() as u64;
                    }
                    break way;
                }
            }
        };
        state.frame.pc = pc as u32;
        state.instructions += room - left;
        way
    }

    /// The instruction at which the state stands, by itself, if it is easy.
    pub(super) fn single(
        &mut self,
        state: &mut State,
        function: &Function,
        decoded: &Decoded,
    ) -> Option<Flow> {
        let position = state.frame.pc as usize;
        // A load may overwrite its own address.
        let pointer = match decoded.ops[position] {
            Op::Load { pointer, .. } | Op::Store { pointer, .. } => {
                Some(state.frame.regs[pointer as usize])
            }
            _ => None,
        };
        let mut lane = Lane {
            regs: &mut state.frame.regs,
            memory: &mut state.memory,
            pool: &self.pool,
            distances: &state.distances,
        };
        let op = &decoded.ops[position];
        let edge = match lane.quick(decoded, op, &mut [].iter()) {
            Quick::Next => {
                if let Some(Value::Pointer(object, offset)) = pointer {
                    self.expect(state, (object, offset));
                }
                return Some(Flow::Next);
            }
            Quick::Goes(edge) => edge,
            Quick::Branches(taken, edge) => {
                self.note_branch(state, function, taken);
                edge
            }
            Quick::Alloca(plan) => {
                return self
                    .quick_alloca(state, decoded, plan)
                    .then_some(Flow::Next);
            }
            Quick::Call(plan) => {
                return self.quick_call(state, decoded, plan).then_some(Flow::Frame);
            }
            Quick::Return(value) => {
                return self.quick_return(state, value).then_some(Flow::Frame);
            }
            Quick::Declined => return None,
        };
        let (exit, moves) = decoded.exit(edge);
        follow(&mut state.frame.regs, moves);
        state.frame.pc = exit.pc;
        Some(Flow::Jumped)
    }
}

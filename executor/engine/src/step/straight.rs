//! The loop of the fast paths, which holds position and counters in the machine's registers, and
//! counts what is executed by blocks: a block that lies within the batch and in which nothing is
//! new is counted when it is entered, and what of it is not executed is taken back.

use super::quick::{Lane, Quick, follow};
use crate::decoded::{Decoded, Op, Slot};
use crate::engine::Engine;
use crate::state::State;
use crate::stop::Flow;
use plat_expr::Value;
use plat_memory::Cx;
use plat_program::{EdgeId, Function};

/// What is to be done at the instruction at which a state stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    /// It is to be counted and carried out by itself.
    Single,
    /// It is counted, and needs the whole step.
    Step,
    /// It is counted, and a call with this plan.
    Call(u32),
    /// It is counted, and a call through a pointer with this plan.
    Indirect(u32),
    /// It is counted, and ends the function.
    Return(Slot),
}

/// What the fast paths work on, of a run and a state.
macro_rules! lane {
    ($engine:ident, $state:ident, $room:expr) => {
        Lane {
            stack: $room,
            regs: &mut $state.frame.regs,
            memory: &mut $state.memory,
            cx: Cx {
                pool: &mut $engine.pool,
                oracle: &mut $engine.oracle,
                pc: &$state.constraints,
                objects: &mut $engine.objects,
                stats: &mut $engine.memory_stats,
            },
            allocas: &mut $state.frame.allocas,
            aliased: !$state.aliases.is_empty(),
            touched: &mut $engine.touched,
            distances: &$state.distances,
            edge: EdgeId(0),
            plan: 0,
        }
    };
}

/// What is to be done where the loop is left. Apart from the loop: else each way would be a constant that
/// is kept for it with every operation.
#[inline(never)]
fn way_out(how: Quick, plan: u32) -> Way {
    match how {
        Quick::Call => Way::Call(plan),
        Quick::Indirect => Way::Indirect(plan),
        Quick::Return => Way::Return(plan),
        _ => Way::Step,
    }
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
        let stack = self.stack_room(state);
        let mut executed = self.executed.stretch(first, decoded.ops.len());
        let branches = &mut self.branches[first..][..decoded.ops.len()];
        let mut lane = lane!(self, state, stack);
        let room = self.batch_end.saturating_sub(state.instructions);
        let mut left = room;
        let mut pc = state.frame.pc as usize;
        let mut end = decoded.ends[pc] as usize;
        let way = loop {
            let len = (end - pc) as u64;
            if left < len || !executed.come(pc) {
                break Way::Single;
            }
            left -= len;
            let mut rest = decoded.ops[pc..end].iter();
            let how = loop {
                let Some(op) = rest.next() else {
                    unreachable!("a block ends with an instruction that leaves it");
                };
                let how = lane.quick(decoded, op, &mut rest);
                if how == Quick::Next {
                    continue;
                }
                if how != Quick::Alloca || !lane.stack_object(decoded) {
                    break how;
                }
            };
            let way = match how {
                Quick::Taken | Quick::Passed | Quick::Goes => {
                    match how {
                        Quick::Taken => branches[end - 1] |= 2,
                        Quick::Passed => branches[end - 1] |= 1,
                        _ => {}
                    }
                    let (exit, moves) = decoded.exit(lane.edge);
                    follow(lane.regs, moves);
                    (pc, end) = (exit.pc as usize, exit.end as usize);
                    continue;
                }
                left => way_out(left, lane.plan),
            };
            pc = end - rest.len() - 1;
            if rest.len() > 0 {
                executed.leave(pc + 1);
                left += rest.len() as u64;
            }
            break way;
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
        if let Op::Copy { .. } = decoded.ops[position] {
            // Two addresses are to be looked at.
            return None;
        }
        let address = decoded.ops[position].address();
        let pointer = address.map(|slot| state.frame.regs[slot as usize]);
        let stack = self.stack_room(state);
        let mut lane = lane!(self, state, stack);
        let how = match lane.quick(decoded, &decoded.ops[position], &mut [].iter()) {
            Quick::Alloca if lane.stack_object(decoded) => Quick::Next,
            how => how,
        };
        let (edge, plan) = (lane.edge, lane.plan);
        match how {
            Quick::Next => {
                if let Some(Value::Pointer(object, offset)) = pointer {
                    self.expect(state, (object, offset));
                }
                return Some(Flow::Next);
            }
            Quick::Goes => {}
            Quick::Taken => self.note_branch(state, function, true),
            Quick::Passed => self.note_branch(state, function, false),
            Quick::Call => return self.quick_call(state, decoded, plan).then_some(Flow::Frame),
            Quick::Return => return self.quick_return(state, plan).then_some(Flow::Frame),
            Quick::Declined | Quick::Alloca | Quick::Indirect => return None,
        }
        let (exit, moves) = decoded.exit(edge);
        follow(&mut state.frame.regs, moves);
        state.frame.pc = exit.pc;
        Some(Flow::Jumped)
    }
}

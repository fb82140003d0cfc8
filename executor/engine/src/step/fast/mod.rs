//! The loop of the fast paths, which holds position and counters in the machine's registers, and
//! counts what is executed by blocks: a block that lies within the batch and in which nothing is
//! new is counted when it is entered, and what of it is not executed is taken back.

mod operations;
mod out_of_line;

use crate::code::decoded::{Decoded, Op, Slot};
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::Flow;
use operations::FastResult;
pub(super) use operations::{FastPath, follow};
use plat_expr::Value;
use plat_memory::Cx;
use plat_program::{EdgeId, Function};

/// What is to be done at the instruction at which a state stands.
#[derive(Clone, Copy, Debug)]
pub(super) enum LoopExit {
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
macro_rules! fast {
    ($exec:ident, $state:ident, $room:expr) => {
        FastPath {
            stack: $room,
            regs: &mut $state.frame.regs,
            memory: &mut $state.memory,
            cx: Cx {
                pool: &mut $exec.pool,
                oracle: &mut $exec.solving.oracle,
                pc: &$state.constraints,
                objects: &mut $exec.memory.objects,
                at: None,
                stats: &mut $exec.memory.stats,
            },
            allocas: &mut $state.frame.allocas,
            aliased: !$state.requests.aliases.is_empty(),
            touched: &mut $exec.memory.touched,
            distances: &$state.distances,
            edge: EdgeId(0),
            plan: 0,
        }
    };
}

/// What is to be done where the loop is left. Not inlined: else each exit would be a constant that is
/// kept live across every operation.
#[inline(never)]
fn loop_exit(how: FastResult, plan: u32) -> LoopExit {
    match how {
        FastResult::Call => LoopExit::Call(plan),
        FastResult::Indirect => LoopExit::Indirect(plan),
        FastResult::Return => LoopExit::Return(plan),
        _ => LoopExit::Step,
    }
}

/// Notes a side of a branch, and whether it was taken for the first time. Nearly always it was not:
/// then nothing is written, and `new` takes up no register of the loop.
#[inline(always)]
fn note(sides: &mut u8, side: u8, new: &mut bool) {
    if *sides & side == 0 {
        note_first(sides, side, new);
    }
}

#[cold]
#[inline(never)]
fn note_first(sides: &mut u8, side: u8, new: &mut bool) {
    *sides |= side;
    *new = true;
}

impl Executor<'_> {
    /// Runs instructions on the fast path as long as blocks can be counted as a whole.
    #[inline(always)]
    pub(super) fn run_fast(
        &mut self,
        state: &mut State,
        function: &Function,
        decoded: &Decoded,
    ) -> LoopExit {
        let first = function.first_inst.index();
        let stack = self.stack_room(state);
        let mut executed = self.counters.executed.stretch(first, decoded.ops.len());
        let branches = &mut self.counters.branches[first..][..decoded.ops.len()];
        let mut fast = fast!(self, state, stack);
        let room = self.batch.end.saturating_sub(state.instructions);
        let mut left = room;
        let mut new_side = false;
        let mut pc = state.frame.pc as usize;
        let mut end = decoded.ends[pc] as usize;
        let way = loop {
            let len = (end - pc) as u64;
            if left < len || !executed.come(pc) {
                break LoopExit::Single;
            }
            left -= len;
            let mut rest = decoded.ops[pc..end].iter();
            let how = loop {
                let Some(op) = rest.next() else {
                    unreachable!("a block ends with an instruction that leaves it");
                };
                let how = fast.execute(decoded, op, &mut rest);
                if how == FastResult::Next {
                    continue;
                }
                if how != FastResult::Alloca || !fast.stack_object(decoded) {
                    break how;
                }
            };
            let way = match how {
                FastResult::Taken | FastResult::Passed | FastResult::Goes => {
                    match how {
                        FastResult::Taken => note(&mut branches[end - 1], 2, &mut new_side),
                        FastResult::Passed => note(&mut branches[end - 1], 1, &mut new_side),
                        _ => {}
                    }
                    let (exit, moves) = decoded.exit(fast.edge);
                    follow(fast.regs, moves);
                    (pc, end) = (exit.pc as usize, exit.end as usize);
                    continue;
                }
                left => loop_exit(left, fast.plan),
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
        if new_side {
            self.cover_side(state);
        }
        way
    }

    /// The instruction at which the state stands, alone, if the fast path applies.
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
        let mut fast = fast!(self, state, stack);
        let how = match fast.execute(decoded, &decoded.ops[position], &mut [].iter()) {
            FastResult::Alloca if fast.stack_object(decoded) => FastResult::Next,
            how => how,
        };
        let (edge, plan) = (fast.edge, fast.plan);
        match how {
            FastResult::Next => {
                if let Some(Value::Pointer(object, offset)) = pointer {
                    let (kind, size) = decoded.ops[position].access();
                    self.accessed(state, kind, (object, offset), size);
                }
                return Some(Flow::Next);
            }
            FastResult::Goes => {}
            FastResult::Taken => self.note_branch(state, function, true),
            FastResult::Passed => self.note_branch(state, function, false),
            FastResult::Call => return self.fast_call(state, decoded, plan).then_some(Flow::Frame),
            FastResult::Return => return self.fast_return(state, plan).then_some(Flow::Frame),
            FastResult::Declined | FastResult::Alloca | FastResult::Indirect => return None,
        }
        let (exit, moves) = decoded.exit(edge);
        follow(&mut state.frame.regs, moves);
        state.frame.pc = exit.pc;
        Some(Flow::Jumped)
    }
}

//! The loop of the fast paths, which holds position and counters in the machine's registers, and
//! counts what is executed by blocks: a block that lies within the batch and in which nothing is
//! new is counted when it is entered, and what of it is not executed is taken back.

mod operations;
mod out_of_line;

use crate::code::decoded::{Decoded, Op};
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::Flow;
use operations::FastResult;
pub(super) use operations::{FastPath, follow};
use plat_expr::Value;
use plat_program::Function;

/// Where the loop has been left: what is to be done at the instruction at which a state stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LoopExit {
    /// It is to be counted and carried out by itself.
    Single,
    /// It is counted.
    Counted,
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
        let room = self.batch.end.saturating_sub(state.instructions);
        let mut left = room;
        let mut new_side = false;
        let mut pc = state.frame.pc as usize;
        let mut end = decoded.ends[pc] as usize;
        let mut fast = FastPath::new(self, state);
        let way = loop {
            let len = (end - pc) as u64;
            if left < len || !fast.exec.counters.executed.come(first + pc) {
                break LoopExit::Single;
            }
            left -= len;
            let mut rest = decoded.ops[pc..end].iter();
            let how = loop {
                let Some(op) = rest.next() else {
                    unreachable!("a block ends with an instruction that leaves it");
                };
                let how = fast.execute(decoded, op, &mut rest);
                if how != FastResult::Next {
                    break how;
                }
            };
            let sides = &mut fast.exec.counters.branches;
            match how {
                FastResult::Taken => note(&mut sides[first + end - 1], 2, &mut new_side),
                FastResult::Passed => note(&mut sides[first + end - 1], 1, &mut new_side),
                FastResult::Goes => {}
                FastResult::Next | FastResult::Declined => {
                    pc = end - rest.len() - 1;
                    if rest.len() > 0 {
                        fast.exec.counters.executed.leave(first + pc + 1);
                        left += rest.len() as u64;
                    }
                    break LoopExit::Counted;
                }
            }
            let (exit, moves) = decoded.exit(fast.edge);
            follow(&mut fast.state.frame.regs, moves);
            (pc, end) = (exit.pc as usize, exit.end as usize);
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
        let mut fast = FastPath::new(self, state);
        let how = fast.execute(decoded, &decoded.ops[position], &mut [].iter());
        let edge = fast.edge;
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
            FastResult::Declined => {
                let done = match decoded.ops[position] {
                    Op::Call { plan } => self.fast_call(state, decoded, plan),
                    Op::Return { value } => self.fast_return(state, value),
                    _ => false,
                };
                return done.then_some(Flow::Frame);
            }
        }
        let (exit, moves) = decoded.exit(edge);
        follow(&mut state.frame.regs, moves);
        state.frame.pc = exit.pc;
        Some(Flow::Jumped)
    }
}

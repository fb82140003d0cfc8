//! The fast paths: operations on concrete words and pointers to known places.
//!
//! All of it is inlined into the loop, and says how it went in one plain word, so that the compiler
//! sends each path on to the next instruction directly. What it declines has changed nothing. A
//! comparison goes on with the branch on its result, and an address with the load from it.

use crate::decoded::{Decoded, Op, Slot};
use crate::engine::Engine;
use crate::state::State;
use crate::values;
use plat_expr::Value;
use plat_memory::{Stored, Word};
use plat_program::{BinaryOp, EdgeId, Function, IntPredicate};

/// How a fast path went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Quick {
    /// Done; go on with the next instruction.
    Next,
    /// Done; the position is set.
    Jumped,
    /// Done; another frame runs.
    Frame,
    /// Not for a fast path.
    Declined,
}

/// The concrete word in a register, if it is one. A register is written in parts, and reading it
/// whole right behind the write would wait for the store: fast paths look at the parts.
#[inline(always)]
fn word(state: &State, slot: Slot) -> Option<u64> {
    match state.frame.regs[slot as usize] {
        Value::Int(word) => Some(word),
        _ => None,
    }
}

/// Copies a register.
#[inline(always)]
fn copy(state: &mut State, dst: Slot, src: Slot) {
    match state.frame.regs[src as usize] {
        Value::Int(word) => state.frame.regs[dst as usize] = Value::Int(word),
        Value::Pointer(object, offset) => {
            state.frame.regs[dst as usize] = Value::Pointer(object, offset);
        }
        other => state.frame.regs[dst as usize] = other,
    }
}

impl Engine<'_> {
    /// The instruction at the state's position, if it is easy; with `AHEAD` perhaps the next one
    /// too.
    #[inline(always)]
    pub(super) fn quick<const AHEAD: bool>(
        &mut self,
        state: &mut State,
        function: &Function,
        decoded: &Decoded,
    ) -> Quick {
        let position = state.frame.pc as usize;
        let done = match decoded.ops[position] {
            Op::Add { dst, a, b, mask } => match (word(state, a), word(state, b)) {
                (Some(a), Some(b)) => {
                    state.frame.regs[dst as usize] = Value::Int(a.wrapping_add(b) & mask);
                    return Quick::Next;
                }
                _ => mask == u64::MAX && self.quick_pointer(state, BinaryOp::Add, dst, a, b),
            },
            Op::Sub { dst, a, b, mask } => match (word(state, a), word(state, b)) {
                (Some(a), Some(b)) => {
                    state.frame.regs[dst as usize] = Value::Int(a.wrapping_sub(b) & mask);
                    return Quick::Next;
                }
                _ => mask == u64::MAX && self.quick_pointer(state, BinaryOp::Sub, dst, a, b),
            },
            Op::Binary {
                op,
                bits,
                dst,
                a,
                b,
            } => {
                if let (Some(a), Some(b)) = (word(state, a), word(state, b))
                    && let Some(word) = values::fold(op, bits.into(), a, b)
                {
                    state.frame.regs[dst as usize] = Value::Int(word);
                    return Quick::Next;
                }
                bits == 64 && self.quick_pointer(state, op, dst, a, b)
            }
            Op::Compare {
                predicate,
                bits,
                branches,
                dst,
                a,
                b,
            } => {
                let Some(holds) = self.quick_compare(state, predicate, bits, a, b) else {
                    return Quick::Declined;
                };
                state.frame.regs[dst as usize] = Value::Int(u64::from(holds));
                if AHEAD
                    && branches
                    && state.instructions < self.batch_end
                    && let Some(&Op::Branch {
                        then, otherwise, ..
                    }) = decoded.ops.get(position + 1)
                {
                    state.frame.pc += 1;
                    self.count_instruction(state, function.first_inst.index() + position + 1);
                    self.quick_branch(state, function, decoded, holds, (then, otherwise));
                    return Quick::Jumped;
                }
                true
            }
            Op::Load {
                bytes,
                dst,
                pointer,
            } => self.quick_load(state, bytes, dst, pointer),
            Op::Store {
                bytes,
                value,
                pointer,
            } => self.quick_store(state, bytes, value, pointer),
            Op::Move {
                loads,
                dst,
                base,
                offset,
            } => {
                if !self.quick_move(state, dst, base, offset) {
                    return Quick::Declined;
                }
                if AHEAD && loads {
                    self.quick_load_ahead(state, function, decoded);
                }
                true
            }
            Op::Index {
                bits,
                loads,
                dst,
                base,
                index,
                scale,
                offset,
            } => {
                let Some(index) = word(state, index) else {
                    return Quick::Declined;
                };
                let scaled = values::signed(index, bits.into()).wrapping_mul(scale.into());
                let distance = scaled.wrapping_add(offset.into());
                if !self.quick_move(state, dst, base, distance) {
                    return Quick::Declined;
                }
                if AHEAD && loads {
                    self.quick_load_ahead(state, function, decoded);
                }
                true
            }
            Op::Indices {
                terms,
                dst,
                base,
                first,
                offset,
            } => {
                let mut distance = i64::from(offset);
                for &(index, bits, scale) in decoded.terms(first, terms) {
                    let Some(index) = word(state, index) else {
                        return Quick::Declined;
                    };
                    let index = values::signed(index, bits);
                    distance = distance.wrapping_add(index.wrapping_mul(scale));
                }
                self.quick_move(state, dst, base, distance)
            }
            Op::Jump { edge } => {
                self.follow(state, decoded, edge);
                return Quick::Jumped;
            }
            Op::Branch {
                cond,
                then,
                otherwise,
            } => {
                let Some(bit) = word(state, cond) else {
                    return Quick::Declined;
                };
                self.quick_branch(state, function, decoded, bit != 0, (then, otherwise));
                return Quick::Jumped;
            }
            Op::Cut { dst, value, mask } => match state.frame.regs[value as usize] {
                Value::Int(word) => {
                    state.frame.regs[dst as usize] = Value::Int(word & mask);
                    true
                }
                Value::Pointer(object, offset) if mask == u64::MAX => {
                    state.frame.regs[dst as usize] = Value::Pointer(object, offset);
                    true
                }
                _ => false,
            },
            Op::Extend {
                from,
                to,
                dst,
                value,
            } => match word(state, value) {
                Some(word) => {
                    let word = values::signed(word, from.into()) as u64 & values::mask(to.into());
                    state.frame.regs[dst as usize] = Value::Int(word);
                    true
                }
                None => false,
            },
            Op::Select {
                dst,
                cond,
                then,
                otherwise,
            } => match word(state, cond) {
                Some(bit) => {
                    copy(state, dst, if bit != 0 { then } else { otherwise });
                    true
                }
                None => false,
            },
            Op::Scalar {
                scalar,
                bits,
                dst,
                a,
                b,
                c,
            } => match (word(state, a), word(state, b), word(state, c)) {
                (Some(a), Some(b), Some(c)) => match scalar.fold(bits.into(), a, b, c) {
                    Some(word) => {
                        state.frame.regs[dst as usize] = Value::Int(word);
                        true
                    }
                    None => false,
                },
                _ => false,
            },
            Op::Switch { value, plan } if AHEAD => {
                let Some(word) = word(state, value) else {
                    return Quick::Declined;
                };
                self.follow(state, decoded, decoded.switch(plan, word));
                return Quick::Jumped;
            }
            Op::Alloca { plan } => self.quick_alloca(state, decoded, plan),
            Op::Call { plan } if AHEAD => {
                return match self.quick_call(state, decoded, plan) {
                    true => Quick::Frame,
                    false => Quick::Declined,
                };
            }
            Op::Return { value } if AHEAD => {
                return match self.quick_return(state, value) {
                    true => Quick::Frame,
                    false => Quick::Declined,
                };
            }
            Op::Skip => true,
            Op::Switch { .. }
            | Op::Call { .. }
            | Op::Native { .. }
            | Op::Return { .. }
            | Op::Other => false,
        };
        if done { Quick::Next } else { Quick::Declined }
    }

    /// Goes one way at the conditional branch at which the state stands.
    #[inline(always)]
    fn quick_branch(
        &mut self,
        state: &mut State,
        function: &Function,
        decoded: &Decoded,
        taken: bool,
        (then, otherwise): (EdgeId, EdgeId),
    ) {
        self.note_branch(state, function, taken);
        self.follow(state, decoded, if taken { then } else { otherwise });
    }

    /// Goes along an edge: its parallel moves, then its target.
    #[inline(always)]
    pub(super) fn follow(&mut self, state: &mut State, decoded: &Decoded, edge: EdgeId) {
        let (pc, moves) = decoded.exit(edge);
        match *moves {
            [] => {}
            [(dst, src)] => copy(state, dst, src),
            // Mostly the second source is another register than the first one's destination.
            [(dst, src), (second, from)] if from != dst => {
                copy(state, dst, src);
                copy(state, second, from);
            }
            _ => self.follow_many(state, moves),
        }
        state.frame.pc = pc;
    }

    #[inline(never)]
    fn follow_many(&mut self, state: &mut State, moves: &[(Slot, Slot)]) {
        let mut buffer = std::mem::take(&mut self.moves);
        buffer.clear();
        buffer.extend(moves.iter().map(|&(_, src)| state.frame.regs[src as usize]));
        for (&(dst, _), &value) in moves.iter().zip(&buffer) {
            state.frame.regs[dst as usize] = value;
        }
        self.moves = buffer;
    }

    /// Carries out the load that follows the address at which the state stands, if it is easy; the
    /// state then stands at the load.
    #[inline(always)]
    fn quick_load_ahead(&mut self, state: &mut State, function: &Function, decoded: &Decoded) {
        let position = state.frame.pc as usize;
        if state.instructions < self.batch_end
            && let Some(&Op::Load {
                bytes,
                dst,
                pointer,
            }) = decoded.ops.get(position + 1)
        {
            state.frame.pc += 1;
            if self.quick_load(state, bytes, dst, pointer) {
                self.count_instruction(state, function.first_inst.index() + position + 1);
            } else {
                state.frame.pc -= 1;
            }
        }
    }

    /// `dst = *pointer`, of a number or a whole pointer.
    #[inline(always)]
    fn quick_load(&mut self, state: &mut State, bytes: u8, dst: Slot, pointer: Slot) -> bool {
        let Value::Pointer(object, offset) = state.frame.regs[pointer as usize] else {
            return false;
        };
        let Some(word) = state.memory.load_word(object, offset, bytes.into()) else {
            return false;
        };
        self.expect(state, (object, offset));
        match word {
            Word::Bits(word) => state.frame.regs[dst as usize] = Value::Int(word),
            Word::Pointer(pointer) => {
                state.frame.regs[dst as usize] = Value::Pointer(pointer.object, pointer.offset);
            }
        }
        true
    }

    /// `*pointer = value`, of a number over numbers or of a pointer.
    #[inline(always)]
    fn quick_store(&mut self, state: &mut State, bytes: u8, value: Slot, pointer: Slot) -> bool {
        let Value::Pointer(object, offset) = state.frame.regs[pointer as usize] else {
            return false;
        };
        let done = match state.frame.regs[value as usize] {
            Value::Int(word) => (state.memory).store_word(object, offset, bytes.into(), word),
            Value::Pointer(target, inside) => {
                let pointer = Stored {
                    object: target,
                    offset: inside,
                };
                bytes == 8 && state.memory.store_pointer(object, offset, pointer)
            }
            _ => false,
        };
        if done {
            self.expect(state, (object, offset));
        }
        done
    }

    /// `dst = base + distance`.
    #[inline(always)]
    fn quick_move(&mut self, state: &mut State, dst: Slot, base: Slot, distance: i64) -> bool {
        match state.frame.regs[base as usize] {
            Value::Pointer(object, at) if state.distances.is_empty() => {
                let moved = at.wrapping_add(distance);
                state.frame.regs[dst as usize] = Value::Pointer(object, moved);
            }
            Value::Pointer(object, at) => {
                let moved = self.redirected(state, object, at.wrapping_add(distance));
                state.frame.regs[dst as usize] = moved;
            }
            Value::Int(word) => {
                let moved = word.wrapping_add_signed(distance);
                state.frame.regs[dst as usize] = Value::Int(moved);
            }
            _ => return false,
        }
        true
    }

    /// An operation on 64 bits that makes a pointer of a pointer, or a number of two.
    #[inline(never)]
    fn quick_pointer(&self, state: &mut State, op: BinaryOp, dst: Slot, a: Slot, b: Slot) -> bool {
        let regs = &mut state.frame.regs;
        let (a, b) = (regs[a as usize], regs[b as usize]);
        let plain = |value| matches!(value, Value::Int(_) | Value::Pointer(..));
        if !plain(a) || !plain(b) || !state.distances.is_empty() {
            return false;
        }
        let result = values::pointer_binary(&self.pool, op, a, b);
        if let Some(result) = result {
            regs[dst as usize] = result;
        }
        result.is_some()
    }

    /// Whether a comparison holds, if its operands are no expressions.
    #[inline(always)]
    fn quick_compare(
        &self,
        state: &State,
        predicate: IntPredicate,
        bits: u8,
        a: Slot,
        b: Slot,
    ) -> Option<bool> {
        match (word(state, a), word(state, b)) {
            (Some(a), Some(b)) => Some(values::fold_compare(predicate, bits.into(), a, b)),
            _ if bits == 64 => {
                let regs = &state.frame.regs;
                let (a, b) = (&regs[a as usize], &regs[b as usize]);
                match values::compare_pointers(predicate, a, b) {
                    None => self.compare_numbers(predicate, *a, *b),
                    known => known,
                }
            }
            _ => None,
        }
    }

    /// Whether a comparison of addresses holds.
    #[inline(never)]
    fn compare_numbers(&self, predicate: IntPredicate, a: Value, b: Value) -> Option<bool> {
        let (a, b) = (
            values::number(&self.pool, a)?,
            values::number(&self.pool, b)?,
        );
        Some(values::fold_compare(predicate, 64, a, b))
    }
}

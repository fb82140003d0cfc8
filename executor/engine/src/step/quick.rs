//! The fast paths: instructions on concrete words and pointers to known places.
//!
//! All of it is inlined into the loop, and says how it went in one plain word, so that the compiler
//! sends each path on to the next instruction directly. What it declines has changed nothing.

use crate::engine::Engine;
use crate::state::State;
use crate::values;
use plat_expr::Value;
use plat_memory::{Stored, Word};
use plat_program::{CastOp, Function, Inst, Operand, Reg, Span, TypeId};

/// How a fast path went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Quick {
    /// Done; go on with the next instruction.
    Next,
    /// Done; the position is set.
    Jumped,
    /// Not for a fast path.
    Declined,
}

impl Engine<'_> {
    /// One instruction, if it is easy.
    #[inline(always)]
    pub(super) fn quick(&mut self, state: &mut State, function: &Function, inst: &Inst) -> Quick {
        let done = match *inst {
            Inst::Binary {
                op,
                ty,
                dst,
                lhs,
                rhs,
            } => {
                if let (Some(a), Some(b)) = (self.word(state, lhs), self.word(state, rhs))
                    && let Some(word) = values::fold(op, self.code.ty(ty).bits, a, b)
                {
                    state.frame.regs[dst.index()] = Value::Int(word);
                    return Quick::Next;
                }
                false
            }
            Inst::Compare {
                predicate,
                ty,
                dst,
                lhs,
                rhs,
            } => {
                let bits = self.code.ty(ty).bits;
                let holds = match (self.word(state, lhs), self.word(state, rhs)) {
                    (Some(a), Some(b)) => Some(values::fold_compare(predicate, bits, a, b)),
                    _ if bits == 64 => {
                        let (a, b) = (self.operand_ref(state, lhs), self.operand_ref(state, rhs));
                        values::compare_pointers(predicate, a, b)
                    }
                    _ => None,
                };
                let Some(holds) = holds else {
                    return Quick::Declined;
                };
                state.frame.regs[dst.index()] = Value::Int(u64::from(holds));
                true
            }
            Inst::Load {
                ty, dst, pointer, ..
            } => self.quick_load(state, ty, dst, pointer),
            Inst::Store {
                ty, value, pointer, ..
            } => self.quick_store(state, ty, value, pointer),
            Inst::Gep {
                dst,
                base,
                offset,
                terms,
            } => self.quick_gep(state, function, dst, base, offset, terms),
            Inst::Jump { edge } => {
                self.take_plain_edge(state, function, edge);
                return Quick::Jumped;
            }
            Inst::Branch {
                cond,
                then,
                otherwise,
            } => {
                let Some(bit) = self.word(state, cond) else {
                    return Quick::Declined;
                };
                let edge = if bit != 0 { then } else { otherwise };
                self.note_branch(state, function, bit != 0);
                self.take_plain_edge(state, function, edge);
                return Quick::Jumped;
            }
            Inst::Cast {
                op,
                from,
                to,
                dst,
                value,
            } => self.quick_cast(state, op, from, to, dst, value),
            Inst::Select {
                dst,
                cond,
                then,
                otherwise,
                ..
            } => match self.word(state, cond) {
                Some(bit) => {
                    self.copy_operand(state, dst, if bit != 0 { then } else { otherwise });
                    true
                }
                None => false,
            },
            _ => false,
        };
        if done { Quick::Next } else { Quick::Declined }
    }

    /// `dst = *pointer`, of a number or a whole pointer.
    #[inline(always)]
    fn quick_load(&mut self, state: &mut State, ty: TypeId, dst: Reg, pointer: Operand) -> bool {
        let bytes = self.code.ty(ty).bytes;
        let &Value::Pointer(object, offset) = self.operand_ref(state, pointer) else {
            return false;
        };
        if bytes == 0 {
            return false;
        }
        let Some(word) = state.memory.load_word(object, offset, bytes) else {
            return false;
        };
        self.expect(state, (object, offset));
        match word {
            Word::Bits(word) => state.frame.regs[dst.index()] = Value::Int(word),
            Word::Pointer(pointer) => {
                state.frame.regs[dst.index()] = Value::Pointer(pointer.object, pointer.offset);
            }
        }
        true
    }

    /// `*pointer = value`, of a number over numbers or of a pointer.
    #[inline(always)]
    fn quick_store(
        &mut self,
        state: &mut State,
        ty: TypeId,
        value: Operand,
        pointer: Operand,
    ) -> bool {
        let bytes = self.code.ty(ty).bytes;
        let &Value::Pointer(object, offset) = self.operand_ref(state, pointer) else {
            return false;
        };
        let done = match *self.operand_ref(state, value) {
            Value::Int(word) => bytes != 0 && state.memory.store_word(object, offset, bytes, word),
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

    /// `dst = base + offset + sum(scale * sext(index))`, of known numbers.
    #[inline(always)]
    fn quick_gep(
        &mut self,
        state: &mut State,
        function: &Function,
        dst: Reg,
        base: Operand,
        offset: i64,
        terms: Span,
    ) -> bool {
        let mut distance = offset;
        for &(index, bits, scale) in &function.gep_terms[terms.range()] {
            match self.word(state, index) {
                Some(word) if bits <= 64 => {
                    let index = values::signed(word, bits);
                    distance = distance.wrapping_add(index.wrapping_mul(scale));
                }
                _ => return false,
            }
        }
        match *self.operand_ref(state, base) {
            Value::Pointer(object, at) if state.distances.is_empty() => {
                state.frame.regs[dst.index()] = Value::Pointer(object, at.wrapping_add(distance));
            }
            Value::Pointer(object, at) => {
                let moved = self.redirected(state, object, at.wrapping_add(distance));
                state.frame.regs[dst.index()] = moved;
            }
            Value::Int(word) => {
                let moved = word.wrapping_add_signed(distance);
                state.frame.regs[dst.index()] = Value::Int(moved);
            }
            _ => return false,
        }
        true
    }

    #[inline(always)]
    fn quick_cast(
        &mut self,
        state: &mut State,
        op: CastOp,
        from: TypeId,
        to: TypeId,
        dst: Reg,
        value: Operand,
    ) -> bool {
        let Some(word) = self.word(state, value) else {
            return false;
        };
        let (from, to) = (self.code.ty(from).bits, self.code.ty(to).bits);
        let word = match op {
            CastOp::ZExt | CastOp::PtrToInt | CastOp::IntToPtr if to <= 64 => {
                word & values::mask(to.max(1))
            }
            CastOp::Trunc => word & values::mask(to),
            CastOp::SExt if to <= 64 => values::signed(word, from) as u64 & values::mask(to),
            _ => return false,
        };
        state.frame.regs[dst.index()] = Value::Int(word);
        true
    }
}

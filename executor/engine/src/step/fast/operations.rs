//! The fast paths: operations on concrete words and pointers to known places.
//!
//! They see a few parts of the state and the run only ([`FastPath`]), so that where registers and
//! operations are stays in the machine's registers, and are inlined into the loop that uses them
//! ([`super`]). What is not inlined is given the parts that it needs, as a [`FastPath`] that is seen
//! from elsewhere would lie in memory. What they decline has changed nothing. A comparison goes on with the
//! branch on its result.

use super::out_of_line::{compare_numbers, copy_bytes, load_bits, pointer_result, shift};
use crate::code::decoded::{Decoded, Op, Slot};
use crate::code::plans::Order;
use crate::state::distances::Distances;
use crate::values;
use plat_basics::integer::word;
use plat_expr::{ObjectId, Value};
use plat_memory::{Cx, Memory, Stored, Word};
use plat_program::{BinaryOp, EdgeId};
use smallvec::SmallVec;
use std::slice::Iter;

/// How a fast path went: one plain word, so that the compiler sends each path on directly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::step) enum FastResult {
    /// Done; go on with the next instruction.
    Next,
    /// Done; go along [`FastPath::edge`].
    Goes,
    /// Done; go along [`FastPath::edge`] of a conditional branch, which is taken.
    Taken,
    /// Done; go along [`FastPath::edge`] of a conditional branch, which is not taken.
    Passed,
    /// A call, by [`FastPath::plan`].
    Call,
    /// A call through a pointer, by [`FastPath::plan`].
    Indirect,
    /// A stack object, by [`FastPath::plan`].
    Alloca,
    /// The end of the function; [`FastPath::plan`] is the register of the result.
    Return,
    /// Not for a fast path.
    Declined,
}

/// What the fast paths work on.
pub(in crate::step) struct FastPath<'s> {
    pub regs: &'s mut [Value],
    pub memory: &'s mut Memory,
    pub cx: Cx<'s>,
    /// The stack objects of the frame.
    pub allocas: &'s mut SmallVec<[ObjectId; 4]>,
    /// Bytes that there may be in stack objects; none if more is to be done for them.
    pub stack: Option<u64>,
    /// Whether functions stand in for others.
    pub aliased: bool,
    /// See [`crate::executor::Executor::touched`].
    pub touched: &'s mut u64,
    pub distances: &'s Distances,
    /// Where control goes, if it does.
    pub edge: EdgeId,
    /// What [`FastResult`] says.
    pub plan: u32,
}

/// Copies a register. A register is written in parts, and reading it whole right behind the write
/// would wait for the store: fast paths look at the parts.
#[inline(always)]
pub(super) fn copy(regs: &mut [Value], dst: Slot, src: Slot) {
    match regs[src as usize] {
        Value::Int(word) => regs[dst as usize] = Value::Int(word),
        Value::Pointer(object, offset) => regs[dst as usize] = Value::Pointer(object, offset),
        other => regs[dst as usize] = other,
    }
}

/// Makes the moves of an edge.
#[inline(always)]
pub(in crate::step) fn follow(regs: &mut [Value], moves: &[(Slot, Slot)]) {
    match *moves {
        [] => {}
        [(dst, src)] => copy(regs, dst, src),
        _ => {
            for &(dst, src) in moves {
                copy(regs, dst, src);
            }
        }
    }
}

impl FastPath<'_> {
    /// The concrete word in a register, if it is one.
    #[inline(always)]
    fn word(&self, slot: Slot) -> Option<u64> {
        match self.regs[slot as usize] {
            Value::Int(word) => Some(word),
            _ => None,
        }
    }

    #[inline(always)]
    fn set(&mut self, dst: Slot, word: u64) {
        self.regs[dst as usize] = Value::Int(word);
    }

    /// An operation, if the fast path applies, and perhaps the next one, which is then taken from `rest`.
    #[inline(always)]
    pub fn execute(&mut self, decoded: &Decoded, op: &Op, rest: &mut Iter<'_, Op>) -> FastResult {
        let done = match *op {
            Op::Add { dst, a, b, mask } => match (self.word(a), self.word(b)) {
                (Some(a), Some(b)) => {
                    self.set(dst, a.wrapping_add(b) & mask);
                    true
                }
                _ => mask == u64::MAX && self.pointer(BinaryOp::Add, dst, (a, b)),
            },
            Op::AddConst { bits, dst, a, by } => match self.word(a) {
                Some(word) => {
                    self.set(dst, word.wrapping_add(by) & values::mask(bits.into()));
                    true
                }
                None => {
                    let a = self.regs[a as usize];
                    bits == 64 && self.pointer_of(BinaryOp::Add, dst, a, Value::Int(by))
                }
            },
            Op::Sub { dst, a, b, mask } => match (self.word(a), self.word(b)) {
                (Some(a), Some(b)) => {
                    self.set(dst, a.wrapping_sub(b) & mask);
                    true
                }
                _ => mask == u64::MAX && self.pointer(BinaryOp::Sub, dst, (a, b)),
            },
            Op::And { bits, dst, a, b } => match (self.word(a), self.word(b)) {
                (Some(a), Some(b)) => {
                    self.set(dst, a & b);
                    true
                }
                _ => bits == 64 && self.pointer(BinaryOp::And, dst, (a, b)),
            },
            Op::Binary {
                op,
                bits,
                dst,
                a,
                b,
            } => match (self.word(a), self.word(b)) {
                (Some(a), Some(b)) => match word::binary(op, bits.into(), a, b) {
                    Some(word) => {
                        self.set(dst, word);
                        true
                    }
                    None => false,
                },
                _ => bits == 64 && self.pointer(op, dst, (a, b)),
            },
            ref guarded @ Op::Guarded { .. } => shift(self.regs, guarded),
            Op::Compare {
                order,
                branches,
                dst,
                a,
                b,
            } => {
                let holds = match (self.word(a), self.word(b)) {
                    (Some(a), Some(b)) => order.compare(a, b),
                    _ => match self.compare(order, self.regs[a as usize], self.regs[b as usize]) {
                        Some(holds) => holds,
                        None => return FastResult::Declined,
                    },
                };
                return self.compared(rest, branches, (dst, holds));
            }
            Op::CompareConst {
                order,
                branches,
                dst,
                a,
                with,
            } => {
                let holds = match self.word(a) {
                    Some(a) => order.compare(a, with),
                    _ => match self.compare(order, self.regs[a as usize], Value::Int(with)) {
                        Some(holds) => holds,
                        None => return FastResult::Declined,
                    },
                };
                return self.compared(rest, branches, (dst, holds));
            }
            Op::Load1 { dst, pointer } => self.load(1, dst, pointer),
            Op::Load4 { dst, pointer } => self.load(4, dst, pointer),
            Op::Load8 { dst, pointer } => self.load(8, dst, pointer),
            Op::Load {
                bytes,
                dst,
                pointer,
            } => self.load(bytes, dst, pointer),
            Op::LoadBits { bits, dst, pointer } => {
                load_bits(self.regs, self.memory, (bits, dst, pointer))
            }
            Op::Store1 { value, pointer } => self.store(1, value, pointer),
            Op::Store4 { value, pointer } => self.store(4, value, pointer),
            Op::Store8 { value, pointer } => self.store(8, value, pointer),
            Op::Store {
                bytes,
                value,
                pointer,
            } => self.store(bytes, value, pointer),
            Op::Move { dst, base, offset } => self.moved(dst, base, offset),
            Op::Index {
                bits,
                dst,
                base,
                index,
                scale,
                offset,
            } => {
                let Some(index) = self.word(index) else {
                    return FastResult::Declined;
                };
                let scaled = values::signed(index, bits.into()).wrapping_mul(scale.into());
                self.moved(dst, base, scaled.wrapping_add(offset.into()))
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
                    let Some(index) = self.word(index) else {
                        return FastResult::Declined;
                    };
                    let index = values::signed(index, bits);
                    distance = distance.wrapping_add(index.wrapping_mul(scale));
                }
                self.moved(dst, base, distance)
            }
            Op::Jump { edge } => {
                self.edge = edge;
                return FastResult::Goes;
            }
            Op::Branch {
                cond,
                then,
                otherwise,
            } => {
                return match self.word(cond) {
                    Some(bit) => self.branch(bit != 0, (then, otherwise)),
                    None => FastResult::Declined,
                };
            }
            Op::Cut { dst, value, mask } => match self.regs[value as usize] {
                Value::Int(word) => {
                    self.set(dst, word & mask);
                    true
                }
                Value::Pointer(object, offset) if mask == u64::MAX => {
                    self.regs[dst as usize] = Value::Pointer(object, offset);
                    true
                }
                _ => false,
            },
            Op::Extend {
                from,
                to,
                dst,
                value,
            } => match self.word(value) {
                Some(word) => {
                    let word = values::signed(word, from.into()) as u64 & values::mask(to.into());
                    self.set(dst, word);
                    true
                }
                None => false,
            },
            Op::Select {
                dst,
                cond,
                then,
                otherwise,
            } => match self.word(cond) {
                Some(bit) => {
                    copy(self.regs, dst, if bit != 0 { then } else { otherwise });
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
            } => match (self.word(a), self.word(b), self.word(c)) {
                (Some(a), Some(b), Some(c)) => match scalar.fold(bits.into(), a, b, c) {
                    Some(word) => {
                        self.set(dst, word);
                        true
                    }
                    None => false,
                },
                _ => false,
            },
            Op::Switch { value, plan } => {
                let Some(word) = self.word(value) else {
                    return FastResult::Declined;
                };
                self.edge = decoded.switch(plan, word);
                return FastResult::Goes;
            }
            Op::Alloca { plan } => {
                self.plan = plan;
                return FastResult::Alloca;
            }
            Op::Call { plan } => {
                self.plan = plan;
                return FastResult::Call;
            }
            Op::Indirect { plan } => {
                self.plan = plan;
                return FastResult::Indirect;
            }
            Op::Copy { .. } if self.aliased => false,
            Op::Copy { plan } => {
                copy_bytes(self.regs, self.memory, self.touched, decoded.copy(plan))
            }
            Op::Return { value } => {
                self.plan = value;
                return FastResult::Return;
            }
            Op::Skip => true,
            Op::Native { .. } | Op::Other => false,
        };
        if done {
            FastResult::Next
        } else {
            FastResult::Declined
        }
    }

    /// What comes behind a comparison.
    #[inline(always)]
    fn compared(
        &mut self,
        rest: &mut Iter<'_, Op>,
        branches: bool,
        (dst, holds): (Slot, bool),
    ) -> FastResult {
        self.set(dst, u64::from(holds));
        if branches
            && let Some(&Op::Branch {
                then, otherwise, ..
            }) = rest.next()
        {
            return self.branch(holds, (then, otherwise));
        }
        FastResult::Next
    }

    /// Goes one way at a conditional branch.
    #[inline(always)]
    fn branch(&mut self, taken: bool, (then, otherwise): (EdgeId, EdgeId)) -> FastResult {
        if taken {
            self.edge = then;
            FastResult::Taken
        } else {
            self.edge = otherwise;
            FastResult::Passed
        }
    }

    /// `dst = *pointer`, of a number or a whole pointer.
    #[inline(always)]
    fn load(&mut self, bytes: u8, dst: Slot, pointer: Slot) -> bool {
        let Value::Pointer(object, offset) = self.regs[pointer as usize] else {
            return false;
        };
        match self.memory.load_word(object, offset, bytes.into()) {
            Some(Word::Bits(word)) => self.set(dst, word),
            Some(Word::Pointer(pointer)) => {
                self.regs[dst as usize] = Value::Pointer(pointer.object, pointer.offset);
            }
            None => return false,
        }
        true
    }

    /// `*pointer = value`, of a number over numbers or of a pointer.
    #[inline(always)]
    fn store(&mut self, bytes: u8, value: Slot, pointer: Slot) -> bool {
        let Value::Pointer(object, offset) = self.regs[pointer as usize] else {
            return false;
        };
        match self.regs[value as usize] {
            Value::Int(word) => (self.memory).store_word(object, offset, bytes.into(), word),
            Value::Pointer(target, inside) => {
                let pointer = Stored {
                    object: target,
                    offset: inside,
                };
                bytes == 8 && self.memory.store_pointer(object, offset, pointer)
            }
            _ => false,
        }
    }

    /// `dst = base + distance`.
    #[inline(always)]
    fn moved(&mut self, dst: Slot, base: Slot, distance: i64) -> bool {
        match self.regs[base as usize] {
            Value::Pointer(object, at) => {
                let at = at.wrapping_add(distance);
                self.regs[dst as usize] = Value::Pointer(object, at);
                if !self.distances.keep(object) {
                    let pointer = (object, at);
                    let moved = (self.distances).redirected(self.cx.pool, self.memory, pointer);
                    self.regs[dst as usize] = moved;
                }
            }
            Value::Int(word) => self.set(dst, word.wrapping_add_signed(distance)),
            _ => return false,
        }
        true
    }

    /// An operation on 64 bits that makes a pointer of a pointer, or a number of two.
    #[inline(always)]
    fn pointer(&mut self, op: BinaryOp, dst: Slot, (a, b): (Slot, Slot)) -> bool {
        let (a, b) = (self.regs[a as usize], self.regs[b as usize]);
        self.pointer_of(op, dst, a, b)
    }

    #[inline(always)]
    fn pointer_of(&mut self, op: BinaryOp, dst: Slot, a: Value, b: Value) -> bool {
        let keeps = |value| match value {
            Value::Pointer(object, _) => self.distances.keep(object),
            _ => true,
        };
        let result = match keeps(a) && keeps(b) {
            true => pointer_result(self.cx.pool, op, a, b),
            false => None,
        };
        if let Some(result) = result {
            self.regs[dst as usize] = result;
        }
        result.is_some()
    }

    /// Whether a comparison holds, if its operands are no expressions.
    #[inline(always)]
    fn compare(&self, order: Order, a: Value, b: Value) -> Option<bool> {
        if !order.wide() {
            return None;
        }
        match values::compare_pointers(order.predicate, &a, &b) {
            None => compare_numbers(self.cx.pool, order, a, b),
            known => known,
        }
    }
}

//! The fast paths: operations on concrete words and pointers to known places.
//!
//! They are inlined into the loop that uses them ([`super`]). What is not inlined is given the parts
//! that it needs, as a [`FastPath`] that is seen from elsewhere would lie in memory. What they decline
//! has changed nothing. A comparison goes on with the branch on its result.

use super::out_of_line::{address, compare_numbers, copy_bytes, load_bits, pointer_result, shift};
use crate::code::decoded::{Decoded, Op, Slot};
use crate::code::ops::Place;
use crate::code::plans::Order;
use crate::executor::Executor;
use crate::state::State;
use crate::values;
use plat_basics::integer::word;
use plat_expr::{ObjectId, Value};
use plat_memory::{Stored, Word};
use plat_program::{BinaryOp, EdgeId};
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
    /// Not for a fast path, or for one that goes to another frame.
    Declined,
}

/// What the fast paths work on.
pub(in crate::step) struct FastPath<'s, 'e> {
    pub exec: &'s mut Executor<'e>,
    pub state: &'s mut State,
    /// Where control goes, if it does.
    pub edge: EdgeId,
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

impl<'s, 'e> FastPath<'s, 'e> {
    /// Of a state that goes nowhere yet.
    #[inline(always)]
    pub fn new(exec: &'s mut Executor<'e>, state: &'s mut State) -> Self {
        FastPath {
            exec,
            state,
            edge: EdgeId(0),
        }
    }
}

impl FastPath<'_, '_> {
    /// The concrete word in a register, if it is one.
    #[inline(always)]
    fn word(&self, slot: Slot) -> Option<u64> {
        match self.state.frame.regs[slot as usize] {
            Value::Int(word) => Some(word),
            _ => None,
        }
    }

    #[inline(always)]
    fn set(&mut self, dst: Slot, word: u64) {
        self.state.frame.regs[dst as usize] = Value::Int(word);
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
                    let a = self.state.frame.regs[a as usize];
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
            ref guarded @ Op::Guarded { .. } => shift(&mut self.state.frame.regs, guarded),
            Op::Compare {
                order,
                branches,
                dst,
                a,
                b,
            } => {
                let holds = match (self.word(a), self.word(b)) {
                    (Some(a), Some(b)) => order.compare(a, b),
                    _ => match self.compare(
                        order,
                        self.state.frame.regs[a as usize],
                        self.state.frame.regs[b as usize],
                    ) {
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
                    _ => match self.compare(
                        order,
                        self.state.frame.regs[a as usize],
                        Value::Int(with),
                    ) {
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
                let regs = &mut self.state.frame.regs;
                load_bits(regs, &self.state.memory, (bits, dst, pointer))
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
            Op::LoadAt4 { place, dst } => {
                self.at(rest, place, |fast, at| fast.load_from(4, dst, at))
            }
            Op::LoadAt8 { place, dst } => {
                self.at(rest, place, |fast, at| fast.load_from(8, dst, at))
            }
            Op::StoreAt4 { place, value } => {
                self.at(rest, place, |fast, at| fast.store_to(4, value, at))
            }
            Op::StoreAt8 { place, value } => {
                self.at(rest, place, |fast, at| fast.store_to(8, value, at))
            }
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
            Op::Cut { dst, value, mask } => match self.state.frame.regs[value as usize] {
                Value::Int(word) => {
                    self.set(dst, word & mask);
                    true
                }
                Value::Pointer(object, offset) if mask == u64::MAX => {
                    self.state.frame.regs[dst as usize] = Value::Pointer(object, offset);
                    true
                }
                Value::Pointer(object, offset) => {
                    let number = address(&self.exec.pool, object, offset);
                    self.set(dst, number & mask);
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
                    copy(
                        &mut self.state.frame.regs,
                        dst,
                        if bit != 0 { then } else { otherwise },
                    );
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
            Op::Alloca { plan } => (self.exec).planned_object(self.state, decoded.alloca(plan)),
            Op::Copy { .. } if !self.state.requests.aliases.is_empty() => false,
            Op::Copy { plan } => {
                let regs = &mut self.state.frame.regs;
                let touched = &mut self.exec.memory.touched;
                copy_bytes(regs, &mut self.state.memory, touched, decoded.copy(plan))
            }
            Op::Skip => true,
            Op::Call { .. } | Op::Indirect { .. } | Op::Return { .. } => false,
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
        match self.state.frame.regs[pointer as usize] {
            Value::Pointer(object, offset) => self.load_from(bytes, dst, (object, offset)),
            _ => false,
        }
    }

    /// [`FastPath::load`] from a known place.
    #[inline(always)]
    fn load_from(&mut self, bytes: u8, dst: Slot, (object, offset): (ObjectId, i64)) -> bool {
        match self.state.memory.load_word(object, offset, bytes.into()) {
            Some(Word::Bits(word)) => self.set(dst, word),
            Some(Word::Pointer(pointer)) => {
                self.state.frame.regs[dst as usize] =
                    Value::Pointer(pointer.object, pointer.offset);
            }
            None => return false,
        }
        true
    }

    /// `*pointer = value`, of a number over numbers or of a pointer.
    #[inline(always)]
    fn store(&mut self, bytes: u8, value: Slot, pointer: Slot) -> bool {
        match self.state.frame.regs[pointer as usize] {
            Value::Pointer(object, offset) => self.store_to(bytes, value, (object, offset)),
            _ => false,
        }
    }

    /// [`FastPath::store`] to a known place.
    #[inline(always)]
    fn store_to(&mut self, bytes: u8, value: Slot, (object, offset): (ObjectId, i64)) -> bool {
        match self.state.frame.regs[value as usize] {
            Value::Int(word) => (self.state.memory).store_word(object, offset, bytes.into(), word),
            Value::Pointer(target, inside) => {
                let pointer = Stored {
                    object: target,
                    offset: inside,
                };
                bytes == 8 && self.state.memory.store_pointer(object, offset, pointer)
            }
            _ => false,
        }
    }

    /// Computes an address, and carries out the access through it, which is then taken from `rest`. Where there is no
    /// next instruction to be carried out, or the address takes the long way, it is the address alone.
    #[inline(always)]
    fn at(
        &mut self,
        rest: &mut Iter<'_, Op>,
        Place { dst, base, offset }: Place,
        access: impl FnOnce(&mut Self, (ObjectId, i64)) -> bool,
    ) -> bool {
        match self.state.frame.regs[base as usize] {
            Value::Pointer(object, from) if self.state.distances.keep(object) => {
                let at = (object, from.wrapping_add(offset.into()));
                self.state.frame.regs[dst as usize] = Value::Pointer(at.0, at.1);
                rest.next().is_none() || access(self, at)
            }
            _ => self.moved(dst, base, offset.into()),
        }
    }

    /// `dst = base + distance`.
    #[inline(always)]
    fn moved(&mut self, dst: Slot, base: Slot, distance: i64) -> bool {
        match self.state.frame.regs[base as usize] {
            Value::Pointer(object, at) => {
                let at = at.wrapping_add(distance);
                self.state.frame.regs[dst as usize] = Value::Pointer(object, at);
                if !self.state.distances.keep(object) {
                    let pointer = (object, at);
                    let moved = self.state.distances.redirected(
                        &self.exec.pool,
                        &self.state.memory,
                        pointer,
                    );
                    self.state.frame.regs[dst as usize] = moved;
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
        let (a, b) = (
            self.state.frame.regs[a as usize],
            self.state.frame.regs[b as usize],
        );
        self.pointer_of(op, dst, a, b)
    }

    #[inline(always)]
    fn pointer_of(&mut self, op: BinaryOp, dst: Slot, a: Value, b: Value) -> bool {
        let result = match pointer_result(&self.exec.pool, op, a, b) {
            Some(Value::Pointer(object, offset))
                if matches!(op, BinaryOp::Add | BinaryOp::Sub)
                    && !self.state.distances.keep(object) =>
            {
                let pointer = (object, offset);
                Some(
                    self.state
                        .distances
                        .redirected(&self.exec.pool, &self.state.memory, pointer),
                )
            }
            result => result,
        };
        if let Some(result) = result {
            self.state.frame.regs[dst as usize] = result;
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
            None => compare_numbers(&self.exec.pool, order, a, b),
            known => known,
        }
    }
}

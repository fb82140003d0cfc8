//! Integer arithmetic that is not on two concrete words: expressions, pointers, vectors, and the
//! operations that have no result.

use crate::engine::Engine;
use crate::outcome::{FaultKind, PathEnd};
use crate::state::State;
use crate::step::compare::lanes;
use crate::stop::{Flow, Step};
use crate::summary::ForkKind;
use crate::types::Class;
use crate::values;
use plat_expr::{Predicate, Value};
use plat_program::{BinaryOp, Inst, Operand, Reg, TypeId};

impl Engine<'_> {
    /// `dst = a op b`.
    #[inline(never)]
    pub(super) fn binary(
        &mut self,
        state: &mut State,
        op: BinaryOp,
        ty: TypeId,
        dst: Reg,
        lhs: Operand,
        rhs: Operand,
    ) -> Step<Flow> {
        let (a, b) = (self.operand(state, lhs), self.operand(state, rhs));
        let info = *self.code.ty(ty);
        let result = match info.class {
            Class::Vector(element, count) => {
                let bits = self.code.ty(element).bits;
                let (a, b) = (lanes(self, a, count)?, lanes(self, b, count)?);
                let mut list = Vec::with_capacity(a.len());
                for (a, b) in a.into_iter().zip(b) {
                    list.push(self.checked_binary(state, op, bits, a, b)?);
                }
                Value::Aggregate(self.pool.aggregate(&list))
            }
            _ => self.checked_binary(state, op, info.bits, a, b)?,
        };
        state.frame.regs[dst.index()] = result;
        Ok(Flow::Next)
    }

    /// A scalar operation; inputs for which it has no result end in paths of their own.
    fn checked_binary(
        &mut self,
        state: &mut State,
        op: BinaryOp,
        bits: u32,
        a: Value,
        b: Value,
    ) -> Step<Value> {
        self.require_scalar(a)?;
        self.require_scalar(b)?;
        match op {
            BinaryOp::UDiv | BinaryOp::URem => self.check_divisor(state, bits, b)?,
            BinaryOp::SDiv | BinaryOp::SRem => {
                self.check_divisor(state, bits, b)?;
                self.check_quotient(state, bits, a, b)?;
            }
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => {
                self.check_shift(state, bits, b)?;
            }
            _ => {}
        }
        let result = values::binary(&mut self.pool, op, bits, a, b);
        match (op, a, b, result) {
            (BinaryOp::Sub, Value::Pointer(to, _), Value::Pointer(from, _), _) if to != from => {
                self.note_distance(state, from, to);
            }
            (BinaryOp::Add | BinaryOp::Sub, _, _, Value::Pointer(object, offset))
                if !state.distances.is_empty() =>
            {
                return Ok(self.redirected(state, object, offset));
            }
            _ => {}
        }
        Ok(result)
    }

    fn check_divisor(&mut self, state: &mut State, bits: u32, b: Value) -> Step<()> {
        if !self.config.check_div_zero {
            return Ok(());
        }
        let b = b.to_expr(&mut self.pool, bits);
        let zero = self.pool.constant(bits, 0);
        let is_zero = self.pool.eq(b, zero);
        let end = PathEnd::fault(FaultKind::Divide, "divide by zero");
        self.end_if(state, ForkKind::Fault, is_zero, end)
    }

    /// The one quotient that does not fit: the machine traps on it.
    fn check_quotient(&mut self, state: &mut State, bits: u32, a: Value, b: Value) -> Step<()> {
        let a = a.to_expr(&mut self.pool, bits);
        let b = b.to_expr(&mut self.pool, bits);
        let one = self.pool.constant(bits, 1);
        let zero = self.pool.constant(bits, 0);
        let minus_one = self.pool.sub(zero, one);
        let places = self.pool.constant(bits, u64::from(bits - 1));
        let least = self.pool.shl(one, places);
        let by_minus_one = self.pool.eq(b, minus_one);
        if self.pool.is_false(by_minus_one) {
            return Ok(());
        }
        let of_least = self.pool.eq(a, least);
        let both = self.pool.and(by_minus_one, of_least);
        let end = PathEnd::fault(FaultKind::Overflow, "signed division overflow");
        self.end_if(state, ForkKind::Fault, both, end)
    }

    fn check_shift(&mut self, state: &mut State, bits: u32, b: Value) -> Step<()> {
        let b = b.to_expr(&mut self.pool, bits);
        // A width that is no number of that width cannot be exceeded.
        if bits < 64 && u64::from(bits) > values::mask(bits) {
            return Ok(());
        }
        let width = self.pool.constant(bits, u64::from(bits));
        let over = self.pool.compare(Predicate::Uge, b, width);
        if self.pool.is_false(over) || !self.config.check_overshift || self.was_speculated(state) {
            return Ok(());
        }
        let end = PathEnd::fault(FaultKind::Overshift, "overshift error");
        self.end_if(state, ForkKind::Fault, over, end)
    }

    fn was_speculated(&mut self, state: &State) -> bool {
        let inst = state.frame.inst(self.program);
        if let Some(&known) = self.speculated.get(&inst) {
            return known;
        }
        let speculated = self.is_speculated(state) || self.is_hoisted(state);
        self.speculated.insert(inst, speculated);
        speculated
    }

    /// Whether the compiler has moved the current shift ahead of the test that guards it, out of
    /// a loop for example: it takes the source line from what it moves, and the function compares
    /// the shift's own amount with a constant.
    fn is_hoisted(&self, state: &State) -> bool {
        let function = self.program.function(state.frame.function);
        let pc = state.frame.pc as usize;
        let placed = |location| self.program.location(location).line != 0;
        let Inst::Binary { rhs: amount, .. } = function.insts[pc] else {
            return false;
        };
        placed(function.location)
            && !placed(function.locs[pc])
            && amount.as_reg().is_some()
            && function.insts.iter().any(|inst| match *inst {
                Inst::Compare { lhs, rhs, .. } => lhs == amount && rhs.as_constant().is_some(),
                _ => false,
            })
    }

    /// Whether the result of the current instruction is used only as an alternative of `select`,
    /// perhaps through further pure operations: then the compiler has moved it ahead of the test
    /// that guards it in the source, and a result that does not exist is no error.
    fn is_speculated(&self, state: &State) -> bool {
        let function = self.program.function(state.frame.function);
        let mut watched = Vec::new();
        watched.extend(function.insts[state.frame.pc as usize].dst());
        let mut at = 0;
        let mut selected = false;
        while let Some(&reg) = watched.get(at) {
            at += 1;
            let reads = |operand: Operand| operand.as_reg() == Some(reg);
            for inst in &function.insts {
                match *inst {
                    Inst::Select {
                        cond,
                        then,
                        otherwise,
                        ..
                    } if !reads(cond) && (reads(then) || reads(otherwise)) => {
                        selected = true;
                    }
                    Inst::Binary {
                        dst, lhs, rhs, op, ..
                    } if reads(lhs) || reads(rhs) => {
                        let divides = matches!(
                            op,
                            BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem
                        );
                        if divides && reads(rhs) {
                            return false;
                        }
                        watched.push(dst);
                    }
                    Inst::Cast { dst, value, .. } | Inst::Freeze { dst, value, .. }
                        if reads(value) =>
                    {
                        watched.push(dst);
                    }
                    Inst::Compare { dst, lhs, rhs, .. } if reads(lhs) || reads(rhs) => {
                        watched.push(dst);
                    }
                    ref other => {
                        if uses(function, other, reg) {
                            return false;
                        }
                    }
                }
            }
            let moved = function
                .moves
                .iter()
                .any(|one| one.src.as_reg() == Some(reg));
            if moved || watched.len() > 16 {
                return false;
            }
        }
        selected
    }
}

/// Whether an instruction that is not pure arithmetic reads a register.
pub(super) fn uses(function: &plat_program::Function, inst: &Inst, reg: Reg) -> bool {
    let reads = |operand: Operand| operand.as_reg() == Some(reg);
    match *inst {
        Inst::Select { cond, .. } => reads(cond),
        Inst::Load { pointer, .. } => reads(pointer),
        Inst::Store { value, pointer, .. } => reads(value) || reads(pointer),
        Inst::Gep { base, terms, .. } => {
            reads(base)
                || function.gep_terms[terms.range()]
                    .iter()
                    .any(|term| reads(term.0))
        }
        Inst::Call { ref call, .. } | Inst::Invoke { ref call, .. } => {
            function.call_args[call.args.range()]
                .iter()
                .any(|&argument| reads(argument))
                || matches!(call.callee, plat_program::Callee::Indirect(callee) if reads(callee))
        }
        Inst::Branch { cond, .. } => reads(cond),
        Inst::Switch { value, .. } => reads(value),
        Inst::Return { value } => value.is_some_and(reads),
        Inst::Alloca { count, .. } => reads(count),
        Inst::ExtractValue { aggregate, .. } => reads(aggregate),
        Inst::InsertValue {
            aggregate, element, ..
        } => reads(aggregate) || reads(element),
        Inst::ExtractElement { vector, index, .. } => reads(vector) || reads(index),
        Inst::InsertElement {
            vector,
            element,
            index,
            ..
        } => reads(vector) || reads(element) || reads(index),
        Inst::Shuffle { lhs, rhs, .. } => reads(lhs) || reads(rhs),
        Inst::Float { lhs, rhs, .. } | Inst::FloatCompare { lhs, rhs, .. } => {
            reads(lhs) || reads(rhs)
        }
        Inst::AtomicRmw { pointer, value, .. } => reads(pointer) || reads(value),
        Inst::CompareExchange {
            pointer,
            expected,
            new,
            ..
        } => reads(pointer) || reads(expected) || reads(new),
        _ => false,
    }
}

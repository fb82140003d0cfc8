//! Integer arithmetic that is not on two concrete words: expressions, pointers, vectors, and the
//! operations that have no result.

use crate::api::outcome::{FaultKind, PathEnd};
use crate::api::summary::ForkKind;
use crate::code::types::Class;
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Flow, Step};
use crate::step::compare::lanes;
use crate::values;
use plat_expr::Value;
use plat_program::{BinaryOp, Operand, Reg, TypeId};

/// Integers of more bits take so long that the run counts the work on them.
const WIDE: u32 = 1024;

impl Executor<'_> {
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
                for (lane, (a, b)) in (0..).zip(a.into_iter().zip(b)) {
                    let at = (dst, Some(lane));
                    list.push(self.checked_binary(state, op, bits, at, (a, b))?);
                }
                Value::Aggregate(self.pool.aggregate(&list))
            }
            _ => self.checked_binary(state, op, info.bits, (dst, None), (a, b))?,
        };
        state.frame.regs[dst.index()] = result;
        if state.aside.poison.is_empty() {
            return Ok(Flow::Next);
        }
        // Another loop goes on.
        state.frame.pc += 1;
        Ok(Flow::Frame)
    }

    /// A scalar operation; inputs for which it has no result end in paths of their own.
    fn checked_binary(
        &mut self,
        state: &mut State,
        op: BinaryOp,
        bits: u32,
        at: (Reg, Option<u32>),
        (a, b): (Value, Value),
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
                self.check_shift(state, at, bits, b)?;
            }
            _ => {}
        }
        if bits > WIDE {
            self.worked(4 * u64::from(bits / 64).pow(2));
        }
        let result = values::binary(&mut self.pool, op, bits, a, b);
        match (op, a, b, result) {
            (BinaryOp::Sub, Value::Pointer(to, _), Value::Pointer(from, _), _) if to != from => {
                self.note_distance(state, from, to);
            }
            (BinaryOp::Add | BinaryOp::Sub, _, _, Value::Pointer(object, offset))
                if !state.distances.keep(object) =>
            {
                let pointer = (object, offset);
                return Ok((state.distances).redirected(&self.pool, &state.memory, pointer));
            }
            _ => {}
        }
        Ok(result)
    }

    fn check_divisor(&mut self, state: &mut State, bits: u32, b: Value) -> Step<()> {
        if !self.config.checks.div_zero {
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
}

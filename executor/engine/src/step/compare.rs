//! Comparisons and selections that are not of concrete words, and the lanes of vectors.

use crate::code::types::{self, Class};
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Flow, Step, unsupported};
use crate::values;
use plat_expr::Value;
use plat_program::{IntPredicate, Operand, Reg, TypeId};

/// The elements of a vector, structure or array value.
pub(crate) fn lanes(exec: &mut Executor<'_>, value: Value, count: u32) -> Step<Vec<Value>> {
    exec.worked(size_of::<Value>() as u64 * u64::from(count));
    match value {
        Value::Aggregate(id) if !exec.code.is_unreadable(value) => {
            Ok(exec.pool.aggregate_values(id).to_vec())
        }
        // Undefined values that were never given a shape.
        Value::Int(0) => Ok(vec![Value::Int(0); count as usize]),
        _ => unsupported("a constant or value of a kind that plat does not read"),
    }
}

impl Executor<'_> {
    /// Refuses values that are no scalars: constants that plat cannot read.
    pub(crate) fn require_scalar(&self, value: Value) -> Step<()> {
        match value {
            Value::Aggregate(_) => unsupported("a constant of a kind that plat does not read"),
            _ => Ok(()),
        }
    }

    /// `dst = a predicate b`.
    #[inline(never)]
    pub(super) fn compare(
        &mut self,
        state: &mut State,
        predicate: IntPredicate,
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
                    list.push(values::compare(&mut self.pool, predicate, bits, a, b));
                }
                Value::Aggregate(self.pool.aggregate(&list))
            }
            _ => {
                self.require_scalar(a)?;
                self.require_scalar(b)?;
                values::compare(&mut self.pool, predicate, info.bits, a, b)
            }
        };
        state.frame.regs[dst.index()] = result;
        Ok(Flow::Next)
    }

    /// `dst = cond ? then : otherwise`.
    #[inline(never)]
    pub(super) fn select(
        &mut self,
        state: &mut State,
        ty: TypeId,
        dst: Reg,
        cond: Operand,
        then: Operand,
        otherwise: Operand,
    ) -> Step<Flow> {
        let cond = self.operand(state, cond);
        let (then, otherwise) = (self.operand(state, then), self.operand(state, otherwise));
        let result = self.select_value(ty, cond, then, otherwise)?;
        state.frame.regs[dst.index()] = result;
        Ok(Flow::Next)
    }

    /// A selection between values of any type by a condition or a vector of conditions.
    pub(crate) fn select_value(
        &mut self,
        ty: TypeId,
        cond: Value,
        then: Value,
        otherwise: Value,
    ) -> Step<Value> {
        if then == otherwise {
            return Ok(then);
        }
        if let Value::Int(bit) = cond {
            return Ok(if bit != 0 { then } else { otherwise });
        }
        let Some(elements) = types::elements(self.program, ty) else {
            self.require_scalar(cond)?;
            self.require_scalar(then)?;
            self.require_scalar(otherwise)?;
            let bits = self.code.ty(ty).bits;
            return Ok(values::select(&mut self.pool, bits, cond, then, otherwise));
        };
        let count = elements.len() as u32;
        let conds = match cond {
            Value::Aggregate(_) => lanes(self, cond, count)?,
            _ => vec![cond; elements.len()],
        };
        let (then, otherwise) = (lanes(self, then, count)?, lanes(self, otherwise, count)?);
        let mut list = Vec::with_capacity(elements.len());
        for (at, (_, element)) in elements.into_iter().enumerate() {
            list.push(self.select_value(element, conds[at], then[at], otherwise[at])?);
        }
        Ok(Value::Aggregate(self.pool.aggregate(&list)))
    }
}

//! Structures, arrays and vectors in registers.

use crate::api::outcome::{FaultKind, PathEnd};
use crate::api::summary::ForkKind;
use crate::code::types::{self, Class};
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Flow, Step, internal};
use crate::step::compare::lanes;
use crate::values;
use plat_expr::Value;
use plat_program::{Function, IntPredicate, Operand, Reg, Span, TypeId};

impl Executor<'_> {
    pub(super) fn extract_value(
        &mut self,
        state: &mut State,
        function: &Function,
        ty: TypeId,
        dst: Reg,
        aggregate: Operand,
        path: Span,
    ) -> Step<Flow> {
        let mut value = self.operand(state, aggregate);
        let mut ty = ty;
        for &index in &function.indices[path.range()] {
            let elements = types::elements(self.program, ty).unwrap_or_default();
            let list = lanes(self, value, elements.len() as u32)?;
            value = list.get(index as usize).copied().unwrap_or(Value::Int(0));
            ty = elements
                .get(index as usize)
                .map_or(ty, |&(_, element)| element);
        }
        state.frame.regs[dst.index()] = value;
        Ok(Flow::Next)
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn insert_value(
        &mut self,
        state: &mut State,
        function: &Function,
        ty: TypeId,
        dst: Reg,
        aggregate: Operand,
        element: Operand,
        path: Span,
    ) -> Step<Flow> {
        let aggregate = self.operand(state, aggregate);
        let element = self.operand(state, element);
        let path = &function.indices[path.range()];
        state.frame.regs[dst.index()] = self.inserted(ty, aggregate, element, path)?;
        Ok(Flow::Next)
    }

    fn inserted(
        &mut self,
        ty: TypeId,
        aggregate: Value,
        value: Value,
        path: &[u32],
    ) -> Step<Value> {
        let Some((&index, rest)) = path.split_first() else {
            return Ok(value);
        };
        let elements = types::elements(self.program, ty).unwrap_or_default();
        let mut list = lanes(self, aggregate, elements.len() as u32)?;
        let index = index as usize;
        if let (Some(&old), Some(&(_, element))) = (list.get(index), elements.get(index)) {
            list[index] = self.inserted(element, old, value, rest)?;
        }
        Ok(Value::Aggregate(self.pool.aggregate(&list)))
    }

    /// Inputs for which a vector index is outside the vector end in a path of their own.
    fn check_index(
        &mut self,
        state: &mut State,
        index: Value,
        count: u32,
        message: &str,
    ) -> Step<()> {
        let index = index.to_expr(&mut self.pool, 64);
        let bound = self.pool.constant(64, u64::from(count));
        let outside = self.pool.compare(IntPredicate::Uge, index, bound);
        let end = PathEnd::fault(FaultKind::BadVectorAccess, message);
        self.end_if(state, ForkKind::Fault, outside, end)
    }

    /// A vector index as 64 bits. The instruction does not tell the width of its index, so a
    /// symbolic one tells it itself.
    fn index64(&mut self, index: Value) -> Step<Value> {
        self.require_scalar(index)?;
        Ok(match index {
            Value::Expr(expr) => {
                let width = self.pool.width(expr);
                values::resize(&mut self.pool, index, width, 64)
            }
            other => other,
        })
    }

    pub(super) fn extract_element(
        &mut self,
        state: &mut State,
        ty: TypeId,
        dst: Reg,
        vector: Operand,
        index: Operand,
    ) -> Step<Flow> {
        let Class::Vector(element, count) = self.code.ty(ty).class else {
            return internal("not a vector");
        };
        let index = self.operand(state, index);
        let index = self.index64(index)?;
        let vector = self.operand(state, vector);
        let list = lanes(self, vector, count)?;
        let what = "Out of bounds read when extracting element";
        self.check_index(state, index, count, what)?;
        let mut result = list.last().copied().unwrap_or(Value::Int(0));
        if let Value::Int(index) = index {
            result = list.get(index as usize).copied().unwrap_or(Value::Int(0));
        } else {
            for at in (0..list.len().saturating_sub(1)).rev() {
                let here = Value::Int(at as u64);
                let is = values::compare(&mut self.pool, IntPredicate::Eq, 64, index, here);
                result = self.select_value(element, is, list[at], result)?;
            }
        }
        state.frame.regs[dst.index()] = result;
        Ok(Flow::Next)
    }

    pub(super) fn insert_element(
        &mut self,
        state: &mut State,
        ty: TypeId,
        dst: Reg,
        vector: Operand,
        element: Operand,
        index: Operand,
    ) -> Step<Flow> {
        let Class::Vector(element_ty, count) = self.code.ty(ty).class else {
            return internal("not a vector");
        };
        let index = self.operand(state, index);
        let index = self.index64(index)?;
        let vector = self.operand(state, vector);
        let mut list = lanes(self, vector, count)?;
        let value = self.operand(state, element);
        let what = "Out of bounds write when inserting element";
        self.check_index(state, index, count, what)?;
        for (at, lane) in list.iter_mut().enumerate() {
            let here = Value::Int(at as u64);
            let is = values::compare(&mut self.pool, IntPredicate::Eq, 64, index, here);
            *lane = self.select_value(element_ty, is, value, *lane)?;
        }
        state.frame.regs[dst.index()] = Value::Aggregate(self.pool.aggregate(&list));
        Ok(Flow::Next)
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn shuffle(
        &mut self,
        state: &mut State,
        function: &Function,
        ty: TypeId,
        dst: Reg,
        lhs: Operand,
        rhs: Operand,
        mask: Span,
    ) -> Step<Flow> {
        let Class::Vector(_, count) = self.code.ty(ty).class else {
            return internal("not a vector");
        };
        let (lhs, rhs) = (self.operand(state, lhs), self.operand(state, rhs));
        let mut list = lanes(self, lhs, count)?;
        list.extend(lanes(self, rhs, count)?);
        // A poison lane reads as zero.
        let chosen: Vec<Value> = function.indices[mask.range()]
            .iter()
            .map(|&at| list.get(at as usize).copied().unwrap_or(Value::Int(0)))
            .collect();
        state.frame.regs[dst.index()] = Value::Aggregate(self.pool.aggregate(&chosen));
        Ok(Flow::Next)
    }
}

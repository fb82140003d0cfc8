//! Conversions that are not of a concrete word to a word.

use crate::code::types::{self, Class};
use crate::executor::Executor;
use crate::state::State;
use crate::state::float_environment::FloatEnvironment;
use crate::state::stop::{Flow, Step};
use crate::step::compare::lanes;
use crate::step::float;
use crate::values;
use plat_expr::Value;
use plat_program::{CastOp, Operand, Reg, TypeId};

impl Executor<'_> {
    /// `dst = op value`.
    #[inline(never)]
    pub(super) fn cast(
        &mut self,
        state: &mut State,
        op: CastOp,
        from: TypeId,
        to: TypeId,
        dst: Reg,
        value: Operand,
    ) -> Step<Flow> {
        let value = self.operand(state, value);
        state.frame.regs[dst.index()] = self.cast_value(&mut state.float, op, (from, to), value)?;
        Ok(Flow::Next)
    }

    fn cast_value(
        &mut self,
        environment: &mut FloatEnvironment,
        op: CastOp,
        (from, to): (TypeId, TypeId),
        value: Value,
    ) -> Step<Value> {
        if op == CastOp::Bitcast {
            return self.bitcast(from, to, value);
        }
        let (source, target) = (*self.code.ty(from), *self.code.ty(to));
        if let (Class::Vector(from, count), Class::Vector(to, _)) = (source.class, target.class) {
            let mut list = Vec::with_capacity(count as usize);
            for lane in lanes(self, value, count)? {
                list.push(self.cast_value(environment, op, (from, to), lane)?);
            }
            return Ok(Value::Aggregate(self.pool.aggregate(&list)));
        }
        self.require_scalar(value)?;
        let (from, to) = (source.bits, target.bits);
        Ok(match op {
            CastOp::Trunc => values::trunc(&mut self.pool, value, from, to),
            CastOp::ZExt => values::zext(&mut self.pool, value, from, to),
            CastOp::SExt => values::sext(&mut self.pool, value, from, to),
            CastOp::PtrToInt | CastOp::IntToPtr | CastOp::Bitcast => {
                values::resize(&mut self.pool, value, from, to)
            }
            CastOp::FpToUi
            | CastOp::FpToSi
            | CastOp::UiToFp
            | CastOp::SiToFp
            | CastOp::FpTrunc
            | CastOp::FpExt => float::convert(self, environment, op, (&source, &target), value)?,
        })
    }

    /// The same bits as another type: scalars keep their value, vectors are repacked.
    pub(crate) fn bitcast(&mut self, from: TypeId, to: TypeId, value: Value) -> Step<Value> {
        let vectors = |exec: &Self| {
            let is = |id| matches!(exec.code.ty(id).class, Class::Vector(..));
            is(from) || is(to)
        };
        if !vectors(self) || from == to {
            return Ok(value);
        }
        let image = self.pack(from, value)?;
        let bits = types::image_bits(self.program, from) as u32;
        self.unpack(to, image, bits)
    }

    /// The memory image of a value as one integer, the first byte lowest.
    pub(crate) fn pack(&mut self, ty: TypeId, value: Value) -> Step<Value> {
        let Some(elements) = types::elements(self.program, ty) else {
            self.require_scalar(value)?;
            return Ok(value);
        };
        let total = types::image_bits(self.program, ty) as u32;
        let values = lanes(self, value, elements.len() as u32)?;
        let mut image = Value::Int(0);
        let mut filled = 0;
        for ((position, element), value) in elements.into_iter().zip(values) {
            let part = self.pack(element, value)?;
            let bits = types::image_bits(self.program, element) as u32;
            image = self.pad(image, filled, position as u32);
            filled = position as u32;
            image = if filled == 0 {
                part
            } else {
                values::concat(&mut self.pool, part, bits, image, filled)
            };
            filled += bits;
        }
        Ok(self.pad(image, filled, total))
    }

    /// Zeros above the `from` bits of an image, up to `to` bits.
    fn pad(&mut self, image: Value, from: u32, to: u32) -> Value {
        if from == 0 || from == to {
            image
        } else {
            values::zext(&mut self.pool, image, from, to)
        }
    }

    /// The value of a type from its memory image of `bits` bits.
    pub(crate) fn unpack(&mut self, ty: TypeId, image: Value, bits: u32) -> Step<Value> {
        let Some(elements) = types::elements(self.program, ty) else {
            let width = self.code.ty(ty).bits;
            return Ok(values::extract(&mut self.pool, image, bits, 0, width));
        };
        let mut list = Vec::with_capacity(elements.len());
        for (position, element) in elements {
            let width = types::image_bits(self.program, element) as u32;
            let part = values::extract(&mut self.pool, image, bits, position as u32, width);
            list.push(self.unpack(element, part, width)?);
        }
        Ok(Value::Aggregate(self.pool.aggregate(&list)))
    }
}

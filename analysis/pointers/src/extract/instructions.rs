//! Instructions to constraints.
//!
//! Pointers travel in every register that can hold one or a piece of one: pointers, integers of
//! eight bits and more (copied bytes), doubles, aggregates and vectors of these. Arithmetic on
//! 64-bit integers derives pointers to the same objects; narrower values are pieces that are
//! masked, shifted and put together again, so they pass these operations but not addition.

use super::{Extractor, InstanceId};
use crate::constraints::{Constraint, Node};
use crate::offset::{Offset, gcd};
use plat_program::{
    BinaryOp, CastOp, Constant, FloatKind, Function, Inst, InstId, Operand, Reg, RmwOp, Type,
    TypeId,
};

impl Extractor<'_> {
    /// The constraints of one function instance.
    pub(super) fn body(&mut self, instance: InstanceId) {
        let program = self.program;
        let function = program.function(self.out.instances[instance.index()].function);
        for edge in &function.edges {
            for step in &function.moves[edge.moves.range()] {
                if self.carries(function.reg_types[step.dst.index()]) {
                    self.flow(instance, step.src, step.dst);
                }
            }
        }
        for (at, inst) in function.insts.iter().enumerate() {
            let id = InstId::new(function.first_inst.index() + at);
            self.instruction(instance, function, id, inst);
        }
    }

    /// Whether values of a type can hold a pointer or a byte of one.
    pub(super) fn carries(&self, ty: TypeId) -> bool {
        match self.program.types.get(ty) {
            Type::Void => false,
            Type::Int(bits) => *bits >= 8,
            Type::Float(kind) => *kind == FloatKind::Double,
            Type::Pointer => true,
            Type::Struct { fields, .. } => fields.iter().any(|&(_, ty)| self.carries(ty)),
            Type::Array(element, _, _) | Type::Vector(element, _) => self.carries(*element),
        }
    }

    fn reg(&self, instance: InstanceId, reg: Reg) -> Node {
        self.out.instances[instance.index()].node(reg)
    }

    /// `dst` includes `from`.
    fn flow(&mut self, instance: InstanceId, from: Operand, dst: Reg) {
        self.derive(instance, from, Offset::ZERO, dst);
    }

    /// `dst` includes `from` moved by `by`.
    fn derive(&mut self, instance: InstanceId, from: Operand, by: Offset, dst: Reg) {
        if let Some(from) = self.operand(instance, from) {
            let dst = self.reg(instance, dst);
            self.shift(from, by, dst);
        }
    }

    fn instruction(&mut self, instance: InstanceId, function: &Function, id: InstId, inst: &Inst) {
        match *inst {
            Inst::Binary {
                op,
                ty,
                dst,
                lhs,
                rhs,
            } => self.binary(instance, op, ty, dst, lhs, rhs),
            Inst::Cast {
                op,
                from,
                to,
                dst,
                value,
            } => {
                let converts = matches!(
                    op,
                    CastOp::FpToUi
                        | CastOp::FpToSi
                        | CastOp::UiToFp
                        | CastOp::SiToFp
                        | CastOp::FpTrunc
                        | CastOp::FpExt
                );
                if !converts && self.carries(from) && self.carries(to) {
                    self.flow(instance, value, dst);
                }
            }
            Inst::Select {
                ty,
                dst,
                then,
                otherwise,
                ..
            } if self.carries(ty) => {
                self.flow(instance, then, dst);
                self.flow(instance, otherwise, dst);
            }
            Inst::Freeze { ty, dst, value } if self.carries(ty) => self.flow(instance, value, dst),
            Inst::Alloca {
                dst,
                element_size,
                count,
                ..
            } => {
                self.alloca(instance, function, dst, element_size, count);
            }
            Inst::Load {
                ty, dst, pointer, ..
            } => self.load(instance, id, ty, dst, pointer),
            Inst::Store {
                ty, value, pointer, ..
            } => {
                let value = self
                    .carries(ty)
                    .then(|| self.operand(instance, value))
                    .flatten();
                self.store(instance, id, ty, value, pointer);
            }
            Inst::Gep {
                dst,
                base,
                offset,
                terms,
            } => {
                let terms = &function.gep_terms[terms.range()];
                self.address_computation(instance, dst, base, offset, terms);
            }
            Inst::ExtractValue { dst, aggregate, .. }
                if self.carries(function.reg_types[dst.index()]) =>
            {
                self.flow(instance, aggregate, dst);
            }
            Inst::InsertValue {
                ty,
                dst,
                aggregate,
                element,
                ..
            } if self.carries(ty) => {
                self.flow(instance, aggregate, dst);
                self.flow(instance, element, dst);
            }
            Inst::ExtractElement {
                ty, dst, vector, ..
            } if self.carries(ty) => {
                self.flow(instance, vector, dst);
            }
            Inst::InsertElement {
                ty,
                dst,
                vector,
                element,
                ..
            } if self.carries(ty) => {
                self.flow(instance, vector, dst);
                self.flow(instance, element, dst);
            }
            Inst::Shuffle {
                ty, dst, lhs, rhs, ..
            } if self.carries(ty) => {
                self.flow(instance, lhs, dst);
                self.flow(instance, rhs, dst);
            }
            Inst::Call { dst, call } | Inst::Invoke { dst, call, .. } => {
                self.call(instance, function, id, dst, &call);
            }
            Inst::AtomicRmw {
                op,
                ty,
                dst,
                pointer,
                value,
            } => {
                self.load(instance, id, ty, dst, pointer);
                let value = self.operand(instance, value);
                let stored = match (op, value) {
                    (RmwOp::Xchg, value) => value,
                    (_, value) => {
                        let (result, old) = (self.out.system.node(), self.reg(instance, dst));
                        for from in value.into_iter().chain([old]) {
                            self.shift(from, Offset::ANY, result);
                        }
                        Some(result)
                    }
                };
                self.store(instance, id, ty, stored, pointer);
            }
            Inst::CompareExchange {
                ty,
                dst,
                pointer,
                new,
                ..
            } => {
                self.load(instance, id, ty, dst, pointer);
                let new = self.operand(instance, new);
                self.store(instance, id, ty, new, pointer);
            }
            Inst::Return { value: Some(value) } if self.carries(function.ret) => {
                if let Some(value) = self.operand(instance, value) {
                    let result = self.out.instances[instance.index()].result;
                    self.copy(value, result);
                }
            }
            _ => {}
        }
    }

    fn alloca(
        &mut self,
        instance: InstanceId,
        function: &Function,
        dst: Reg,
        element: u64,
        count: Operand,
    ) {
        let context = self.out.instances[instance.index()].context.clone();
        let count = self.constant_value(function.id, &context, count);
        let size = count.map(|count| count.saturating_mul(element));
        let what = crate::objects::AbstractObject::Stack {
            function: function.name.clone(),
            register: dst.0,
            context,
        };
        let object = self.object(what, crate::constraints::Extent::memory(size));
        let dst = self.reg(instance, dst);
        self.address(dst, object, Offset::ZERO);
    }

    fn load(&mut self, instance: InstanceId, id: InstId, ty: TypeId, dst: Reg, pointer: Operand) {
        let Some(pointer) = self.operand(instance, pointer) else {
            return;
        };
        self.dereference(id, 0, pointer);
        if self.carries(ty) {
            let (width, to) = (self.program.types.store_size(ty), self.reg(instance, dst));
            self.push(Constraint::Load { pointer, width, to });
        }
    }

    fn store(
        &mut self,
        instance: InstanceId,
        id: InstId,
        ty: TypeId,
        value: Option<Node>,
        pointer: Operand,
    ) {
        let Some(pointer) = self.operand(instance, pointer) else {
            return;
        };
        self.dereference(id, 0, pointer);
        if let Some(from) = value {
            let width = self.program.types.store_size(ty);
            self.push(Constraint::Store {
                pointer,
                width,
                from,
            });
        }
    }

    fn address_computation(
        &mut self,
        instance: InstanceId,
        dst: Reg,
        base: Operand,
        offset: i64,
        terms: &[(Operand, u32, i64)],
    ) {
        let stride = terms.iter().fold(0, |stride, &(_, _, scale)| {
            gcd(stride, scale.unsigned_abs())
        });
        let by = Offset::strided(stride, offset);
        match self.operand(instance, base) {
            Some(base) => {
                let dst = self.reg(instance, dst);
                self.shift(base, by, dst);
            }
            // `(char *)0 + address`: the address is in the index.
            None => {
                for &(index, width, _) in terms.iter().filter(|(_, width, _)| *width >= 64) {
                    debug_assert!(width >= 64);
                    self.derive(instance, index, Offset::ANY, dst);
                }
            }
        }
    }

    fn integer(&self, operand: Operand) -> Option<i64> {
        match self.program.constant(operand.as_constant()?) {
            Constant::Int { value, width } if *width <= 64 => {
                let unused = 64 - width;
                Some(((*value as u64) << unused).cast_signed() >> unused)
            }
            _ => None,
        }
    }

    fn binary(
        &mut self,
        instance: InstanceId,
        op: BinaryOp,
        ty: TypeId,
        dst: Reg,
        lhs: Operand,
        rhs: Operand,
    ) {
        if !self.carries(ty) {
            return;
        }
        let whole = self.program.types.bits(ty).is_none_or(|bits| bits >= 64);
        let any = Offset::ANY;
        match op {
            BinaryOp::Add if whole => match (self.integer(lhs), self.integer(rhs)) {
                (_, Some(step)) => self.derive(instance, lhs, Offset::exact(step), dst),
                (Some(step), _) => self.derive(instance, rhs, Offset::exact(step), dst),
                _ => {
                    self.derive(instance, lhs, any, dst);
                    self.derive(instance, rhs, any, dst);
                }
            },
            BinaryOp::Sub if whole => match self.integer(rhs) {
                Some(step) => self.derive(instance, lhs, Offset::exact(step.wrapping_neg()), dst),
                None => {
                    self.derive(instance, lhs, any, dst);
                    self.derive(instance, rhs, any, dst);
                }
            },
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                self.derive(instance, lhs, any, dst);
                self.derive(instance, rhs, any, dst);
            }
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => self.derive(instance, lhs, any, dst),
            // Rounding to a multiple: divide and multiply by a constant.
            BinaryOp::Mul | BinaryOp::UDiv | BinaryOp::SDiv
                if whole && self.integer(rhs).is_some() =>
            {
                self.derive(instance, lhs, any, dst);
            }
            _ => {}
        }
    }
}

//! Instructions to constraints.
//!
//! Pointers travel in every register that can hold one or a fragment of one: pointers, integers of
//! eight bits and more (copied bytes), doubles, aggregates and vectors of these. What arithmetic
//! does to them is in `arithmetic`.

use super::{Extractor, InstanceId};
use crate::constraints::{Constraint, Displacement, Node, Offset, Passage};
use plat_program::{FloatKind, Function, Inst, InstId, Operand, Reg, RmwOp, Type, TypeId};

impl Extractor<'_> {
    /// The constraints of one function instance.
    pub(super) fn body(&mut self, instance: InstanceId) {
        let program = self.program;
        let function = program.function(self.out.instances[instance.index()].function);
        for edge in &function.edges {
            for step in &function.moves[edge.moves.range()] {
                self.flow(instance, step.src, step.dst);
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

    pub(super) fn reg(&self, instance: InstanceId, reg: Reg) -> Node {
        self.out.instances[instance.index()].node(reg)
    }

    /// `dst` includes `from`.
    pub(super) fn flow(&mut self, instance: InstanceId, from: Operand, dst: Reg) {
        self.derive(instance, from, Displacement::NONE, dst);
    }

    /// `dst` includes `from` after a step, if it can hold what counts.
    pub(super) fn derive(
        &mut self,
        instance: InstanceId,
        from: Operand,
        step: Displacement,
        dst: Reg,
    ) {
        let program = self.program;
        let function = program.function(self.out.instances[instance.index()].function);
        if !self.holds(function, dst) {
            return;
        }
        if let Some(from) = self.operand(instance, from) {
            let dst = self.reg(instance, dst);
            self.step(from, step, dst);
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
            } => self.binary(instance, function, op, ty, dst, [lhs, rhs]),
            Inst::Cast {
                op,
                from,
                to,
                dst,
                value,
            } => self.cast(instance, op, [from, to], dst, value),
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
            } => self.load(instance, function, id, dst, ty, pointer),
            Inst::Store {
                ty, value, pointer, ..
            } => {
                let value = self
                    .carries(ty)
                    .then(|| self.kept(instance, function, value))
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
                self.load(instance, function, id, dst, ty, pointer);
                if self.is_narrow(ty) {
                    // Arithmetic makes numbers of fragments.
                    if matches!(op, RmwOp::Xchg | RmwOp::And | RmwOp::Or | RmwOp::Xor) {
                        let value = self.kept(instance, function, value);
                        self.store(instance, id, ty, value, pointer);
                    }
                    return;
                }
                let value = self.operand(instance, value);
                let stored = match (op, value) {
                    (RmwOp::Xchg, value) => value,
                    (_, value) => {
                        let (result, old) = (self.out.system.node(), self.reg(instance, dst));
                        self.shift(old, Offset::ANY, result);
                        if let Some(value) = value {
                            let how = Passage::IntegersOnly;
                            let by = Offset::ANY;
                            self.step(value, Displacement { by, how }, result);
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
                self.load(instance, function, id, dst, ty, pointer);
                let new = self.kept(instance, function, new);
                self.store(instance, id, ty, new, pointer);
            }
            Inst::LandingPad { dst, .. } => {
                let thrown = self.remembered(crate::program::externals::EXCEPTION);
                let dst = self.reg(instance, dst);
                self.copy(thrown, dst);
            }
            Inst::Unsupported { what, .. } => {
                let what = &function.asm_texts[what as usize];
                let name = format!("instruction in {}: {what}", function.name);
                self.out.unknown.insert(name);
            }
            Inst::Return { value: Some(value) } if self.carries(function.ret) => {
                if let Some(value) = self.kept(instance, function, value) {
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
        let what = crate::report::objects::AbstractObject::Stack {
            function: function.name.clone(),
            register: dst.0,
            context,
        };
        let object = self.object(what, crate::constraints::Extent::memory(size));
        let dst = self.reg(instance, dst);
        self.address(dst, object, Offset::ZERO);
    }

    /// The node of an operand, if it can hold what counts.
    pub(super) fn kept(
        &mut self,
        instance: InstanceId,
        function: &Function,
        operand: Operand,
    ) -> Option<Node> {
        match operand.as_reg() {
            Some(reg) if !self.holds(function, reg) => None,
            _ => self.operand(instance, operand),
        }
    }

    fn load(
        &mut self,
        instance: InstanceId,
        function: &Function,
        id: InstId,
        dst: Reg,
        ty: TypeId,
        pointer: Operand,
    ) {
        let Some(pointer) = self.operand(instance, pointer) else {
            return;
        };
        self.dereference(id, 0, pointer);
        if self.holds(function, dst) {
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
}

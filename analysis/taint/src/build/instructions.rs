//! Instructions: data flow of values whose type is not an address. The constraints have the flow of
//! addresses.

use super::Builder;
use crate::taint::Kind;
use plat_pointers::constraints::Node;
use plat_pointers::extract::Instance;
use plat_program::{Constant, Function, Inst, InstId, Operand, Reg, Type, TypeId};

impl Builder<'_> {
    /// The body of a function instance.
    pub(super) fn instance(&mut self, instance: &Instance) {
        let program = self.program;
        let function = program.function(instance.function);
        for edge in &function.edges {
            for step in &function.moves[edge.moves.range()] {
                self.influence(instance, step.src, step.dst, Kind::Data);
            }
        }
        for (at, inst) in function.insts.iter().enumerate() {
            let id = InstId::new(function.first_inst.index() + at);
            self.instruction(instance, function, id, inst);
        }
    }

    /// Whether a type consists of addresses only.
    pub(super) fn is_address(&self, ty: TypeId) -> bool {
        match self.program.types.get(ty) {
            Type::Pointer => true,
            Type::Vector(element, _) => self.is_address(*element),
            _ => false,
        }
    }

    /// An operand influences a register of the same instance.
    pub(super) fn influence(&mut self, instance: &Instance, from: Operand, to: Reg, kind: Kind) {
        if let Some(from) = Self::node(instance, from) {
            self.edge(from, instance.node(to).0, kind);
        }
    }

    fn instruction(&mut self, instance: &Instance, function: &Function, id: InstId, inst: &Inst) {
        let mut from = |operand: Operand, dst: Reg, kind: Kind| {
            self.influence(instance, operand, dst, kind);
        };
        match *inst {
            Inst::Binary { dst, lhs, rhs, .. } => {
                for operand in [lhs, rhs] {
                    from(operand, dst, Kind::Data);
                    from(operand, dst, Kind::Index);
                }
            }
            Inst::Compare { dst, lhs, rhs, .. }
            | Inst::Float { dst, lhs, rhs, .. }
            | Inst::FloatCompare { dst, lhs, rhs, .. }
            | Inst::Shuffle { dst, lhs, rhs, .. } => {
                from(lhs, dst, Kind::Data);
                from(rhs, dst, Kind::Data);
            }
            Inst::Cast { dst, value, .. } | Inst::Freeze { dst, value, .. } => {
                from(value, dst, Kind::Data);
            }
            Inst::Select {
                dst,
                cond,
                then,
                otherwise,
                ..
            } => {
                from(cond, dst, Kind::Choose);
                from(then, dst, Kind::Data);
                from(otherwise, dst, Kind::Data);
            }
            Inst::Gep { dst, terms, .. } => {
                for &(index, ..) in &function.gep_terms[terms.range()] {
                    from(index, dst, Kind::Index);
                }
            }
            Inst::ExtractValue { dst, aggregate, .. } => from(aggregate, dst, Kind::Data),
            Inst::InsertValue {
                dst,
                aggregate,
                element,
                ..
            } => {
                from(aggregate, dst, Kind::Data);
                from(element, dst, Kind::Data);
            }
            Inst::ExtractElement {
                dst, vector, index, ..
            } => {
                from(vector, dst, Kind::Data);
                from(index, dst, Kind::Choose);
            }
            Inst::InsertElement {
                dst,
                vector,
                element,
                index,
                ..
            } => {
                from(vector, dst, Kind::Data);
                from(element, dst, Kind::Data);
                from(index, dst, Kind::Choose);
            }
            Inst::Load {
                ty, dst, pointer, ..
            } => self.load(instance, ty, dst, pointer),
            Inst::Store {
                ty, value, pointer, ..
            } => self.store(instance, ty, value, pointer),
            Inst::AtomicRmw {
                ty,
                dst,
                pointer,
                value,
                ..
            } => {
                self.load(instance, ty, dst, pointer);
                self.store(instance, ty, value, pointer);
            }
            Inst::CompareExchange {
                ty,
                dst,
                pointer,
                expected,
                new,
            } => {
                self.load(instance, ty, dst, pointer);
                self.influence(instance, expected, dst, Kind::Data);
                self.store(instance, ty, expected, pointer);
                self.store(instance, ty, new, pointer);
            }
            Inst::Call { dst, call } | Inst::Invoke { dst, call, .. } => {
                self.call(instance, function, id, dst, &call);
            }
            Inst::Return { value: Some(value) } => {
                if let Some(from) = Self::node(instance, value) {
                    self.edge(from, instance.result.0, Kind::Data);
                }
            }
            _ => {}
        }
    }

    /// A load, unless its type is an address: then the constraints have it.
    fn load(&mut self, instance: &Instance, ty: TypeId, dst: Reg, pointer: Operand) {
        if self.is_address(ty) {
            return;
        }
        if let Some(at) = Self::pointer(instance, pointer) {
            let read = self.read(at, self.program.types.store_size(ty));
            self.edge(read, instance.node(dst).0, Kind::Data);
            self.influence(instance, pointer, dst, Kind::ReadBytes);
        }
    }

    /// A store, likewise, except that the constraints do not have stores of constants through
    /// symbolic addresses.
    fn store(&mut self, instance: &Instance, ty: TypeId, value: Operand, pointer: Operand) {
        let Some(at) = Self::pointer(instance, pointer) else {
            return;
        };
        let (width, is_address) = (self.program.types.store_size(ty), self.is_address(ty));
        match Self::node(instance, value).map(Node) {
            Some(value) if !is_address => {
                let written = self.written(at, width);
                self.edge(value.0, written, Kind::Data);
                self.stores_through(at, width, Kind::StoreBytes);
            }
            None if value.as_constant().is_some_and(|id| self.is_plain(id)) => {
                let kind = match is_address {
                    true => Kind::StoreNull,
                    false => Kind::StoreBytes,
                };
                self.stores_through(at, width, kind);
            }
            _ => {}
        }
    }

    fn is_plain(&self, id: plat_program::ConstId) -> bool {
        match self.program.constant(id) {
            Constant::Global(..) | Constant::Function(_) => false,
            Constant::Aggregate(_, elements) => elements.iter().all(|&one| self.is_plain(one)),
            Constant::Binary(_, _, lhs, rhs) => self.is_plain(*lhs) && self.is_plain(*rhs),
            Constant::Cast(_, _, _, value) => self.is_plain(*value),
            _ => true,
        }
    }
}

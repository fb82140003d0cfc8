//! The type of an instruction's result.

use crate::ids::TypeId;
use crate::inst::{Inst, Span};
use crate::layout;
use crate::types::{Type, Types};

impl Types {
    /// The type of the result of an instruction, given its function's table of indices; `None` if
    /// the instruction does not say it, or if the types that it consists of are not in this table.
    pub fn result(&self, inst: &Inst, indices: &[u32]) -> Option<Type> {
        match *inst {
            Inst::Binary { ty, .. }
            | Inst::Float { ty, .. }
            | Inst::Cast { to: ty, .. }
            | Inst::Select { ty, .. }
            | Inst::Freeze { ty, .. }
            | Inst::Load { ty, .. }
            | Inst::InsertValue { ty, .. }
            | Inst::InsertElement { ty, .. }
            | Inst::LandingPad { ty, .. }
            | Inst::AtomicRmw { ty, .. } => Some(self.get(ty).clone()),
            Inst::Call { call, .. } | Inst::Invoke { call, .. } => Some(self.get(call.ret).clone()),
            Inst::Compare { ty, .. } | Inst::FloatCompare { ty, .. } => self.truth(ty),
            Inst::Alloca { .. } | Inst::Gep { .. } => Some(Type::Pointer),
            Inst::ExtractValue { ty, path, .. } => {
                let mut path = indices.get(path.range())?.iter();
                let found = path.try_fold(ty, |ty, &at| self.element(ty, u64::from(at)));
                found.map(|ty| self.get(ty).clone())
            }
            Inst::ExtractElement { ty, .. } => self.element(ty, 0).map(|ty| self.get(ty).clone()),
            Inst::Shuffle { ty, mask, .. } => self.shuffled(ty, mask),
            Inst::CompareExchange { ty, .. } => self.exchanged(ty),
            _ => None,
        }
    }

    /// The type of a comparison of values of type `ty`.
    fn truth(&self, ty: TypeId) -> Option<Type> {
        match self.get(ty) {
            Type::Vector(_, count) => Some(Type::Vector(self.find(&Type::Int(1))?, *count)),
            _ => Some(Type::Int(1)),
        }
    }

    /// The type of a shuffle of vectors of type `ty`.
    fn shuffled(&self, ty: TypeId, mask: Span) -> Option<Type> {
        match self.get(ty) {
            Type::Vector(element, _) => Some(Type::Vector(*element, mask.len)),
            _ => None,
        }
    }

    /// The pair of an old value of type `ty` and whether it was replaced.
    fn exchanged(&self, ty: TypeId) -> Option<Type> {
        let fields = [ty, self.find(&Type::Int(1))?];
        let (fields, size) = layout::structure(self, &fields)?;
        Some(Type::Struct { fields, size })
    }
}

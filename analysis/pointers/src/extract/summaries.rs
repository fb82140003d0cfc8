//! When may a table entry stand for a function that has a body?
//!
//! If the body can do nothing that the entry does not say: it refers to no variable and no
//! function address, and calls only functions of the same kind. So a program's own, different
//! `strchr` that keeps its argument is analysed as code. Entries that allocate or call back are
//! never used this way: their allocation contexts run through the body.

use super::Extractor;
use crate::externals::{Effect, effects};
use plat_program::{Callee, ConstId, Constant, FuncId, Inst};

impl Extractor<'_> {
    /// Whether calls of a defined function may be described by its table entry.
    pub(super) fn is_self_contained(&mut self, id: FuncId) -> bool {
        if let Some(&known) = self.self_contained.get(&id) {
            return known;
        }
        self.self_contained.insert(id, false);
        let answer = self.body_is_self_contained(id);
        self.self_contained.insert(id, answer);
        answer
    }

    fn body_is_self_contained(&mut self, id: FuncId) -> bool {
        let program = self.program;
        let function = program.function(id);
        let plain = |effect: &Effect| {
            !matches!(
                effect,
                Effect::Fresh(_)
                    | Effect::Reallocates
                    | Effect::FreshStored(_)
                    | Effect::Calls(..)
                    | Effect::Syscall
                    | Effect::ReturnsStatic
                    | Effect::ReturnsRemembered(_)
            )
        };
        let entry_is_plain = effects(&function.name).is_none_or(|all| all.iter().all(plain));
        if function.declaration || function.variadic || !entry_is_plain {
            return false;
        }
        for inst in &function.insts {
            let (Inst::Call { call, .. } | Inst::Invoke { call, .. }) = inst else {
                continue;
            };
            let Callee::Direct(callee) = call.callee else {
                return false;
            };
            let harmless = program.function(callee).name.starts_with("llvm.");
            if callee != id && !harmless && !self.is_self_contained(callee) {
                return false;
            }
        }
        crate::operands::constants(function).all(|constant| self.is_plain(constant))
    }

    fn is_plain(&self, id: ConstId) -> bool {
        match self.program.constant(id) {
            Constant::Global(global, _) => self.program.global(*global).constant,
            Constant::Function(_) => false,
            Constant::Aggregate(_, elements) => {
                elements.iter().all(|&element| self.is_plain(element))
            }
            Constant::Binary(_, _, lhs, rhs) => self.is_plain(*lhs) && self.is_plain(*rhs),
            Constant::Cast(_, _, _, value) => self.is_plain(*value),
            _ => true,
        }
    }
}

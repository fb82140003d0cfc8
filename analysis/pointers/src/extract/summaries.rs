//! When may a table entry stand for a function that has a body?
//!
//! If the body can do nothing that the entry does not say: it refers to no variable and no
//! function address, loads, stores and returns no pointers that the entry does not mention, and
//! calls only functions of the same kind. So a program's own, different `strchr` that keeps its
//! argument, or its own `close` that returns a field, is analysed as code. Entries that allocate or call back are
//! never used this way: their allocation contexts run through the body.

use super::Extractor;
use crate::program::externals::{Effect, effects};
use plat_program::{Callee, ConstId, Constant, FuncId, Function, Inst, Operand, Type};

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
                    | Effect::Keeps(..)
                    | Effect::ReturnsKept(_)
            )
        };
        let entry_is_plain = effects(&function.name).is_none_or(|all| all.iter().all(plain));
        if function.declaration || function.variadic || !entry_is_plain {
            return false;
        }
        if self.handles_pointers(function) {
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
        plat_program::operands::constants(function).all(|constant| self.is_plain(constant))
    }

    /// Whether a body loads, stores, copies or returns pointers, except as its entry in the table
    /// says and in variables of its own.
    fn handles_pointers(&self, function: &Function) -> bool {
        let pointer = |ty| matches!(self.program.types.get(ty), Type::Pointer);
        let entry = effects(&function.name).unwrap_or_default();
        let returns =
            |effect: &Effect| matches!(effect, Effect::Returns(_) | Effect::ReturnsInto(_));
        let copies = |effect: &Effect| matches!(effect, Effect::CopiesBlock(..));
        if pointer(function.ret) && !entry.iter().any(returns) {
            return true;
        }
        let variables: Vec<Operand> = function
            .insts
            .iter()
            .filter_map(|inst| match inst {
                Inst::Alloca { dst, .. } => Some(Operand::reg(*dst)),
                _ => None,
            })
            .collect();
        function.insts.iter().any(|inst| match inst {
            Inst::Load {
                ty, pointer: at, ..
            }
            | Inst::Store {
                ty, pointer: at, ..
            } => pointer(*ty) && !variables.contains(at),
            Inst::Call { call, .. } | Inst::Invoke { call, .. } => match call.callee {
                Callee::Direct(callee) => {
                    let name = &self.program.function(callee).name;
                    let block = ["llvm.memcpy", "llvm.memmove"].iter();
                    block.into_iter().any(|block| name.starts_with(block))
                        && !entry.iter().any(copies)
                }
                _ => true,
            },
            _ => false,
        })
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

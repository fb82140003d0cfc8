//! The operands of instructions, all kinds alike, and what they say of functions.

use crate::constant::Constant;
use crate::function::Function;
use crate::ids::{ConstId, FuncId};
use crate::inst::{Callee, Inst, Operand};
use crate::program::Program;
use rustc_hash::FxHashSet;

/// Calls `see` with every operand that an instruction reads. A direct callee is none, nor are the types
/// that a landing pad catches, which are constants.
pub fn each(function: &Function, inst: &Inst, mut see: impl FnMut(Operand)) {
    match *inst {
        Inst::Binary { lhs, rhs, .. }
        | Inst::Compare { lhs, rhs, .. }
        | Inst::Float { lhs, rhs, .. }
        | Inst::FloatCompare { lhs, rhs, .. }
        | Inst::Shuffle { lhs, rhs, .. } => [lhs, rhs].into_iter().for_each(see),
        Inst::Cast { value, .. } | Inst::Freeze { value, .. } | Inst::Resume { value } => {
            see(value);
        }
        Inst::Select {
            cond,
            then,
            otherwise,
            ..
        } => [cond, then, otherwise].into_iter().for_each(see),
        Inst::Alloca { count, .. } => see(count),
        Inst::Load { pointer, .. } => see(pointer),
        Inst::Store { value, pointer, .. } | Inst::AtomicRmw { value, pointer, .. } => {
            see(value);
            see(pointer);
        }
        Inst::Gep { base, terms, .. } => {
            see(base);
            function.gep_terms[terms.range()]
                .iter()
                .for_each(|&(index, _, _)| see(index));
        }
        Inst::ExtractValue { aggregate, .. } => see(aggregate),
        Inst::InsertValue {
            aggregate, element, ..
        } => [aggregate, element].into_iter().for_each(see),
        Inst::ExtractElement { vector, index, .. } => [vector, index].into_iter().for_each(see),
        Inst::InsertElement {
            vector,
            element,
            index,
            ..
        } => {
            [vector, element, index].into_iter().for_each(see);
        }
        Inst::Call { call, .. } | Inst::Invoke { call, .. } => {
            if let Callee::Indirect(callee) = call.callee {
                see(callee);
            }
            function.call_args[call.args.range()]
                .iter()
                .copied()
                .for_each(see);
        }
        Inst::CompareExchange {
            pointer,
            expected,
            new,
            ..
        } => {
            [pointer, expected, new].into_iter().for_each(see);
        }
        Inst::Branch { cond, .. } => see(cond),
        Inst::Switch { value, .. } => see(value),
        Inst::Return { value: Some(value) } => see(value),
        _ => {}
    }
}

/// The constants that a function refers to, in its instructions and phis.
pub fn constants(function: &Function) -> impl Iterator<Item = ConstId> + '_ {
    let mut found = Vec::new();
    for inst in &function.insts {
        each(function, inst, |operand| {
            found.extend(operand.as_constant())
        });
    }
    found.extend(
        function
            .moves
            .iter()
            .filter_map(|step| step.src.as_constant()),
    );
    found.into_iter()
}

/// The functions whose address is taken anywhere, sorted.
pub fn address_taken(program: &Program) -> Vec<FuncId> {
    let initial = program.globals.iter();
    let initial = initial.filter_map(|global| global.initializer.as_ref());
    let initial = initial.flat_map(|init| init.relocations.iter().map(|one| one.value));
    let used = program.functions.iter().flat_map(constants);
    let mut open: Vec<ConstId> = initial.chain(used).collect();
    let mut seen: FxHashSet<ConstId> = FxHashSet::default();
    let mut taken: Vec<FuncId> = Vec::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        match program.constant(id) {
            Constant::Function(function) => taken.push(*function),
            Constant::Aggregate(_, elements) => open.extend(elements),
            Constant::Binary(_, _, lhs, rhs) => open.extend([*lhs, *rhs]),
            Constant::Cast(_, _, _, value) => open.push(*value),
            _ => {}
        }
    }
    taken.sort_unstable();
    taken.dedup();
    taken
}

//! Which registers an instruction reads.

use plat_program::{Callee, Function, Inst, Operand, Reg};

/// Whether an instruction reads a register.
pub(crate) fn reads(function: &Function, inst: &Inst, reg: Reg) -> bool {
    let reads = |operand: Operand| operand.as_reg() == Some(reg);
    match *inst {
        Inst::Binary { lhs, rhs, .. } | Inst::Compare { lhs, rhs, .. } => reads(lhs) || reads(rhs),
        Inst::Cast { value, .. } | Inst::Freeze { value, .. } => reads(value),
        Inst::Select {
            cond,
            then,
            otherwise,
            ..
        } => reads(cond) || reads(then) || reads(otherwise),
        ref other => uses(function, other, reg),
    }
}

/// Whether an instruction that is not pure arithmetic reads a register.
pub(crate) fn uses(function: &Function, inst: &Inst, reg: Reg) -> bool {
    let reads = |operand: Operand| operand.as_reg() == Some(reg);
    match *inst {
        Inst::Select { cond, .. } => reads(cond),
        Inst::Load { pointer, .. } => reads(pointer),
        Inst::Store { value, pointer, .. } => reads(value) || reads(pointer),
        Inst::Gep { base, terms, .. } => {
            reads(base)
                || function.gep_terms[terms.range()]
                    .iter()
                    .any(|term| reads(term.0))
        }
        Inst::Call { ref call, .. } | Inst::Invoke { ref call, .. } => {
            function.call_args[call.args.range()]
                .iter()
                .any(|&argument| reads(argument))
                || matches!(call.callee, Callee::Indirect(callee) if reads(callee))
        }
        Inst::Branch { cond, .. } => reads(cond),
        Inst::Switch { value, .. } => reads(value),
        Inst::Return { value } => value.is_some_and(reads),
        Inst::Alloca { count, .. } => reads(count),
        Inst::ExtractValue { aggregate, .. } => reads(aggregate),
        Inst::InsertValue {
            aggregate, element, ..
        } => reads(aggregate) || reads(element),
        Inst::ExtractElement { vector, index, .. } => reads(vector) || reads(index),
        Inst::InsertElement {
            vector,
            element,
            index,
            ..
        } => reads(vector) || reads(element) || reads(index),
        Inst::Shuffle { lhs, rhs, .. } => reads(lhs) || reads(rhs),
        Inst::Float { lhs, rhs, .. } | Inst::FloatCompare { lhs, rhs, .. } => {
            reads(lhs) || reads(rhs)
        }
        Inst::AtomicRmw { pointer, value, .. } => reads(pointer) || reads(value),
        Inst::CompareExchange {
            pointer,
            expected,
            new,
            ..
        } => reads(pointer) || reads(expected) || reads(new),
        _ => false,
    }
}

//! Which registers an instruction reads.

use plat_program::{Function, Inst, Operand, Reg, operands};

/// Whether an instruction reads a register.
pub(crate) fn reads(function: &Function, inst: &Inst, reg: Reg) -> bool {
    let mut found = false;
    let mut see = |operand: Operand| found |= operand.as_reg() == Some(reg);
    operands::each(function, inst, &mut see);
    found
}

/// Whether an instruction that is not pure arithmetic reads a register.
pub(crate) fn uses(function: &Function, inst: &Inst, reg: Reg) -> bool {
    match *inst {
        Inst::Binary { .. } | Inst::Compare { .. } => false,
        Inst::Cast { .. } | Inst::Freeze { .. } => false,
        Inst::Select { cond, .. } => cond.as_reg() == Some(reg),
        ref other => reads(function, other, reg),
    }
}

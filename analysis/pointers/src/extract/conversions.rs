//! Which registers reach a conversion to a pointer in their function?
//!
//! Backwards from the operands of such conversions (and from the index of an address computed
//! from null) through integer operations, phis, selects and local variables in memory.

use super::Extractor;
use plat_program::{CastOp, Constant, Function, Inst, Operand, Program, Reg};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

impl Extractor<'_> {
    /// The registers of a function whose value reaches a conversion to a pointer.
    pub(super) fn converted(&mut self, function: &Function) -> Rc<FxHashSet<Reg>> {
        let known = self.converted.entry(function.id);
        Rc::clone(known.or_insert_with(|| Rc::new(converted(self.program, function))))
    }
}

fn converted(program: &Program, function: &Function) -> FxHashSet<Reg> {
    let mut wanted: FxHashSet<Reg> = FxHashSet::default();
    let mut open: Vec<Reg> = Vec::new();
    let mut defined: FxHashMap<Reg, &Inst> = FxHashMap::default();
    let mut stored: FxHashMap<Reg, Vec<Operand>> = FxHashMap::default();
    for inst in &function.insts {
        if let Some(dst) = inst.dst() {
            defined.insert(dst, inst);
        }
        match *inst {
            Inst::Cast {
                op: CastOp::IntToPtr,
                value,
                ..
            } => open.extend(value.as_reg()),
            Inst::Gep { base, terms, .. } if is_number(program, base) => {
                let terms = &function.gep_terms[terms.range()];
                open.extend(terms.iter().filter_map(|&(index, _, _)| index.as_reg()));
            }
            Inst::Store { value, pointer, .. } => {
                if let Some(variable) = pointer.as_reg() {
                    stored.entry(variable).or_default().push(value);
                }
            }
            _ => {}
        }
    }
    let mut phis: FxHashMap<Reg, Vec<Operand>> = FxHashMap::default();
    for step in &function.moves {
        phis.entry(step.dst).or_default().push(step.src);
    }
    while let Some(reg) = open.pop() {
        if !wanted.insert(reg) {
            continue;
        }
        let sources = phis.get(&reg).into_iter().flatten();
        open.extend(sources.filter_map(|source| source.as_reg()));
        match defined.get(&reg) {
            Some(Inst::Load { pointer, .. }) => {
                let values = pointer.as_reg().and_then(|variable| stored.get(&variable));
                open.extend(
                    values
                        .into_iter()
                        .flatten()
                        .filter_map(|value| value.as_reg()),
                );
            }
            Some(
                inst @ (Inst::Binary { .. }
                | Inst::Cast { .. }
                | Inst::Select { .. }
                | Inst::Freeze { .. }),
            ) => {
                plat_program::operands::each(function, inst, |operand| {
                    open.extend(operand.as_reg())
                });
            }
            _ => {}
        }
    }
    wanted
}

/// Whether an operand is a constant address that is no object's.
fn is_number(program: &Program, operand: Operand) -> bool {
    let constant = operand.as_constant().map(|id| program.constant(id));
    matches!(
        constant,
        Some(Constant::Null | Constant::Int { .. } | Constant::Cast(..))
    )
}

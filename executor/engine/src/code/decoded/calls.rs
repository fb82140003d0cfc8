//! Calls, decoded.

use super::{Decoder, Op};
use crate::code::calls::{CallPlan, CopyPlan, IndirectPlan, NativePlan};
use crate::code::native::Effect;
use crate::code::plans::{self, NOWHERE, Scalar};
use plat_program::{Callee, Inst, Operand};

impl Decoder<'_> {
    pub(super) fn call(&mut self, at: usize) -> Option<Op> {
        let inst = &self.function.insts[at];
        let &Inst::Call { dst, call } = inst else {
            return None;
        };
        if let Callee::Direct(callee) = call.callee
            && self.code.functions[callee.index()].intercepted
        {
            return None;
        }
        if plans::is_hint(self.code, inst) {
            return Some(Op::Skip);
        }
        let operands = &self.function.call_args[call.args.range()];
        if let (Some((scalar, count)), Some(dst)) = (Scalar::of(self.program, &call), dst) {
            let bits = self.bits(call.ret)?;
            let mut slots = [0; 3];
            for (slot, &operand) in slots.iter_mut().zip(operands.get(..count)?) {
                *slot = self.slot(operand);
            }
            // Words that there are not read as the first one.
            for at in count..slots.len() {
                slots[at] = slots[0];
            }
            let [a, b, c] = slots;
            return Some(Op::Scalar {
                scalar,
                bits,
                dst: dst.0,
                a,
                b,
                c,
            });
        }
        if let Some(mut plan) = NativePlan::of(self.code, self.program, &call) {
            plan.args = operands.iter().map(|&one| self.slot(one)).collect();
            let width = |&one| plans::operand_bits(self.code, self.program, self.function, one);
            plan.widths = operands.iter().map(width).collect();
            let copy = match (plan.effect, &*plan.args) {
                (Effect::Copies, &[to, from, size, ..]) => Some([to, from, size]),
                _ => None,
            };
            self.made.natives.push(plan);
            let native = self.made.natives.len() as u32 - 1;
            let Some(args) = copy else {
                return Some(Op::Native { plan: native });
            };
            let dst = dst.map_or(NOWHERE, |dst| dst.0);
            self.made.copies.push(CopyPlan { native, dst, args });
            let plan = self.made.copies.len() as u32 - 1;
            return Some(Op::Copy { plan });
        }
        let callee = match call.callee {
            Callee::Direct(callee) => callee,
            Callee::Indirect(pointer) => {
                let pointer = self.slot(pointer);
                let args = self.arguments(operands);
                self.made.indirects.push(IndirectPlan::new(pointer, args));
                let plan = self.made.indirects.len() as u32 - 1;
                return Some(Op::Indirect { plan });
            }
            Callee::Asm(_) => return None,
        };
        let (mut plan, count) = CallPlan::of(self.code, self.program, self.function, inst, callee)?;
        plan.args = self.arguments(&operands[..count]);
        self.made.calls.push(plan);
        let plan = self.made.calls.len() as u32 - 1;
        Some(Op::Call { plan })
    }

    fn arguments(&mut self, operands: &[Operand]) -> (u32, u32) {
        let first = self.made.arguments.len() as u32;
        for &operand in operands {
            let slot = self.slot(operand);
            self.made.arguments.push(slot);
        }
        (first, operands.len() as u32)
    }
}

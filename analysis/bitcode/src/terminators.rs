//! Instructions that end a block.

use crate::functions::{Body, Unsupported};
use crate::llvm::Value;
use inkwell::llvm_sys::LLVMOpcode::{self, *};
use plat_program::{Inst, Span};

impl<'m> Body<'_, 'm> {
    /// Reads a terminator of a kind that `Program` has.
    pub fn read_terminator(
        &mut self,
        inst: Value<'m>,
        opcode: LLVMOpcode,
    ) -> Result<Inst, Unsupported> {
        Ok(match opcode {
            LLVMRet if inst.operand_count() == 0 => Inst::Return { value: None },
            LLVMRet => {
                self.ty(inst.operand(0))?;
                Inst::Return {
                    value: Some(self.operand(inst.operand(0))?),
                }
            }
            LLVMBr if inst.is_conditional() => Inst::Branch {
                cond: self.operand(inst.operand(0))?,
                then: self.edge(inst.successor(0)),
                otherwise: self.edge(inst.successor(1)),
            },
            LLVMBr => Inst::Jump {
                edge: self.edge(inst.successor(0)),
            },
            LLVMSwitch => self.read_switch(inst)?,
            LLVMResume => Inst::Resume {
                value: self.operand(inst.operand(0))?,
            },
            LLVMInvoke => {
                let (dst, call) = self.call_parts(inst)?;
                Inst::Invoke {
                    dst,
                    call,
                    normal: self.edge(inst.normal_destination()),
                    unwind: self.edge(inst.unwind_destination()),
                }
            }
            _ => Inst::Unreachable,
        })
    }

    fn read_switch(&mut self, inst: Value<'m>) -> Result<Inst, Unsupported> {
        let selector = inst.operand(0);
        let (ty, value) = (self.ty(selector)?, self.operand(selector)?);
        if selector.ty().int_width() > 128 {
            return Err("switch on an integer wider than 128 bits".into());
        }
        let default = self.edge(inst.successor(0));
        let start = self.function.switch_cases.len() as u32;
        for at in 1..inst.successor_count() {
            let limbs = crate::constants::limbs(inst.case_value(at));
            let high = u128::from(limbs.get(1).copied().unwrap_or(0));
            let case = u128::from(limbs[0]) | high << 64;
            let edge = self.edge(inst.successor(at));
            self.function.switch_cases.push((case, edge));
        }
        let cases = Span {
            start,
            len: self.function.switch_cases.len() as u32 - start,
        };
        Ok(Inst::Switch {
            ty,
            value,
            cases,
            default,
        })
    }
}

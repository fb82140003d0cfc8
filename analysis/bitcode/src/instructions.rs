//! Instructions that are neither calls nor terminators.

use crate::constants::{binary_op, cast_op};
use crate::functions::{Body, Unsupported};
use crate::gep::AddressTerms;
use crate::llvm::Value;
use crate::types::Lack;
use inkwell::llvm_sys::LLVMOpcode::{self, *};
use inkwell::llvm_sys::{
    LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMRealPredicate,
};
use plat_program::{Access, FloatOp, FloatPredicate, Inst, IntPredicate, Operand, RmwOp, Span};
use plat_program::{Reg, TypeId};

fn float_op(opcode: LLVMOpcode) -> Option<FloatOp> {
    Some(match opcode {
        LLVMFAdd => FloatOp::Add,
        LLVMFSub => FloatOp::Sub,
        LLVMFMul => FloatOp::Mul,
        LLVMFDiv => FloatOp::Div,
        LLVMFRem => FloatOp::Rem,
        LLVMFNeg => FloatOp::Neg,
        _ => return None,
    })
}

fn int_predicate(predicate: LLVMIntPredicate) -> IntPredicate {
    match predicate {
        LLVMIntPredicate::LLVMIntEQ => IntPredicate::Eq,
        LLVMIntPredicate::LLVMIntNE => IntPredicate::Ne,
        LLVMIntPredicate::LLVMIntULT => IntPredicate::Ult,
        LLVMIntPredicate::LLVMIntULE => IntPredicate::Ule,
        LLVMIntPredicate::LLVMIntUGT => IntPredicate::Ugt,
        LLVMIntPredicate::LLVMIntUGE => IntPredicate::Uge,
        LLVMIntPredicate::LLVMIntSLT => IntPredicate::Slt,
        LLVMIntPredicate::LLVMIntSLE => IntPredicate::Sle,
        LLVMIntPredicate::LLVMIntSGT => IntPredicate::Sgt,
        LLVMIntPredicate::LLVMIntSGE => IntPredicate::Sge,
    }
}

fn float_predicate(predicate: LLVMRealPredicate) -> FloatPredicate {
    use LLVMRealPredicate as L;
    match predicate {
        L::LLVMRealPredicateFalse => FloatPredicate::False,
        L::LLVMRealOEQ => FloatPredicate::Oeq,
        L::LLVMRealOGT => FloatPredicate::Ogt,
        L::LLVMRealOGE => FloatPredicate::Oge,
        L::LLVMRealOLT => FloatPredicate::Olt,
        L::LLVMRealOLE => FloatPredicate::Ole,
        L::LLVMRealONE => FloatPredicate::One,
        L::LLVMRealORD => FloatPredicate::Ord,
        L::LLVMRealUNO => FloatPredicate::Uno,
        L::LLVMRealUEQ => FloatPredicate::Ueq,
        L::LLVMRealUGT => FloatPredicate::Ugt,
        L::LLVMRealUGE => FloatPredicate::Uge,
        L::LLVMRealULT => FloatPredicate::Ult,
        L::LLVMRealULE => FloatPredicate::Ule,
        L::LLVMRealUNE => FloatPredicate::Une,
        L::LLVMRealPredicateTrue => FloatPredicate::True,
    }
}

fn rmw_op(op: LLVMAtomicRMWBinOp) -> Option<RmwOp> {
    use LLVMAtomicRMWBinOp as L;
    Some(match op {
        L::LLVMAtomicRMWBinOpXchg => RmwOp::Xchg,
        L::LLVMAtomicRMWBinOpAdd => RmwOp::Add,
        L::LLVMAtomicRMWBinOpSub => RmwOp::Sub,
        L::LLVMAtomicRMWBinOpAnd => RmwOp::And,
        L::LLVMAtomicRMWBinOpNand => RmwOp::Nand,
        L::LLVMAtomicRMWBinOpOr => RmwOp::Or,
        L::LLVMAtomicRMWBinOpXor => RmwOp::Xor,
        L::LLVMAtomicRMWBinOpMax => RmwOp::Max,
        L::LLVMAtomicRMWBinOpMin => RmwOp::Min,
        L::LLVMAtomicRMWBinOpUMax => RmwOp::UMax,
        L::LLVMAtomicRMWBinOpUMin => RmwOp::UMin,
        _ => return None,
    })
}

/// The name of an opcode in textual IR.
fn opcode_name(opcode: LLVMOpcode) -> String {
    format!("{opcode:?}")
        .trim_start_matches("LLVM")
        .to_lowercase()
}

impl<'m> Body<'_, 'm> {
    /// Reads one instruction; one that cannot be represented becomes [`Inst::Unsupported`].
    pub fn read_inst(&mut self, inst: Value<'m>) {
        let opcode = inst.opcode();
        let location = self.reader.locations.of_instruction(inst);
        let is_call = matches!(opcode, LLVMCall | LLVMInvoke | LLVMCallBr);
        let ordinal = if is_call { self.calls } else { u32::MAX };
        self.calls += u32::from(is_call);
        let read = match opcode {
            LLVMCall => self.read_call(inst),
            LLVMRet | LLVMBr | LLVMSwitch | LLVMInvoke | LLVMResume | LLVMUnreachable => {
                self.read_terminator(inst, opcode).map(Some)
            }
            _ => self.read_plain(inst, opcode).map(Some),
        };
        match read {
            Ok(None) => return,
            Ok(Some(read)) => self.push(read, location, ordinal),
            Err(why) => {
                let dst = self.values.get(&inst).and_then(|operand| operand.as_reg());
                let what = self.text(why.into_owned());
                self.push(Inst::Unsupported { dst, what }, location, ordinal);
                if inst.successor_count_if_terminator(opcode).is_some() {
                    self.push(Inst::Unreachable, location, u32::MAX);
                }
            }
        }
        if is_call && let Some(site) = self.reader.site(inst) {
            let at = self.function.first_inst.0 + self.function.insts.len() as u32 - 1;
            self.reader
                .program
                .annotations
                .sites
                .insert(plat_program::InstId(at), site);
        }
    }

    /// The register of an instruction's result.
    pub fn dst(&mut self, inst: Value<'m>) -> Result<Reg, Unsupported> {
        let operand = self.values.get(&inst);
        let register = operand.and_then(|operand| operand.as_reg());
        register.ok_or_else(|| self.lacking(inst, inst))
    }

    /// That an instruction works on a value of which plat has none.
    fn lacking(&mut self, inst: Value<'m>, value: Value<'m>) -> Unsupported {
        let name = opcode_name(inst.opcode());
        let lack = self.reader.ty(value.ty()).err().unwrap_or(Lack::Kind);
        format!("{name} of {lack}").into()
    }

    /// The type of a value.
    pub fn ty(&mut self, value: Value<'m>) -> Result<TypeId, Unsupported> {
        let id = self.reader.ty(value.ty());
        id.map_err(|lack| format!("an operand that is {lack}").into())
    }

    /// Operand `at` of an instruction.
    fn op(&mut self, inst: Value<'m>, at: u32) -> Result<Operand, Unsupported> {
        self.operand(inst.operand(at))
    }

    /// Operand `at`, which must be an address in the program's one address space.
    fn pointer(&mut self, inst: Value<'m>, at: u32) -> Result<Operand, Unsupported> {
        self.ty(inst.operand(at))?;
        self.op(inst, at)
    }

    fn read_plain(&mut self, inst: Value<'m>, opcode: LLVMOpcode) -> Result<Inst, Unsupported> {
        if let Some(op) = binary_op(opcode) {
            let (dst, ty) = (self.dst(inst)?, self.ty(inst)?);
            let (lhs, rhs) = (self.op(inst, 0)?, self.op(inst, 1)?);
            return Ok(Inst::Binary {
                op,
                ty,
                dst,
                lhs,
                rhs,
            });
        }
        if let Some(op) = float_op(opcode) {
            let (dst, ty) = (self.dst(inst)?, self.ty(inst)?);
            let lhs = self.op(inst, 0)?;
            let rhs = if op == FloatOp::Neg {
                lhs
            } else {
                self.op(inst, 1)?
            };
            return Ok(Inst::Float {
                op,
                ty,
                dst,
                lhs,
                rhs,
            });
        }
        if let Some(op) = cast_op(opcode) {
            let (dst, to) = (self.dst(inst)?, self.ty(inst)?);
            let (from, value) = (self.ty(inst.operand(0))?, self.op(inst, 0)?);
            return Ok(Inst::Cast {
                op,
                from,
                to,
                dst,
                value,
            });
        }
        match opcode {
            LLVMICmp | LLVMFCmp => self.read_comparison(inst, opcode),
            LLVMAlloca | LLVMLoad | LLVMStore | LLVMGetElementPtr => self.read_memory(inst, opcode),
            LLVMAtomicRMW | LLVMAtomicCmpXchg => self.read_atomic(inst, opcode),
            LLVMFence => Ok(Inst::Fence),
            LLVMSelect => Ok(Inst::Select {
                ty: self.ty(inst)?,
                dst: self.dst(inst)?,
                cond: self.op(inst, 0)?,
                then: self.op(inst, 1)?,
                otherwise: self.op(inst, 2)?,
            }),
            LLVMFreeze => Ok(Inst::Freeze {
                ty: self.ty(inst)?,
                dst: self.dst(inst)?,
                value: self.op(inst, 0)?,
            }),
            LLVMExtractValue | LLVMInsertValue | LLVMExtractElement | LLVMInsertElement
            | LLVMShuffleVector => self.read_aggregate(inst, opcode),
            LLVMLandingPad => self.read_landing_pad(inst),
            // One that has a value is not read here.
            LLVMPHI => Err(self.lacking(inst, inst)),
            _ => Err(opcode_name(opcode).into()),
        }
    }

    fn read_landing_pad(&mut self, inst: Value<'m>) -> Result<Inst, Unsupported> {
        let start = self.function.call_args.len() as u32;
        for clause in inst.clauses() {
            let clause = self.operand(clause)?;
            self.function.call_args.push(clause);
        }
        Ok(Inst::LandingPad {
            ty: self.ty(inst)?,
            dst: self.dst(inst)?,
            cleanup: inst.is_cleanup(),
            clauses: Span {
                start,
                len: self.function.call_args.len() as u32 - start,
            },
        })
    }

    fn read_comparison(
        &mut self,
        inst: Value<'m>,
        opcode: LLVMOpcode,
    ) -> Result<Inst, Unsupported> {
        let (dst, ty) = (self.dst(inst)?, self.ty(inst.operand(0))?);
        let (lhs, rhs) = (self.op(inst, 0)?, self.op(inst, 1)?);
        Ok(if opcode == LLVMICmp {
            let predicate = int_predicate(inst.int_predicate());
            Inst::Compare {
                predicate,
                ty,
                dst,
                lhs,
                rhs,
            }
        } else {
            let predicate = float_predicate(inst.float_predicate());
            Inst::FloatCompare {
                predicate,
                signals: false,
                ty,
                dst,
                lhs,
                rhs,
            }
        })
    }

    fn read_memory(&mut self, inst: Value<'m>, opcode: LLVMOpcode) -> Result<Inst, Unsupported> {
        let access = |inst: Value<'m>| Access {
            align: inst.alignment(),
            volatile: inst.is_volatile(),
            atomic: inst.ordering() != LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic,
        };
        match opcode {
            LLVMAlloca => {
                let allocated = inst.allocated_type();
                if !self.reader.is_in_memory(allocated) {
                    return Err("alloca of a type that plat does not represent".into());
                }
                Ok(Inst::Alloca {
                    dst: self.dst(inst)?,
                    element_size: self.reader.module.alloc_size(allocated),
                    count: self.op(inst, 0)?,
                    count_ty: self.ty(inst.operand(0))?,
                    align: inst.alignment(),
                })
            }
            LLVMLoad => Ok(Inst::Load {
                ty: self.ty(inst)?,
                dst: self.dst(inst)?,
                pointer: self.pointer(inst, 0)?,
                access: access(inst),
            }),
            LLVMStore => Ok(Inst::Store {
                ty: self.ty(inst.operand(0))?,
                value: self.op(inst, 0)?,
                pointer: self.pointer(inst, 1)?,
                access: access(inst),
            }),
            _ => {
                let address = AddressTerms::of(self.reader.module, inst)
                    .ok_or("getelementptr on vectors or types of unknown size")?;
                let (dst, base) = (self.dst(inst)?, self.pointer(inst, 0)?);
                let start = self.function.gep_terms.len() as u32;
                for &(index, width, scale) in &address.terms {
                    let index = self.operand(index)?;
                    self.function.gep_terms.push((index, width, scale));
                }
                let terms = Span {
                    start,
                    len: address.terms.len() as u32,
                };
                Ok(Inst::Gep {
                    dst,
                    base,
                    offset: address.offset,
                    terms,
                })
            }
        }
    }

    fn read_atomic(&mut self, inst: Value<'m>, opcode: LLVMOpcode) -> Result<Inst, Unsupported> {
        let (dst, ty) = (self.dst(inst)?, self.ty(inst.operand(1))?);
        let pointer = self.pointer(inst, 0)?;
        if opcode == LLVMAtomicCmpXchg {
            let (expected, new) = (self.op(inst, 1)?, self.op(inst, 2)?);
            return Ok(Inst::CompareExchange {
                ty,
                dst,
                pointer,
                expected,
                new,
            });
        }
        let op =
            rmw_op(inst.rmw_op()).ok_or("atomicrmw with a floating-point or wrapping operation")?;
        let value = self.op(inst, 1)?;
        Ok(Inst::AtomicRmw {
            op,
            ty,
            dst,
            pointer,
            value,
        })
    }

    fn read_aggregate(&mut self, inst: Value<'m>, opcode: LLVMOpcode) -> Result<Inst, Unsupported> {
        let (dst, ty) = (self.dst(inst)?, self.ty(inst.operand(0))?);
        let first = self.op(inst, 0)?;
        Ok(match opcode {
            LLVMExtractValue => {
                let path = self.indices(inst.path().iter().copied());
                Inst::ExtractValue {
                    ty,
                    dst,
                    aggregate: first,
                    path,
                }
            }
            LLVMInsertValue => {
                let element = self.op(inst, 1)?;
                let path = self.indices(inst.path().iter().copied());
                Inst::InsertValue {
                    ty,
                    dst,
                    aggregate: first,
                    element,
                    path,
                }
            }
            LLVMExtractElement => Inst::ExtractElement {
                ty,
                dst,
                vector: first,
                index: self.op(inst, 1)?,
            },
            LLVMInsertElement => Inst::InsertElement {
                ty,
                dst,
                vector: first,
                element: self.op(inst, 1)?,
                index: self.op(inst, 2)?,
            },
            _ => {
                let rhs = self.op(inst, 1)?;
                // A poison element is -1.
                let mask = self.indices(inst.mask().into_iter().map(i32::cast_unsigned));
                Inst::Shuffle {
                    ty,
                    dst,
                    lhs: first,
                    rhs,
                    mask,
                }
            }
        })
    }

    fn indices(&mut self, indices: impl Iterator<Item = u32>) -> Span {
        let start = self.function.indices.len() as u32;
        self.function.indices.extend(indices);
        Span {
            start,
            len: self.function.indices.len() as u32 - start,
        }
    }
}

impl Value<'_> {
    /// The number of successors if an opcode ends a block.
    fn successor_count_if_terminator(self, opcode: LLVMOpcode) -> Option<u32> {
        let ends = matches!(
            opcode,
            LLVMRet
                | LLVMBr
                | LLVMSwitch
                | LLVMIndirectBr
                | LLVMInvoke
                | LLVMUnreachable
                | LLVMCallBr
                | LLVMResume
                | LLVMCleanupRet
                | LLVMCatchRet
                | LLVMCatchSwitch
        );
        ends.then(|| self.successor_count())
    }
}

//! Constrained floating-point intrinsics, which compilers emit for code that changes or reads the
//! floating-point environment: those that stand for an instruction become that instruction.
//!
//! What they say about rounding and exceptions restrains transformations only. Every operation is
//! executed in the rounding mode that is set, as x86-64 code does.

use crate::functions::{Body, Unsupported};
use crate::llvm::Value;
use plat_program::{CastOp, FloatOp, FloatPredicate, Inst};

/// What a constrained intrinsic does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Arithmetic.
    Float(FloatOp),
    /// A conversion.
    Cast(CastOp),
    /// A comparison, for which every NaN is an invalid operand or only a signalling one.
    Compare { signals: bool },
}

/// The instruction that an intrinsic stands for.
pub fn operation(name: &str) -> Option<Operation> {
    let rest = name.strip_prefix("llvm.experimental.constrained.")?;
    let base = rest.split('.').next()?;
    Some(match base {
        "fadd" => Operation::Float(FloatOp::Add),
        "fsub" => Operation::Float(FloatOp::Sub),
        "fmul" => Operation::Float(FloatOp::Mul),
        "fdiv" => Operation::Float(FloatOp::Div),
        "frem" => Operation::Float(FloatOp::Rem),
        "fptosi" => Operation::Cast(CastOp::FpToSi),
        "fptoui" => Operation::Cast(CastOp::FpToUi),
        "sitofp" => Operation::Cast(CastOp::SiToFp),
        "uitofp" => Operation::Cast(CastOp::UiToFp),
        "fptrunc" => Operation::Cast(CastOp::FpTrunc),
        "fpext" => Operation::Cast(CastOp::FpExt),
        "fcmp" => Operation::Compare { signals: false },
        "fcmps" => Operation::Compare { signals: true },
        _ => return None,
    })
}

fn predicate(text: &str) -> Option<FloatPredicate> {
    Some(match text {
        "oeq" => FloatPredicate::Oeq,
        "ogt" => FloatPredicate::Ogt,
        "oge" => FloatPredicate::Oge,
        "olt" => FloatPredicate::Olt,
        "ole" => FloatPredicate::Ole,
        "one" => FloatPredicate::One,
        "ord" => FloatPredicate::Ord,
        "uno" => FloatPredicate::Uno,
        "ueq" => FloatPredicate::Ueq,
        "ugt" => FloatPredicate::Ugt,
        "uge" => FloatPredicate::Uge,
        "ult" => FloatPredicate::Ult,
        "ule" => FloatPredicate::Ule,
        "une" => FloatPredicate::Une,
        _ => return None,
    })
}

impl<'m> Body<'_, 'm> {
    /// Reads the call of a constrained intrinsic.
    pub fn read_constrained(
        &mut self,
        inst: Value<'m>,
        operation: Operation,
    ) -> Result<Inst, Unsupported> {
        let (dst, first) = (self.dst(inst)?, self.operand(inst.operand(0))?);
        let source = self.ty(inst.operand(0))?;
        Ok(match operation {
            Operation::Float(op) => Inst::Float {
                op,
                ty: source,
                dst,
                lhs: first,
                rhs: self.operand(inst.operand(1))?,
            },
            Operation::Cast(op) => Inst::Cast {
                op,
                from: source,
                to: self.ty(inst)?,
                dst,
                value: first,
            },
            Operation::Compare { signals } => {
                let text = inst.operand(2).metadata_text();
                Inst::FloatCompare {
                    predicate: text
                        .and_then(|text| predicate(&text))
                        .ok_or("a constrained comparison without a predicate")?,
                    signals,
                    ty: source,
                    dst,
                    lhs: first,
                    rhs: self.operand(inst.operand(1))?,
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Operation, operation};
    use plat_program::FloatOp;

    #[test]
    fn names_are_taken_apart() {
        let add = Some(Operation::Float(FloatOp::Add));
        assert_eq!(operation("llvm.experimental.constrained.fadd.v4f32"), add);
        assert_eq!(operation("llvm.experimental.constrained.sqrt.f64"), None);
        assert_eq!(operation("llvm.fadd.f64"), None);
    }
}

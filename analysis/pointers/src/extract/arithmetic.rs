//! Arithmetic: which results are addresses again?
//!
//! Pointer arithmetic is plain: the result lies in the object of its base. For integers, the
//! question is which operand is the address. A location that was computed as an integer passes
//! every operation that can yield an address from one. A location that was only loaded as an
//! integer ([`crate::constraints::Location`]) passes operations with constants (tags and alignment masks in
//! place) and shifts; it passes others only if the result reaches a conversion to a pointer in
//! the same function ([`super::conversions`]), or if one operand is a widened fragment of a pointer, which
//! then is put together. The difference of two pointers is a number, except
//! where it reaches such a conversion, and where it is stored: who keeps the distance to another
//! object may add it to an address elsewhere. Values narrower than a pointer are fragments of one: they
//! are masked, shifted and put together again, but not added.

use super::{Extractor, InstanceId};
use crate::constraints::{Displacement, Offset, Passage, gcd};
use plat_program::{BinaryOp, CastOp, Constant, Function, Inst, Operand, Reg, TypeId};

/// Any result of arithmetic on what passes.
const fn anywhere(how: Passage) -> Displacement {
    Displacement {
        by: Offset::ANY,
        how,
    }
}

impl Extractor<'_> {
    pub(super) fn cast(
        &mut self,
        instance: InstanceId,
        op: CastOp,
        [from, to]: [TypeId; 2],
        dst: Reg,
        value: Operand,
    ) {
        let by = Offset::ZERO;
        let how = match op {
            CastOp::PtrToInt => Passage::ToInteger,
            CastOp::IntToPtr => Passage::ToPointer,
            CastOp::Trunc | CastOp::ZExt | CastOp::SExt | CastOp::Bitcast => Passage::All,
            _ => return,
        };
        if self.carries(from) && self.carries(to) {
            self.derive(instance, value, Displacement { by, how }, dst);
        }
    }

    pub(super) fn address_computation(
        &mut self,
        instance: InstanceId,
        dst: Reg,
        base: Operand,
        offset: i64,
        terms: &[(Operand, u32, i64)],
    ) {
        let scales = terms.iter().map(|&(_, _, scale)| scale.unsigned_abs());
        let by = Offset::strided(scales.fold(0, gcd), offset);
        let how = match self.operand(instance, base) {
            Some(base) => {
                let dst = self.reg(instance, dst);
                self.shift(base, by, dst);
                // A distance between objects leads to the other one.
                Passage::IntegersOnly
            }
            // `(char *)0 + address`: the address is in the index.
            None => Passage::ToPointer,
        };
        for &(index, _, _) in terms.iter().filter(|(_, width, _)| *width >= 64) {
            self.derive(instance, index, anywhere(how), dst);
        }
    }

    fn integer(&self, operand: Operand) -> Option<i64> {
        match self.program.constant(operand.as_constant()?) {
            Constant::Int { value, width } if *width <= 64 => {
                let unused = 64 - width;
                Some(((*value as u64) << unused).cast_signed() >> unused)
            }
            _ => None,
        }
    }

    pub(super) fn binary(
        &mut self,
        instance: InstanceId,
        function: &Function,
        op: BinaryOp,
        ty: TypeId,
        dst: Reg,
        [lhs, rhs]: [Operand; 2],
    ) {
        if !self.carries(ty) {
            return;
        }
        let whole = self.program.types.bits(ty).is_none_or(|bits| bits >= 64);
        let wanted = self.converted(function).contains(&dst);
        let (left, right) = (self.integer(lhs), self.integer(rhs));
        let joins = [lhs, rhs]
            .iter()
            .any(|&operand| self.is_fragment(function, operand));
        let all = anywhere(Passage::All);
        // Both operands are variable: either may be the address.
        let mixed = anywhere(if wanted {
            Passage::ToInteger
        } else {
            Passage::IntegersOnly
        });
        match op {
            BinaryOp::Add | BinaryOp::Sub if !whole => {}
            BinaryOp::Add => match (left, right) {
                (_, Some(by)) => {
                    self.derive(instance, lhs, Displacement::by(Offset::exact(by)), dst)
                }
                (Some(by), _) => {
                    self.derive(instance, rhs, Displacement::by(Offset::exact(by)), dst)
                }
                _ => self.both(instance, lhs, rhs, mixed, dst),
            },
            BinaryOp::Sub => match right {
                Some(by) => {
                    let by = Offset::exact(by.wrapping_neg());
                    self.derive(instance, lhs, Displacement::by(by), dst);
                }
                None if wanted || !self.is_address(function, rhs) => {
                    self.both(instance, lhs, rhs, mixed, dst);
                }
                None if is_kept(function, dst) => {
                    self.derive(instance, lhs, anywhere(Passage::ToInteger), dst);
                }
                None => {}
            },
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                let constant = left.is_some() || right.is_some();
                let step = if constant || joins || !whole {
                    all
                } else {
                    mixed
                };
                self.both(instance, lhs, rhs, step, dst);
            }
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => self.derive(instance, lhs, all, dst),
            // Rounding to a multiple: divide and multiply by a constant.
            BinaryOp::Mul | BinaryOp::UDiv | BinaryOp::SDiv if whole && right.is_some() => {
                self.derive(instance, lhs, mixed, dst);
            }
            _ => {}
        }
    }

    fn both(
        &mut self,
        instance: InstanceId,
        lhs: Operand,
        rhs: Operand,
        step: Displacement,
        dst: Reg,
    ) {
        self.derive(instance, lhs, step, dst);
        self.derive(instance, rhs, step, dst);
    }

    /// Whether an operand is a pointer converted to an integer on the spot, as in the difference
    /// of two pointers.
    fn is_address(&self, function: &Function, operand: Operand) -> bool {
        if let Some(id) = operand.as_constant() {
            return matches!(
                self.program.constant(id),
                Constant::Cast(CastOp::PtrToInt, ..)
            );
        }
        let defined_by = |inst: &&Inst| inst.dst().is_some() && inst.dst() == operand.as_reg();
        let definition = function.insts.iter().find(defined_by);
        matches!(
            definition,
            Some(Inst::Cast {
                op: CastOp::PtrToInt,
                ..
            })
        )
    }
}

/// Whether a register is stored as it is.
fn is_kept(function: &Function, reg: Reg) -> bool {
    let mut insts = function.insts.iter();
    insts.any(|inst| matches!(inst, Inst::Store { value, .. } if value.as_reg() == Some(reg)))
}

//! Folding of constant operations as far as it goes without knowing addresses.
//!
//! Integers of up to 128 bits fold completely; the difference of two addresses in one global is a
//! number; an integer-to-pointer conversion undoes a pointer-to-integer conversion of full width.

use crate::constant::Constant;
use crate::ids::{ConstId, GlobalId};
use crate::inst::{BinaryOp, CastOp};

/// The low `width` bits set.
pub(crate) const fn mask(width: u32) -> u128 {
    if width >= 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}

fn sign_extend(value: u128, width: u32) -> i128 {
    let shift = 128 - width.clamp(1, 128);
    (value << shift).cast_signed() >> shift
}

/// The value of `lhs op rhs` on `width`-bit integers, where it is defined.
fn integer(op: BinaryOp, width: u32, lhs: u128, rhs: u128) -> Option<u128> {
    let in_range = || (rhs < u128::from(width)).then_some(rhs as u32);
    Some(
        match op {
            BinaryOp::Add => lhs.wrapping_add(rhs),
            BinaryOp::Sub => lhs.wrapping_sub(rhs),
            BinaryOp::Mul => lhs.wrapping_mul(rhs),
            BinaryOp::And => lhs & rhs,
            BinaryOp::Or => lhs | rhs,
            BinaryOp::Xor => lhs ^ rhs,
            BinaryOp::Shl => lhs << in_range()?,
            BinaryOp::LShr => lhs >> in_range()?,
            BinaryOp::AShr => (sign_extend(lhs, width) >> in_range()?).cast_unsigned(),
            BinaryOp::UDiv => lhs.checked_div(rhs)?,
            BinaryOp::URem => lhs.checked_rem(rhs)?,
            BinaryOp::SDiv | BinaryOp::SRem => return None,
        } & mask(width),
    )
}

/// The global and offset behind an address or the full-width number of an address.
fn address(constants: &[Constant], id: ConstId) -> Option<(GlobalId, i64)> {
    match constants[id.index()] {
        Constant::Global(global, offset) => Some((global, offset)),
        Constant::Cast(CastOp::PtrToInt, 64, 64, inner) => address(constants, inner),
        _ => None,
    }
}

/// `lhs op rhs` on operands of `width` bits.
pub(crate) fn binary(
    constants: &[Constant],
    op: BinaryOp,
    width: u32,
    lhs: ConstId,
    rhs: ConstId,
) -> Constant {
    if let (Constant::Int { value: a, .. }, Constant::Int { value: b, .. }) =
        (&constants[lhs.index()], &constants[rhs.index()])
        && let Some(value) = integer(op, width, *a, *b)
    {
        return Constant::Int { width, value };
    }
    if op == BinaryOp::Sub
        && width == 64
        && let (Some((a, at)), Some((b, from))) = (address(constants, lhs), address(constants, rhs))
        && a == b
    {
        let value = u128::from(at.wrapping_sub(from).cast_unsigned());
        return Constant::Int { width, value };
    }
    Constant::Binary(op, width, lhs, rhs)
}

/// `value` converted by `op` from `from` to `to` bits.
pub(crate) fn cast(
    constants: &[Constant],
    op: CastOp,
    from: u32,
    to: u32,
    value: ConstId,
) -> Constant {
    match (op, &constants[value.index()]) {
        (CastOp::Trunc | CastOp::ZExt | CastOp::PtrToInt, &Constant::Int { value, .. }) => {
            Constant::Int {
                width: to,
                value: value & mask(to),
            }
        }
        (CastOp::SExt, &Constant::Int { value, .. }) => Constant::Int {
            width: to,
            value: sign_extend(value, from).cast_unsigned() & mask(to),
        },
        (CastOp::PtrToInt, Constant::Null) => Constant::Int {
            width: to,
            value: 0,
        },
        (CastOp::IntToPtr, Constant::Int { value: 0, .. }) => Constant::Null,
        (CastOp::IntToPtr, &Constant::Cast(CastOp::PtrToInt, 64, 64, inner)) => {
            constants[inner.index()].clone()
        }
        (CastOp::PtrToInt, &Constant::Cast(CastOp::IntToPtr, 64, 64, inner)) if to == 64 => {
            constants[inner.index()].clone()
        }
        _ => Constant::Cast(op, from, to, value),
    }
}

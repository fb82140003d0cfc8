//! Operations on constants of at most 64 bits, kept zero-extended in a `u64`.

use crate::node::{BinaryOp, CompareOp};

/// The largest unsigned value of `width` bits (`width` from 0 to 64; more counts as 64).
pub const fn mask(width: u32) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

/// `value` of `width` bits as a signed number.
pub const fn signed(value: u64, width: u32) -> i64 {
    if width == 0 || width >= 64 {
        return value as i64;
    }
    (value << (64 - width)) as i64 >> (64 - width)
}

/// A binary operation on two constants of `width` bits.
pub fn binary(op: BinaryOp, width: u32, a: u64, b: u64) -> u64 {
    let (sa, sb) = (signed(a, width), signed(b, width));
    let within = b < u64::from(width);
    let result = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::UDiv => a.checked_div(b).unwrap_or(u64::MAX),
        BinaryOp::URem => a.checked_rem(b).unwrap_or(a),
        BinaryOp::SDiv if sb == 0 => {
            if sa < 0 {
                1
            } else {
                u64::MAX
            }
        }
        BinaryOp::SDiv => sa.wrapping_div(sb) as u64,
        BinaryOp::SRem if sb == 0 => a,
        BinaryOp::SRem => sa.wrapping_rem(sb) as u64,
        BinaryOp::Shl if within => a << b,
        BinaryOp::LShr if within => a >> b,
        BinaryOp::Shl | BinaryOp::LShr => 0,
        BinaryOp::AShr => (sa >> b.min(63)) as u64,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
    };
    result & mask(width)
}

/// A comparison of two constants of `width` bits.
pub fn compare(op: CompareOp, width: u32, a: u64, b: u64) -> bool {
    match op {
        CompareOp::Eq => a == b,
        CompareOp::Ult => a < b,
        CompareOp::Slt => signed(a, width) < signed(b, width),
    }
}

/// `value` of `from` bits, sign-extended to `width`.
pub fn sign_extend(value: u64, from: u32, width: u32) -> u64 {
    signed(value, from) as u64 & mask(width)
}

//! Maps plat's operators to Z3's.
//!
//! plat's verifier has checked the widths of operands. If Z3 cannot make a term anyway, for example
//! out of memory, the z3 crate panics: see [`super::Z3`].

use ::z3::ast::{BV, Bool};
use plat_expr::{BinaryOp, CompareOp};

/// A constant whose value is in limbs of 64 bits, the lowest first; none if there are no limbs.
pub(super) fn constant(width: u32, limbs: &[u64]) -> Option<BV> {
    let mut left = width;
    let pieces = limbs.iter().map(|&limb| {
        let piece = BV::from_u64(limb, left.min(64));
        left = left.saturating_sub(64);
        piece
    });
    pieces.reduce(|low, high| high.concat(&low))
}

/// An operation on bit-vectors.
pub(super) fn binary(op: BinaryOp, a: &BV, b: &BV) -> BV {
    match op {
        BinaryOp::Add => a.bvadd(b),
        BinaryOp::Sub => a.bvsub(b),
        BinaryOp::Mul => a.bvmul(b),
        BinaryOp::UDiv => a.bvudiv(b),
        BinaryOp::SDiv => a.bvsdiv(b),
        BinaryOp::URem => a.bvurem(b),
        BinaryOp::SRem => a.bvsrem(b),
        BinaryOp::Shl => a.bvshl(b),
        BinaryOp::LShr => a.bvlshr(b),
        BinaryOp::AShr => a.bvashr(b),
        BinaryOp::And => a.bvand(b),
        BinaryOp::Or => a.bvor(b),
        BinaryOp::Xor => a.bvxor(b),
    }
}

/// An operation on Booleans; none if it is not a logical one.
pub(super) fn logical(op: BinaryOp, a: &Bool, b: &Bool) -> Option<Bool> {
    match op {
        BinaryOp::And => Some(Bool::and(&[a, b])),
        BinaryOp::Or => Some(Bool::or(&[a, b])),
        BinaryOp::Xor => Some(a.xor(b)),
        _ => None,
    }
}

/// A comparison of bit-vectors.
pub(super) fn compare(op: CompareOp, a: &BV, b: &BV) -> Bool {
    match op {
        CompareOp::Eq => a.eq(b),
        CompareOp::Ult => a.bvult(b),
        CompareOp::Slt => a.bvslt(b),
    }
}

/// `width` bits of a vector from bit `low` on.
pub(super) fn extract(vector: &BV, low: u32, width: u32) -> BV {
    vector.extract(low + width - 1, low)
}

/// Whether one bit of a vector is set.
pub(super) fn is_set(vector: &BV, bit: u32) -> Bool {
    vector.extract(bit, bit).eq(BV::from_u64(1, 1))
}

/// The same value with more bits.
pub(super) fn widen(vector: &BV, from: u32, width: u32) -> BV {
    match width - from {
        0 => vector.clone(),
        more => vector.zero_ext(more),
    }
}

//! Operations on constants of at most 64 bits, kept zero-extended in a `u64`.
//!
//! The operations are those of [`plat_basics::integer`]. Where these have no result an expression
//! has the one of SMT-LIB, see [`crate::Node::Binary`].

use crate::node::CompareOp;
use plat_basics::integer::{BinaryOp, IntPredicate, word};

/// The largest unsigned value of `width` bits (`width` from 0 to 64; more counts as 64).
pub const fn mask(width: u32) -> u64 {
    match width {
        0 => 0,
        1..64 => word::mask(width),
        _ => u64::MAX,
    }
}

/// `value` of `width` bits as a signed number (`width` as for [`mask`]).
pub const fn signed(value: u64, width: u32) -> i64 {
    if width == 0 || width >= 64 {
        return value as i64;
    }
    word::signed(value, width)
}

/// A binary operation on two constants of `width` bits.
pub fn binary(op: BinaryOp, width: u32, a: u64, b: u64) -> u64 {
    match word::binary(op, width, a, b) {
        Some(result) => result,
        None => without_result(op, width, a, b),
    }
}

/// What SMT-LIB says of a division by zero, of the one quotient that does not fit, and of a shift
/// by the width or more.
#[cold]
fn without_result(op: BinaryOp, width: u32, a: u64, b: u64) -> u64 {
    let negative = signed(a, width) < 0;
    match op {
        BinaryOp::UDiv => mask(width),
        BinaryOp::SDiv if b != 0 => a,
        BinaryOp::SDiv if negative => 1,
        BinaryOp::SDiv => mask(width),
        BinaryOp::SRem if b != 0 => 0,
        BinaryOp::URem | BinaryOp::SRem => a,
        BinaryOp::AShr if negative => mask(width),
        _ => 0,
    }
}

/// A comparison of two constants of `width` bits.
pub fn compare(op: CompareOp, width: u32, a: u64, b: u64) -> bool {
    match op {
        CompareOp::Eq => a == b,
        CompareOp::Ult => a < b,
        CompareOp::Slt => word::compare(IntPredicate::Slt, width, a, b),
    }
}

/// `value` of `from` bits, sign-extended to `width`.
pub fn sign_extend(value: u64, from: u32, width: u32) -> u64 {
    signed(value, from) as u64 & mask(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definitions of SMT-LIB's theory of bit-vectors, for operands of up to 5 bits.
    fn by_definition(op: BinaryOp, width: u32, a: i64, b: i64) -> i64 {
        let modulus = 1 << width;
        let absolute = |x: i64| if x >= modulus / 2 { modulus - x } else { x };
        let negative = |x: i64| x >= modulus / 2;
        let quotient = |a: i64, b: i64| if b == 0 { modulus - 1 } else { a / b };
        let remainder = |a: i64, b: i64| if b == 0 { a } else { a % b };
        let sign = |minus: bool, x: i64| if minus { -x } else { x };
        let result = match op {
            BinaryOp::Add => a + b,
            BinaryOp::Sub => a - b,
            BinaryOp::Mul => a * b,
            BinaryOp::UDiv => quotient(a, b),
            BinaryOp::URem => remainder(a, b),
            BinaryOp::SDiv => sign(
                negative(a) != negative(b),
                quotient(absolute(a), absolute(b)),
            ),
            BinaryOp::SRem => sign(negative(a), remainder(absolute(a), absolute(b))),
            BinaryOp::Shl => a * (1 << b),
            BinaryOp::LShr => a >> b,
            BinaryOp::AShr => (a - if negative(a) { modulus } else { 0 }) >> b,
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            BinaryOp::Xor => a ^ b,
        };
        result.rem_euclid(modulus)
    }

    #[test]
    fn every_operation_has_the_result_of_smtlib() {
        for width in 1..=5 {
            let all = 0..1i64 << width;
            for (a, b) in all.clone().flat_map(|a| all.clone().map(move |b| (a, b))) {
                for op in BinaryOp::ALL {
                    let (x, y) = (a.cast_unsigned(), b.cast_unsigned());
                    let result = binary(op, width, x, y).cast_signed();
                    let expected = by_definition(op, width, a, b);
                    assert_eq!(result, expected, "{op:?} i{width} {a} {b}");
                }
            }
        }
    }
}

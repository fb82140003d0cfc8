//! The operations on integers against a definition of their own: on the mathematical integers,
//! bit by bit where an operation is one on bits; every operand up to 6 bits, and drawn ones of
//! all widths.

use plat_basics::integer::{wide, word};
use plat_basics::{BinaryOp, IntPredicate};
use proptest::prelude::*;

/// The mathematical integer that `value` of `width` bits stands for in two's complement.
fn signed(value: i128, width: u32) -> i128 {
    if value >= 1 << (width - 1) {
        value - (1 << width)
    } else {
        value
    }
}

/// Bit by bit, by what the operation makes of two bits.
fn bitwise(width: u32, a: i128, b: i128, of: impl Fn(bool, bool) -> bool) -> i128 {
    let bit = |value: i128, at: u32| (value >> at) % 2 == 1;
    (0..width)
        .filter(|&at| of(bit(a, at), bit(b, at)))
        .map(|at| 1 << at)
        .sum()
}

/// Rounded towards zero, for operands of either sign.
fn quotient(a: i128, b: i128) -> i128 {
    let magnitude = a.abs().div_euclid(b.abs());
    if (a < 0) == (b < 0) {
        magnitude
    } else {
        -magnitude
    }
}

/// The definition, for operands and results below 2^64.
fn by_definition(op: BinaryOp, width: u32, a: i128, b: i128) -> Option<i128> {
    let modulus = 1i128 << width;
    let (sa, sb) = (signed(a, width), signed(b, width));
    let overflows = sa == -(modulus / 2) && sb == -1;
    let shifted = b < i128::from(width);
    let doubled = |value: i128| (0..b).fold(value, |value, _| value * 2 % modulus);
    let halved = |value: i128| (0..b).fold(value, |value, _| value.div_euclid(2));
    let result = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        // The product of two numbers of 64 bits has 128: modulo first, by halves of a factor.
        BinaryOp::Mul => (a * (b >> 32) % modulus * (1 << 32) + a * (b % (1 << 32))) % modulus,
        BinaryOp::UDiv => (b != 0).then(|| quotient(a, b))?,
        BinaryOp::URem => (b != 0).then(|| a - quotient(a, b) * b)?,
        BinaryOp::SDiv => (b != 0 && !overflows).then(|| quotient(sa, sb))?,
        BinaryOp::SRem => (b != 0 && !overflows).then(|| sa - quotient(sa, sb) * sb)?,
        BinaryOp::Shl => shifted.then(|| doubled(a))?,
        BinaryOp::LShr => shifted.then(|| halved(a))?,
        BinaryOp::AShr => shifted.then(|| halved(sa))?,
        BinaryOp::And => bitwise(width, a, b, |a, b| a && b),
        BinaryOp::Or => bitwise(width, a, b, |a, b| a || b),
        BinaryOp::Xor => bitwise(width, a, b, |a, b| a != b),
    };
    Some(result.rem_euclid(modulus))
}

fn holds(predicate: IntPredicate, width: u32, a: i128, b: i128) -> bool {
    let unsigned = a.cmp(&b);
    let signed = signed(a, width).cmp(&signed(b, width));
    match predicate {
        IntPredicate::Eq => unsigned.is_eq(),
        IntPredicate::Ne => unsigned.is_ne(),
        IntPredicate::Ult => unsigned.is_lt(),
        IntPredicate::Ule => unsigned.is_le(),
        IntPredicate::Ugt => unsigned.is_gt(),
        IntPredicate::Uge => unsigned.is_ge(),
        IntPredicate::Slt => signed.is_lt(),
        IntPredicate::Sle => signed.is_le(),
        IntPredicate::Sgt => signed.is_gt(),
        IntPredicate::Sge => signed.is_ge(),
    }
}

/// Both types of words give what the definition gives.
fn check(width: u32, a: u64, b: u64) {
    let (x, y) = (i128::from(a), i128::from(b));
    for op in BinaryOp::ALL {
        let expected = by_definition(op, width, x, y).map(i128::cast_unsigned);
        let narrow = word::binary(op, width, a, b).map(u128::from);
        assert_eq!(narrow, expected, "{op:?} i{width} {a} {b}");
        let wide = wide::binary(op, width, a.into(), b.into());
        assert_eq!(wide, expected, "wide {op:?} i{width} {a} {b}");
    }
    for predicate in IntPredicate::ALL {
        let expected = holds(predicate, width, x, y);
        let narrow = word::compare(predicate, width, a, b);
        assert_eq!(narrow, expected, "{predicate:?} i{width} {a} {b}");
        let wide = wide::compare(predicate, width, a.into(), b.into());
        assert_eq!(wide, expected, "wide {predicate:?} i{width} {a} {b}");
    }
}

#[test]
fn all_narrow_integers() {
    for width in 1..=6 {
        let all = 0..1u64 << width;
        for a in all.clone() {
            all.clone().for_each(|b| check(width, a, b));
        }
    }
}

#[test]
fn the_ends_of_every_width() {
    for width in 1..=64 {
        let largest = u64::MAX >> (64 - width);
        let least = 1 << (width - 1);
        let near = [0, 1, 2, least - 1, least, largest - 1, largest];
        let near = near.map(|value| value & largest);
        let widths = [width - 1, width, width + 1].map(|by| u64::from(by) & largest);
        for a in near {
            for b in near.into_iter().chain(widths) {
                check(width, a, b);
            }
        }
    }
}

#[test]
fn extension_keeps_the_signed_value() {
    for from in 1..=10 {
        for to in from..=64 {
            for value in 0..1u64 << from {
                let expected = signed(value.into(), from).rem_euclid(1 << to);
                let narrow = word::sign_extend(value, from, to);
                assert_eq!(i128::from(narrow), expected);
                let wide = wide::sign_extend(value.into(), from, to);
                assert_eq!(wide, expected.cast_unsigned());
            }
        }
    }
}

/// `a * b` modulo 2^128, by long multiplication of digits of 32 bits.
fn product(a: u128, b: u128) -> u128 {
    let digit = |value: u128, at: usize| (value >> (32 * at)) as u32;
    let mut digits = [0u32; 4];
    for i in 0..4 {
        let mut carry = 0u64;
        for j in 0..4 - i {
            let sum =
                u64::from(digit(a, i)) * u64::from(digit(b, j)) + u64::from(digits[i + j]) + carry;
            digits[i + j] = sum as u32;
            carry = sum >> 32;
        }
    }
    digits
        .iter()
        .rev()
        .fold(0, |value, &digit| value << 32 | u128::from(digit))
}

proptest! {
    #[test]
    fn drawn_words(width in 1u32..=64, a: u64, b: u64, small in 0u64..70) {
        let mask = u64::MAX >> (64 - width);
        check(width, a & mask, b & mask);
        check(width, a & mask, small & mask);
    }

    /// Widths that no larger machine integer has: by the laws that define each operation.
    #[test]
    fn drawn_wide_words(width in 65u32..=128, a: u128, b: u128, by in 0u32..130, narrow in 0u32..127) {
        let mask = u128::MAX >> (128 - width);
        let (a, b) = (a & mask, b & mask);
        let of = |op, b| wide::binary(op, width, a, b);
        // Addition carries from the lower half into the upper one; subtraction undoes it.
        let (low, carry) = (a as u64).overflowing_add(b as u64);
        let high = ((a >> 64) as u64).wrapping_add((b >> 64) as u64).wrapping_add(carry.into());
        let sum = (u128::from(high) << 64 | u128::from(low)) & mask;
        prop_assert_eq!(of(BinaryOp::Add, b), Some(sum));
        prop_assert_eq!(wide::binary(BinaryOp::Sub, width, sum, b), Some(a));
        prop_assert_eq!(of(BinaryOp::Mul, b), Some(product(a, b) & mask));

        // Divisors of all sizes.
        let divisor = b >> narrow.min(width - 1);
        if divisor == 0 {
            for op in [BinaryOp::UDiv, BinaryOp::URem, BinaryOp::SDiv, BinaryOp::SRem] {
                prop_assert_eq!(of(op, divisor), None);
            }
        } else {
            let (q, r) = (of(BinaryOp::UDiv, divisor).unwrap(), of(BinaryOp::URem, divisor).unwrap());
            prop_assert!(r < divisor && q <= a);
            prop_assert_eq!(product(q, divisor).wrapping_add(r), a);
            let negative = |value: u128| value >> (width - 1) == 1;
            if !(divisor == mask && a == 1 << (width - 1)) {
                let magnitude = |value: u128| if negative(value) { value.wrapping_neg() & mask } else { value };
                let (q, r) = (of(BinaryOp::SDiv, divisor).unwrap(), of(BinaryOp::SRem, divisor).unwrap());
                prop_assert!(magnitude(r) < magnitude(divisor));
                prop_assert!(r == 0 || negative(r) == negative(a));
                prop_assert!(q == 0 || negative(q) == (negative(a) != negative(divisor)));
                prop_assert_eq!(product(q, divisor).wrapping_add(r) & mask, a);
            }
        }

        // A shift is repeated doubling or halving.
        let expected = |step: &dyn Fn(u128) -> u128| (by < width).then(|| (0..by).fold(a, |value, _| step(value) & mask));
        let sign = a & 1 << (width - 1);
        prop_assert_eq!(of(BinaryOp::Shl, by.into()), expected(&|value| value.wrapping_add(value)));
        prop_assert_eq!(of(BinaryOp::LShr, by.into()), expected(&|value| value / 2));
        prop_assert_eq!(of(BinaryOp::AShr, by.into()), expected(&|value| value / 2 + sign));

        // Bits do not depend on one another: the halves are operations on words.
        for op in [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor] {
            let half = |shift: u32| u128::from(word::binary(op, 64, (a >> shift) as u64, (b >> shift) as u64).unwrap());
            prop_assert_eq!(of(op, b), Some(half(0) | half(64) << 64));
        }

        // The sign bit turned over makes the unsigned order of the signed one.
        let (c, d) = (a ^ 1 << (width - 1), b ^ 1 << (width - 1));
        let signed = |predicate| wide::compare(predicate, width, a, b);
        prop_assert_eq!(signed(IntPredicate::Slt), c < d);
        prop_assert_eq!(signed(IntPredicate::Sle), c <= d);
        prop_assert_eq!(signed(IntPredicate::Sgt), c > d);
        prop_assert_eq!(signed(IntPredicate::Sge), c >= d);
        prop_assert_eq!(signed(IntPredicate::Ult), a < b);
        prop_assert_eq!(signed(IntPredicate::Eq), a == b);
    }

    /// The one quotient that does not fit, at every width.
    #[test]
    fn least_by_minus_one(width in 1u32..=128) {
        let (least, ones) = (1 << (width - 1), u128::MAX >> (128 - width));
        for op in [BinaryOp::SDiv, BinaryOp::SRem] {
            prop_assert_eq!(wide::binary(op, width, least, ones), None);
        }
    }
}

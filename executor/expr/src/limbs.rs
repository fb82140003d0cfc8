//! Arithmetic on constants of any width: little-endian vectors of 64-bit limbs, the bits above
//! the width always 0. Only constants wider than 64 bits come here, so plain loops suffice.

use crate::node::{BinaryOp, CompareOp};

/// A constant: `limb_count(width)` limbs, least significant first.
pub(crate) type Limbs = Vec<u64>;

/// How many limbs hold `width` bits.
pub(crate) const fn limb_count(width: u32) -> usize {
    width.div_ceil(64) as usize
}

/// Cuts `value` to `width` bits, or fills with zeros up to them.
pub(crate) fn resize(mut value: Limbs, width: u32) -> Limbs {
    value.resize(limb_count(width), 0);
    if !width.is_multiple_of(64)
        && let Some(top) = value.last_mut()
    {
        *top &= (1 << (width % 64)) - 1;
    }
    value
}

/// The lowest 128 bits.
pub(crate) fn to_u128(value: &[u64]) -> u128 {
    let limb = |at: usize| u128::from(value.get(at).copied().unwrap_or(0));
    limb(0) | limb(1) << 64
}

/// Bit number `at`.
pub(crate) fn bit(value: &[u64], at: u32) -> bool {
    value
        .get((at / 64) as usize)
        .is_some_and(|limb| limb >> (at % 64) & 1 == 1)
}

#[cfg(test)]
fn is_zero(value: &[u64]) -> bool {
    value.iter().all(|&limb| limb == 0)
}

/// Bitwise complement.
pub(crate) fn not(value: &[u64], width: u32) -> Limbs {
    resize(value.iter().map(|limb| !limb).collect(), width)
}

fn add(a: &[u64], b: &[u64], mut carry: bool, width: u32) -> Limbs {
    let mut sum = Vec::with_capacity(a.len());
    for (&x, &y) in a.iter().zip(b) {
        let (s, c1) = x.overflowing_add(y);
        let (s, c2) = s.overflowing_add(u64::from(carry));
        carry = c1 || c2;
        sum.push(s);
    }
    resize(sum, width)
}

fn sub(a: &[u64], b: &[u64], width: u32) -> Limbs {
    add(
        a,
        &b.iter().map(|limb| !limb).collect::<Limbs>(),
        true,
        width,
    )
}

fn negate(a: &[u64], width: u32) -> Limbs {
    sub(&vec![0; a.len()], a, width)
}

fn mul(a: &[u64], b: &[u64], width: u32) -> Limbs {
    let mut product = vec![0u64; a.len()];
    for i in 0..a.len() {
        let mut carry = 0u128;
        for j in 0..a.len() - i {
            let sum = u128::from(a[i]) * u128::from(b[j]) + u128::from(product[i + j]) + carry;
            product[i + j] = sum as u64;
            carry = sum >> 64;
        }
    }
    resize(product, width)
}

/// Unsigned quotient and remainder; by 0: all ones, and the dividend.
fn divide(a: &[u64], b: &[u64], width: u32) -> (Limbs, Limbs) {
    let count = a.len();
    let length = |v: &[u64]| v.iter().rposition(|&limb| limb != 0).map_or(0, |at| at + 1);
    let (n, m) = (length(b), length(a));
    if n == 0 {
        return (not(&vec![0; count], width), a.to_vec());
    }
    if m < n {
        return (vec![0; count], a.to_vec());
    }
    // Algorithm D of Knuth's volume 2: the divisor's highest bit is set, so that a digit of the
    // quotient, guessed from the two highest digits, is at most two too large.
    let shift = b[n - 1].leading_zeros();
    let divisor = shl(&b[..n], shift, 64 * n as u32);
    let mut rest = shl(&a[..m], shift, 64 * (m as u32 + 1));
    let mut quotient = vec![0u64; count];
    for at in (0..=m - n).rev() {
        let digit = subtract_multiple(&mut rest[at..=at + n], &divisor);
        quotient[at] = digit;
    }
    let mut remainder = extract(&rest, shift, 64 * n as u32);
    remainder.resize(count, 0);
    (quotient, remainder)
}

/// Subtracts the divisor from what is left, which has one limb more and is less than 2^64 times it,
/// as often as it fits. Returns how often.
fn subtract_multiple(rest: &mut [u64], divisor: &[u64]) -> u64 {
    let n = divisor.len();
    let (top, next) = (divisor[n - 1], if n > 1 { divisor[n - 2] } else { 0 });
    let below = if n > 1 { rest[n - 2] } else { 0 };
    let high = u128::from(rest[n]) << 64 | u128::from(rest[n - 1]);
    let mut digit = high / u128::from(top);
    let mut left = high % u128::from(top);
    while digit >> 64 != 0 || digit * u128::from(next) > (left << 64 | u128::from(below)) {
        digit -= 1;
        left += u128::from(top);
        if left >> 64 != 0 {
            break;
        }
    }
    let (mut carry, mut borrow) = (0u128, false);
    for (limb, &part) in rest.iter_mut().zip(divisor.iter().chain([&0])) {
        let product = digit * u128::from(part) + carry;
        carry = product >> 64;
        let (difference, one) = limb.overflowing_sub(product as u64);
        let (difference, two) = difference.overflowing_sub(u64::from(borrow));
        (*limb, borrow) = (difference, one || two);
    }
    if borrow {
        digit -= 1;
        let mut carry = false;
        for (limb, &part) in rest.iter_mut().zip(divisor.iter().chain([&0])) {
            let (sum, one) = limb.overflowing_add(part);
            let (sum, two) = sum.overflowing_add(u64::from(carry));
            (*limb, carry) = (sum, one || two);
        }
    }
    digit as u64
}

/// Quotient and remainder of the magnitudes, signs put back.
fn divide_signed(a: &[u64], b: &[u64], width: u32) -> (Limbs, Limbs) {
    let (a_negative, b_negative) = (bit(a, width - 1), bit(b, width - 1));
    let magnitude = |v: &[u64], negative| {
        if negative {
            negate(v, width)
        } else {
            v.to_vec()
        }
    };
    let (q, r) = divide(&magnitude(a, a_negative), &magnitude(b, b_negative), width);
    (
        magnitude(&q, a_negative != b_negative),
        magnitude(&r, a_negative),
    )
}

fn ult(a: &[u64], b: &[u64]) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

fn shl(a: &[u64], by: u32, width: u32) -> Limbs {
    let (limbs, bits) = ((by / 64) as usize, by % 64);
    let mut shifted = vec![0u64; limb_count(width)];
    for (from, slot) in shifted.iter_mut().skip(limbs).enumerate() {
        *slot = a.get(from).copied().unwrap_or(0) << bits;
        if bits > 0 && from > 0 {
            *slot |= a.get(from - 1).copied().unwrap_or(0) >> (64 - bits);
        }
    }
    resize(shifted, width)
}

/// `width` bits of `a` from bit `low` upwards.
pub(crate) fn extract(a: &[u64], low: u32, width: u32) -> Limbs {
    let (limbs, bits) = ((low / 64) as usize, low % 64);
    let limb = |at: usize| a.get(at).copied().unwrap_or(0);
    let cut = (0..limb_count(width)).map(|i| {
        let at = i + limbs;
        if bits == 0 {
            limb(at)
        } else {
            limb(at) >> bits | limb(at + 1) << (64 - bits)
        }
    });
    resize(cut.collect(), width)
}

/// `a` of width `from`, widened to `width` with copies of its highest bit.
pub(crate) fn sign_extend(a: &[u64], from: u32, width: u32) -> Limbs {
    let extended = resize(a.to_vec(), width);
    if !bit(a, from - 1) {
        return extended;
    }
    let high = shl(&not(&vec![0; limb_count(width)], width), from, width);
    extended.iter().zip(&high).map(|(x, y)| x | y).collect()
}

/// `high` above `low`, which has width `low_width`; `width` is the sum.
pub(crate) fn concat(high: &[u64], low: &[u64], low_width: u32, width: u32) -> Limbs {
    let high = shl(&resize(high.to_vec(), width), low_width, width);
    let low = resize(low.to_vec(), width);
    high.iter().zip(&low).map(|(x, y)| x | y).collect()
}

/// The shift distance, cut to `width` (which shifts everything out).
fn distance(b: &[u64], width: u32) -> u32 {
    if b[1..].iter().any(|&limb| limb != 0) || b[0] >= u64::from(width) {
        width
    } else {
        b[0] as u32
    }
}

/// A binary operation on two constants of `width` bits.
pub(crate) fn binary(op: BinaryOp, width: u32, a: &[u64], b: &[u64]) -> Limbs {
    let zip = |f: fn(u64, u64) -> u64| a.iter().zip(b).map(|(&x, &y)| f(x, y)).collect();
    match op {
        BinaryOp::Add => add(a, b, false, width),
        BinaryOp::Sub => sub(a, b, width),
        BinaryOp::Mul => mul(a, b, width),
        BinaryOp::UDiv => divide(a, b, width).0,
        BinaryOp::URem => divide(a, b, width).1,
        BinaryOp::SDiv => divide_signed(a, b, width).0,
        BinaryOp::SRem => divide_signed(a, b, width).1,
        BinaryOp::Shl => shl(a, distance(b, width), width),
        BinaryOp::LShr => match distance(b, width) {
            by if by == width => vec![0; a.len()],
            by => resize(extract(a, by, width - by), width),
        },
        BinaryOp::AShr => {
            let by = distance(b, width).min(width - 1);
            sign_extend(&extract(a, by, width - by), width - by, width)
        }
        BinaryOp::And => zip(|x, y| x & y),
        BinaryOp::Or => zip(|x, y| x | y),
        BinaryOp::Xor => zip(|x, y| x ^ y),
    }
}

/// A comparison of two constants of `width` bits.
pub(crate) fn compare(op: CompareOp, width: u32, a: &[u64], b: &[u64]) -> bool {
    match op {
        CompareOp::Eq => a == b,
        CompareOp::Ult => ult(a, b),
        CompareOp::Slt => match (bit(a, width - 1), bit(b, width - 1)) {
            (true, false) => true,
            (false, true) => false,
            _ => ult(a, b),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Division bit by bit.
    fn divide_by_bits(a: &[u64], b: &[u64], width: u32) -> (Limbs, Limbs) {
        let wide = width + 1;
        let divisor = resize(b.to_vec(), wide);
        let mut quotient = vec![0u64; a.len()];
        let mut remainder = vec![0u64; limb_count(wide)];
        for at in (0..width).rev() {
            remainder = shl(&remainder, 1, wide);
            remainder[0] |= u64::from(bit(a, at));
            if !ult(&remainder, &divisor) {
                remainder = sub(&remainder, &divisor, wide);
                quotient[(at / 64) as usize] |= 1 << (at % 64);
            }
        }
        (quotient, resize(remainder, width))
    }

    #[test]
    fn division_by_digits_is_division_by_bits() {
        let mut random = fastrand::Rng::with_seed(1);
        for round in 0..3_000 {
            let width = 65 + random.u32(..400);
            // Limbs that make guesses wrong are among them: all ones, zero, the highest bit.
            let mut number = |bits: u32| {
                let limbs = (0..limb_count(width)).map(|_| match random.u32(..8) {
                    0 => 0,
                    1 => u64::MAX,
                    2 => 1 << 63,
                    3 => (1 << 63) - 1,
                    _ => random.u64(..),
                });
                resize(resize(limbs.collect(), bits.clamp(1, width)), width)
            };
            let (a, b) = (number(width), number(1 + round % width));
            if !is_zero(&b) {
                let found = divide(&a, &b, width);
                assert_eq!(found, divide_by_bits(&a, &b, width), "{a:x?} by {b:x?}");
            }
        }
    }
}

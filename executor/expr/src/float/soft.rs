//! Exact arithmetic on the floating-point formats that Rust's types do not have: half, bfloat, x87
//! extended and quad, and of all formats in other rounding modes than to nearest, with exceptions.
//!
//! A finite number is unpacked to a significand with its highest bit at bit 127. The formats have
//! at most 113 significant bits, so that at least 14 bits below them are left for exact rounding;
//! what is shifted out below is remembered in the lowest bit.

use super::wide::Wide;
use super::{Exceptions, FloatFormat, Rounding};
use std::cmp::Ordering;

/// An unpacked number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Soft {
    /// Not a number, with its sign.
    Nan(bool),
    /// Infinite, negative or not.
    Infinite(bool),
    /// Zero, negative or not.
    Zero(bool),
    /// `significand / 2^127 * 2^exponent`.
    Finite {
        /// Whether it is negative.
        negative: bool,
        /// The exponent of the highest bit.
        exponent: i32,
        /// The significand; bit 127 is set.
        significand: u128,
    },
}

/// `value` shifted right, with the lowest bit set if a set bit was lost.
pub(super) fn jam(value: u128, by: u32) -> u128 {
    match by {
        0 => value,
        1..=127 => (value >> by) | u128::from(value << (128 - by) != 0),
        _ => u128::from(value != 0),
    }
}

impl Soft {
    /// The number behind a bit pattern.
    pub(super) fn unpack(format: FloatFormat, pattern: u128) -> Self {
        let (exponent, fraction) = (format.exponent_bits(), format.fraction_bits());
        let (stored, explicit) = (format.stored_bits(), format.is_explicit());
        let negative = pattern >> (stored + exponent) & 1 == 1;
        let biased = (pattern >> stored) & ((1 << exponent) - 1);
        let bias = (1i32 << (exponent - 1)) - 1;
        let bits = pattern & ((1u128 << fraction) - 1);
        if explicit && biased != 0 && pattern >> fraction & 1 == 0 {
            return Soft::Nan(negative);
        }
        if biased == (1 << exponent) - 1 {
            return if bits == 0 {
                Soft::Infinite(negative)
            } else {
                Soft::Nan(negative)
            };
        }
        let hidden = if explicit {
            pattern >> fraction & 1
        } else {
            u128::from(biased != 0)
        };
        let significand = hidden << fraction | bits;
        let first = (biased.max(1)) as i32 - bias;
        Self::normal(negative, first + 127 - fraction as i32, significand)
    }

    /// `significand / 2^127 * 2^exponent`, normalised.
    pub(super) fn normal(negative: bool, exponent: i32, significand: u128) -> Self {
        if significand == 0 {
            return Soft::Zero(negative);
        }
        let shift = significand.leading_zeros();
        Soft::Finite {
            negative,
            exponent: exponent - shift as i32,
            significand: significand << shift,
        }
    }

    /// The bit pattern of the nearest number of a format.
    pub(super) fn pack(self, format: FloatFormat) -> u128 {
        self.round_to(format, Rounding::NearestEven).0
    }

    /// The bit pattern of the number of a format that a rounding mode takes, and the exceptions
    /// that this raises. A result is tiny, as x86-64 has it, if it is so after rounding to the
    /// precision of the format.
    pub(super) fn round_to(self, format: FloatFormat, rounding: Rounding) -> (u128, Exceptions) {
        let (width, fraction) = (format.exponent_bits(), format.fraction_bits());
        let (stored, explicit) = (format.stored_bits(), format.is_explicit());
        let sign = |negative: bool| u128::from(negative) << (stored + width);
        let special = format.infinity();
        let none = Exceptions::default();
        let (negative, exponent, significand) = match self {
            Soft::Nan(negative) => {
                return (sign(negative) | special | 1 << (fraction - 1), none);
            }
            Soft::Infinite(negative) => return (sign(negative) | special, none),
            Soft::Zero(negative) => return (sign(negative), none),
            Soft::Finite {
                negative,
                exponent,
                significand,
            } => (negative, exponent, significand),
        };
        let bias = (1i32 << (width - 1)) - 1;
        let least = 1 - bias;
        let cut = 127 - fraction;
        // The significand cut behind the last bit, rounded; whether anything was cut off.
        let round = |kept: u128| {
            let (down, rest) = (kept >> cut, kept & ((1u128 << cut) - 1));
            let half = 1u128 << (cut - 1);
            let up = match rounding {
                Rounding::NearestEven => rest > half || rest == half && down & 1 == 1,
                Rounding::NearestAway => rest >= half,
                Rounding::Zero => false,
                Rounding::Down => negative && rest != 0,
                Rounding::Up => !negative && rest != 0,
            };
            (down + u128::from(up), rest != 0)
        };
        // Below the least normal exponent, bits are lost to keep the exponent there.
        let lost = (least - exponent).max(0) as u32;
        let (mut rounded, inexact) = round(jam(significand, lost.min(200)));
        let mut biased = if lost > 0 { 1 } else { exponent + bias };
        if rounded >> (fraction + 1) != 0 {
            rounded >>= 1;
            biased += 1;
        }
        if rounded >> fraction == 0 {
            biased = 0;
        }
        if biased >= (1 << width) - 1 {
            let infinite = match rounding {
                Rounding::NearestEven | Rounding::NearestAway => true,
                Rounding::Zero => false,
                Rounding::Down => negative,
                Rounding::Up => !negative,
            };
            let greatest = ((1u128 << width) - 2) << stored | ((1 << stored) - 1);
            let pattern = if infinite { special } else { greatest };
            return (
                sign(negative) | pattern,
                Exceptions::OVERFLOW | Exceptions::INEXACT,
            );
        }
        let tiny = lost > 1 || lost == 1 && round(significand).0 >> (fraction + 1) == 0;
        let mut raised = none;
        if inexact {
            raised |= Exceptions::INEXACT;
        }
        if inexact && tiny {
            raised |= Exceptions::UNDERFLOW;
        }
        let fraction_bits = if explicit {
            rounded
        } else {
            rounded & ((1 << fraction) - 1)
        };
        (
            sign(negative) | (biased as u128) << stored | fraction_bits,
            raised,
        )
    }

    fn negative(self) -> bool {
        match self {
            Soft::Nan(negative) | Soft::Infinite(negative) | Soft::Zero(negative) => negative,
            Soft::Finite { negative, .. } => negative,
        }
    }

    /// Exponent and significand, if it is finite and not zero.
    fn finite(self) -> Option<(i32, u128)> {
        match self {
            Soft::Finite {
                exponent,
                significand,
                ..
            } => Some((exponent, significand)),
            _ => None,
        }
    }

    /// The number with the other sign.
    pub(super) fn opposite(self) -> Self {
        match self {
            Soft::Nan(negative) => Soft::Nan(!negative),
            Soft::Infinite(negative) => Soft::Infinite(!negative),
            Soft::Zero(negative) => Soft::Zero(!negative),
            Soft::Finite {
                negative,
                exponent,
                significand,
            } => Soft::Finite {
                negative: !negative,
                exponent,
                significand,
            },
        }
    }

    /// The sum, to be rounded to nearest.
    pub(super) fn add(self, other: Self) -> Self {
        self.add_in(other, Rounding::NearestEven)
    }

    /// The sum, to be rounded in a mode: rounded down, a difference of equal numbers is -0.
    pub(super) fn add_in(self, other: Self, rounding: Rounding) -> Self {
        let down = rounding == Rounding::Down;
        match (self, other) {
            (Soft::Nan(_), _) => self,
            (_, Soft::Nan(_)) => other,
            (Soft::Infinite(a), Soft::Infinite(b)) if a != b => Soft::Nan(true),
            (Soft::Infinite(_), _) => self,
            (_, Soft::Infinite(_)) => other,
            (Soft::Zero(a), Soft::Zero(b)) => Soft::Zero(a && b || down && (a || b)),
            (Soft::Zero(_), _) => other,
            (_, Soft::Zero(_)) => self,
            (
                Soft::Finite {
                    negative: s,
                    exponent: e,
                    significand: m,
                },
                Soft::Finite {
                    negative: t,
                    exponent: f,
                    significand: n,
                },
            ) => {
                let top = e.max(f);
                // Two bits of room above for the carry; they are free below.
                let a = jam(m, (top - e) as u32 + 2);
                let b = jam(n, (top - f) as u32 + 2);
                if s == t {
                    return Self::normal(s, top + 2, a + b);
                }
                match a.cmp(&b) {
                    Ordering::Equal => Soft::Zero(down),
                    Ordering::Greater => Self::normal(s, top + 2, a - b),
                    Ordering::Less => Self::normal(t, top + 2, b - a),
                }
            }
        }
    }

    /// The product.
    pub(super) fn mul(self, other: Self) -> Self {
        let negative = self.negative() != other.negative();
        match (self, other) {
            (Soft::Nan(_), _) => self,
            (_, Soft::Nan(_)) => other,
            (Soft::Infinite(_), Soft::Zero(_)) | (Soft::Zero(_), Soft::Infinite(_)) => {
                Soft::Nan(true)
            }
            (Soft::Infinite(_), _) | (_, Soft::Infinite(_)) => Soft::Infinite(negative),
            (Soft::Zero(_), _) | (_, Soft::Zero(_)) => Soft::Zero(negative),
            (
                Soft::Finite {
                    exponent: e,
                    significand: m,
                    ..
                },
                Soft::Finite {
                    exponent: f,
                    significand: n,
                    ..
                },
            ) => {
                let Wide(high, low) = Wide::product(m, n);
                // The low half only says whether the product is exact, unless a bit moves up.
                let (high, exponent) = if high >> 127 == 1 {
                    (high | u128::from(low != 0), e + f + 1)
                } else {
                    let up = high << 1 | low >> 127;
                    (up | u128::from(low << 1 != 0), e + f)
                };
                Self::normal(negative, exponent, high)
            }
        }
    }

    /// The product plus a third number, rounded once, in a mode.
    pub(super) fn mul_add(self, other: Self, third: Self, rounding: Rounding) -> Self {
        let negative = self.negative() != other.negative();
        let finite = (self.finite(), other.finite(), third.finite());
        let (Some((e, m)), Some((f, n)), Some((g, k))) = finite else {
            // Nothing is rounded twice.
            return self.mul(other).add_in(third, rounding);
        };
        let t = third.negative();
        // Both in 256 bits, of which the product takes at most 226: it loses bits only where the other
        // number is so much larger that they say no more than that they are there. Two bits of room
        // above are for the carry.
        let product = Wide::product(m, n);
        let top = (e + f + 1).max(g);
        let a = product.jam((top - (e + f + 1)) as u32 + 2);
        let b = Wide(k, 0).jam((top - g) as u32 + 2);
        if negative == t {
            return (a.plus(b)).normal(negative, top + 2);
        }
        match a.cmp(&b) {
            Ordering::Equal => Soft::Zero(rounding == Rounding::Down),
            Ordering::Greater => a.minus(b).normal(negative, top + 2),
            Ordering::Less => b.minus(a).normal(t, top + 2),
        }
    }

    /// The quotient.
    pub(super) fn div(self, other: Self) -> Self {
        let negative = self.negative() != other.negative();
        match (self, other) {
            (Soft::Nan(_), _) => self,
            (_, Soft::Nan(_)) => other,
            (Soft::Infinite(_), Soft::Infinite(_)) | (Soft::Zero(_), Soft::Zero(_)) => {
                Soft::Nan(true)
            }
            (Soft::Infinite(_), _) | (_, Soft::Zero(_)) => Soft::Infinite(negative),
            (Soft::Zero(_), _) | (_, Soft::Infinite(_)) => Soft::Zero(negative),
            (
                Soft::Finite {
                    exponent: e,
                    significand: m,
                    ..
                },
                Soft::Finite {
                    exponent: f,
                    significand: n,
                    ..
                },
            ) => {
                // Schoolbook division, one bit of the quotient at a time; the carry is bit 128.
                let (mut rest, mut carry, mut quotient) = (m, false, 0u128);
                for _ in 0..127 {
                    quotient <<= 1;
                    if carry || rest >= n {
                        rest = rest.wrapping_sub(n);
                        quotient |= 1;
                    }
                    carry = rest >> 127 == 1;
                    rest <<= 1;
                }
                let exact = rest == 0 && !carry;
                Self::normal(negative, e - f, quotient << 1 | u128::from(!exact))
            }
        }
    }

    /// The order of two numbers; `None` if one is not a number.
    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        let rank = |soft: Self| match soft {
            Soft::Nan(_) => None,
            Soft::Infinite(negative) => Some((i32::MAX, 0, negative)),
            Soft::Zero(_) => Some((i32::MIN, 0, false)),
            Soft::Finite {
                negative,
                exponent,
                significand,
            } => Some((exponent, significand, negative)),
        };
        let (a, b) = (rank(self)?, rank(other)?);
        let magnitude = (a.0, a.1).cmp(&(b.0, b.1));
        Some(match (a.2, b.2) {
            (false, false) => magnitude,
            (true, true) => magnitude.reverse(),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        })
    }

    /// An integer, exact before packing.
    pub(super) fn from_integer(negative: bool, magnitude: u128) -> Self {
        Self::normal(negative, 127, magnitude)
    }

    /// `2^exponent`.
    pub(super) fn power(exponent: u32) -> Self {
        Soft::Finite {
            negative: false,
            exponent: exponent as i32,
            significand: 1 << 127,
        }
    }

    /// The square root: one bit of the result at a time.
    pub(super) fn sqrt(self) -> Self {
        let Soft::Finite {
            negative: false,
            exponent,
            significand,
        } = self
        else {
            return match self {
                Soft::Infinite(true) | Soft::Finite { .. } => Soft::Nan(true),
                _ => self,
            };
        };
        // The significand has at most 113 bits, so 12 below them are free: as a number from 1 to 4
        // with an even exponent it keeps its highest bits at 124 and 125.
        let odd = exponent.rem_euclid(2);
        let (mut rest, mut root) = (significand >> (3 - odd), 0u128);
        let mut bit = 1u128 << 124;
        let (mut twice, mut step) = (0u128, bit);
        // Invariant: rest = radicand - root^2, scaled so that the next bit is subtracted in place.
        for _ in 0..120 {
            let trial = twice + step;
            if rest >= trial {
                rest -= trial;
                root |= bit;
                twice += 2 * step;
            }
            rest <<= 1;
            bit >>= 1;
            step >>= 1;
        }
        Self::normal(
            false,
            exponent.div_euclid(2) + 3,
            root | u128::from(rest != 0),
        )
    }

    /// The integral number next to it.
    pub(super) fn round(self, rounding: Rounding) -> Self {
        let Soft::Finite {
            negative,
            exponent,
            significand,
        } = self
        else {
            return self;
        };
        if exponent >= 127 {
            return self;
        }
        // Shifted so that bit 1 is one half and bit 0 whether there is anything below.
        let whole = if exponent < -1 {
            0
        } else {
            significand
                .checked_shr((127 - exponent) as u32)
                .unwrap_or(0)
        };
        let fraction = if exponent < -1 {
            1
        } else {
            let behind = significand.checked_shl((exponent + 1) as u32).unwrap_or(0);
            2 * (behind >> 127) + u128::from(behind << 1 != 0)
        };
        let up = match rounding {
            Rounding::Zero => false,
            Rounding::Down => negative && fraction != 0,
            Rounding::Up => !negative && fraction != 0,
            Rounding::NearestAway => fraction >= 2,
            Rounding::NearestEven => fraction == 3 || fraction == 2 && whole & 1 == 1,
        };
        match whole + u128::from(up) {
            0 => Soft::Zero(negative),
            magnitude => Self::from_integer(negative, magnitude),
        }
    }

    /// The integer part: its sign and magnitude; `None` if that does not fit in 128 bits.
    pub(super) fn to_integer(self) -> Option<(bool, u128)> {
        match self {
            Soft::Zero(_) => Some((false, 0)),
            Soft::Finite { exponent, .. } if exponent < 0 => Some((false, 0)),
            Soft::Finite {
                negative,
                exponent,
                significand,
            } if exponent <= 127 => Some((negative, significand >> (127 - exponent))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Soft;
    use crate::float::{FloatFormat, Rounding};

    /// Bit patterns at the edges of a format and pseudo-random ones.
    fn patterns() -> Vec<u64> {
        let mut list = vec![
            0,
            1,
            2,
            0x000f_ffff_ffff_ffff,
            0x0010_0000_0000_0000,
            0x3ff0_0000_0000_0000,
            0x3ff0_0000_0000_0001,
            0x7fef_ffff_ffff_ffff,
            0x7ff0_0000_0000_0000,
            0x4340_0000_0000_0000,
            0x3cb0_0000_0000_0000,
            0x3ca0_0000_0000_0000,
        ];
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..150 {
            let bits = random.u64(..);
            list.push(bits);
            // Exponents near each other, where addition cancels.
            list.push((bits & 0x800f_ffff_ffff_ffff) | 0x3fe0_0000_0000_0000);
        }
        let signs: Vec<u64> = list.iter().map(|pattern| pattern ^ (1 << 63)).collect();
        list.extend(signs);
        list
    }

    #[test]
    fn doubles_agree_with_the_machine() {
        let unpack = |bits: u64| Soft::unpack(FloatFormat::Double, u128::from(bits));
        let same = |soft: Soft, machine: f64, what: &str| {
            let packed = f64::from_bits(soft.pack(FloatFormat::Double) as u64);
            let equal =
                packed.to_bits() == machine.to_bits() || packed.is_nan() && machine.is_nan();
            assert!(equal, "{what}: {packed:e} is not {machine:e}");
        };
        let list = patterns();
        for &a in &list {
            let x = f64::from_bits(a);
            same(unpack(a), x, "identity");
            let single = unpack(a).pack(FloatFormat::Single) as u32;
            let machine = x as f32;
            assert!(single == machine.to_bits() || machine.is_nan());
            for &b in &list {
                let y = f64::from_bits(b);
                let what = format!("{x:e}, {y:e}");
                same(unpack(a).add(unpack(b)), x + y, &what);
                same(unpack(a).mul(unpack(b)), x * y, &what);
                same(unpack(a).div(unpack(b)), x / y, &what);
                assert_eq!(unpack(a).compare(unpack(b)), x.partial_cmp(&y));
            }
        }
    }

    #[test]
    fn fused_multiplication_agrees_with_the_machine() {
        let unpack = |bits: u64| Soft::unpack(FloatFormat::Double, u128::from(bits));
        let list = patterns();
        let mut random = fastrand::Rng::with_seed(2);
        for &a in &list {
            for &b in list.iter().step_by(3) {
                let (x, y) = (f64::from_bits(a), f64::from_bits(b));
                // Any number, and those that cancel the product to its last bits.
                let others = [list[random.usize(..list.len())], (-(x * y)).to_bits()];
                for c in others {
                    let machine = x.mul_add(y, f64::from_bits(c));
                    let soft = unpack(a).mul_add(unpack(b), unpack(c), Rounding::NearestEven);
                    let soft = f64::from_bits(soft.pack(FloatFormat::Double) as u64);
                    let equal =
                        soft.to_bits() == machine.to_bits() || soft.is_nan() && machine.is_nan();
                    assert!(equal, "{x:e} * {y:e} + {c:x}: {soft:e} is not {machine:e}");
                }
            }
        }
    }

    /// Products of integers, which are exact in 128 bits, plus an integer.
    #[test]
    fn fused_multiplication_of_wide_formats_is_rounded_once() {
        let mut random = fastrand::Rng::with_seed(3);
        for format in [FloatFormat::Extended, FloatFormat::Quad] {
            for _ in 0..20_000 {
                let bits = random.u32(20..62);
                let [a, b] = [0; 2].map(|_: u32| random.i64(..) >> (63 - bits));
                let product = i128::from(a) * i128::from(b);
                // Of any size, or such that little is left of the product.
                let c = match random.bool() {
                    true => i128::from(random.i64(..)),
                    false => ((-product >> 60 << 60) + i128::from(random.i8(..))) & !0xff,
                };
                let of = |value: i128| {
                    let soft = Soft::from_integer(value < 0, value.unsigned_abs());
                    Soft::unpack(format, soft.pack(format))
                };
                let third = of(c);
                let (negative, magnitude) = third.to_integer().expect("an integer");
                let c = magnitude as i128 * if negative { -1 } else { 1 };
                for rounding in [
                    Rounding::NearestEven,
                    Rounding::Down,
                    Rounding::Up,
                    Rounding::Zero,
                ] {
                    let sum = product + c;
                    let fused = of(i128::from(a)).mul_add(of(i128::from(b)), third, rounding);
                    let sum = Soft::from_integer(sum < 0, sum.unsigned_abs());
                    let (fused, sum) = (
                        fused.round_to(format, rounding),
                        sum.round_to(format, rounding),
                    );
                    // Of zeros, the sign is that of sums.
                    if magnitude != product.unsigned_abs() {
                        assert_eq!(fused, sum, "{a} * {b} + {c}, {rounding:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn singles_agree_with_the_machine() {
        let list = patterns();
        for &a in &list {
            for &b in list.iter().step_by(3) {
                let (x, y) = (f32::from_bits(a as u32), f32::from_bits((b >> 32) as u32));
                let unpack = |x: f32| Soft::unpack(FloatFormat::Single, u128::from(x.to_bits()));
                let product = unpack(x).mul(unpack(y)).pack(FloatFormat::Single) as u32;
                assert!(product == (x * y).to_bits() || (x * y).is_nan());
                let sum = unpack(x).add(unpack(y)).pack(FloatFormat::Single) as u32;
                assert!(sum == (x + y).to_bits() || (x + y).is_nan());
            }
        }
    }

    #[test]
    fn integers_go_there_and_back() {
        for kind in [
            FloatFormat::Extended,
            FloatFormat::Quad,
            FloatFormat::Double,
        ] {
            for value in [0i128, 1, -1, 7, 1 << 40, -(1 << 52) + 3, (1 << 53) - 1] {
                let soft = Soft::from_integer(value < 0, value.unsigned_abs());
                assert_eq!(
                    Soft::unpack(kind, soft.pack(kind)).to_integer(),
                    Some((value < 0, value.unsigned_abs()))
                );
            }
        }
        // 1.0 as x87 extended.
        let one = Soft::from_integer(false, 1).pack(FloatFormat::Extended);
        assert_eq!(one, 0x3fff_8000_0000_0000_0000);
    }
}

//! Floating-point operations on constants in any rounding mode, with the exceptions that they raise
//! on x86-64.

use super::fold::{change_nan, fold, is_nan, quiet, to_integer};
use super::soft::Soft;
use super::{FloatFormat, FloatOp, IntegerRange, Rounding};
use std::cmp::Ordering;
use std::ops::{BitOr, BitOrAssign};

/// A set of exceptions, with the bits of `MXCSR`, of the x87 status word and of `<fenv.h>`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exceptions(pub u8);

impl Exceptions {
    /// No result: 0/0, the root of -1, an operand that is a signalling NaN.
    pub const INVALID: Self = Self(1);
    /// An operand below the normal numbers.
    pub const DENORMAL: Self = Self(2);
    /// An exact infinite result of finite operands.
    pub const DIVIDE_BY_ZERO: Self = Self(4);
    /// A result above the greatest number.
    pub const OVERFLOW: Self = Self(8);
    /// An inexact result below the normal numbers.
    pub const UNDERFLOW: Self = Self(16);
    /// A rounded result.
    pub const INEXACT: Self = Self(32);
    /// All of them.
    pub const ALL: Self = Self(63);

    /// Those of both sets.
    #[must_use]
    pub const fn common(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those that an operation can raise.
    pub const fn of(op: FloatOp) -> Self {
        let rounded = 1 | 2 | 8 | 16 | 32;
        Self(match op {
            FloatOp::Div => rounded | 4,
            FloatOp::Eq | FloatOp::Lt | FloatOp::Le => 1 | 2,
            FloatOp::Sqrt => 1 | 2 | 32,
            FloatOp::Round(_) | FloatOp::ToSigned | FloatOp::ToUnsigned => 1 | 32,
            FloatOp::FromSigned | FloatOp::FromUnsigned => 8 | 32,
            _ => rounded,
        })
    }
}

impl BitOr for Exceptions {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Exceptions {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// Whether a pattern is below the normal numbers and not zero.
fn is_denormal(format: FloatFormat, pattern: u128) -> bool {
    let magnitude = pattern & ((1 << (format.bits() - 1)) - 1);
    magnitude != 0 && magnitude >> format.stored_bits() == 0
}

/// Whether a pattern is a signalling NaN, or invalid.
fn is_signalling(format: FloatFormat, pattern: u128) -> bool {
    let invalid = format.is_explicit() && pattern >> format.fraction_bits() & 1 == 0;
    is_nan(format, pattern) && (invalid || pattern & format.quiet_bit() == 0)
}

/// The value of an operation on patterns in a rounding mode, and the exceptions that it raises;
/// otherwise as [`fold`]. `Round` rounds as it says, and raises `INEXACT` if that changes the number.
pub fn fold_in(
    rounding: Rounding,
    op: FloatOp,
    format: FloatFormat,
    (from, to): (u32, u32),
    operands: [u128; 3],
) -> (u128, Exceptions) {
    let a = operands[0];
    if op.is_from_integer() {
        let unused = 128 - from;
        let signed = (a << unused) as i128 >> unused;
        let negative = op == FloatOp::FromSigned && signed < 0;
        let magnitude = if negative { signed.unsigned_abs() } else { a };
        return Soft::from_integer(negative, magnitude).round_to(format, rounding);
    }
    let used = &operands[..op.operands()];
    let mut raised = Exceptions::default();
    if used.iter().any(|&pattern| is_signalling(format, pattern)) {
        raised |= Exceptions::INVALID;
    }
    let nan = used
        .iter()
        .copied()
        .find(|&pattern| is_nan(format, pattern));
    if nan.is_none() && used.iter().any(|&pattern| is_denormal(format, pattern)) {
        raised |= Exceptions::DENORMAL;
    }
    match (op, nan) {
        (FloatOp::ToSigned | FloatOp::ToUnsigned, _) => {
            integer_in(format, a, op == FloatOp::ToSigned, to)
        }
        (FloatOp::Eq | FloatOp::Lt | FloatOp::Le, _) => {
            (fold(op, format, from, to, operands), raised)
        }
        (FloatOp::ToFormat(target), Some(nan)) => (change_nan(format, target, nan), raised),
        (_, Some(nan)) => (quiet(format, nan), raised),
        (FloatOp::Round(_), None) => {
            let result = fold(op, format, from, to, operands);
            let same = result == a;
            let raised = if same {
                Exceptions::default()
            } else {
                Exceptions::INEXACT
            };
            (result, raised)
        }
        (FloatOp::ToFormat(target), None) => {
            let (result, rounded) = Soft::unpack(format, a).round_to(target, rounding);
            (result, raised | rounded)
        }
        _ => {
            let (result, own) = arithmetic(rounding, op, format, operands);
            // What has no result, or an exact infinite one, is not looked at any further.
            let early = Exceptions::INVALID | Exceptions::DIVIDE_BY_ZERO;
            if own.common(early).is_empty() {
                (result, raised | own)
            } else {
                (result, own)
            }
        }
    }
}

/// An operation with a float result on numbers.
fn arithmetic(
    rounding: Rounding,
    op: FloatOp,
    format: FloatFormat,
    operands: [u128; 3],
) -> (u128, Exceptions) {
    let [a, b, c] = operands.map(|pattern| Soft::unpack(format, pattern));
    let result = match op {
        FloatOp::Add => a.add_in(b, rounding),
        FloatOp::Sub => a.add_in(b.opposite(), rounding),
        FloatOp::Mul => a.mul(b),
        FloatOp::Div => a.div(b),
        FloatOp::Fma => a.mul_add(b, c, rounding),
        FloatOp::Sqrt => a.sqrt(),
        _ => a,
    };
    if matches!(result, Soft::Nan(_)) {
        return (format.default_nan(), Exceptions::INVALID);
    }
    let divides = op == FloatOp::Div && matches!((a, b), (Soft::Finite { .. }, Soft::Zero(_)));
    let (pattern, mut raised) = result.round_to(format, rounding);
    if divides {
        raised |= Exceptions::DIVIDE_BY_ZERO;
    }
    (pattern, raised)
}

/// The integral part as an integer.
fn integer_in(format: FloatFormat, pattern: u128, signed: bool, width: u32) -> (u128, Exceptions) {
    let result = to_integer(format, pattern, signed, width);
    let range = IntegerRange::new(format, signed, width);
    let number = Soft::unpack(format, pattern);
    let low = number.compare(Soft::unpack(format, range.low));
    let above = low == Some(Ordering::Greater) || range.inclusive && low == Some(Ordering::Equal);
    let below = number.compare(Soft::unpack(format, range.high)) == Some(Ordering::Less);
    let raised = match (above && below, number == number.round(Rounding::Zero)) {
        (false, _) => Exceptions::INVALID,
        (true, false) => Exceptions::INEXACT,
        (true, true) => Exceptions::default(),
    };
    (result, raised)
}

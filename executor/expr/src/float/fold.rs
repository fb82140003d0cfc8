//! Floating-point operations on constants: single and double precision on the machine, the other
//! formats in [`super::soft`]; what is not a number by the rules of [`super`].

use super::soft::Soft;
use super::{FloatFormat, FloatOp, IntegerRange, Rounding};
use std::cmp::Ordering;

fn single(pattern: u128) -> f32 {
    f32::from_bits(pattern as u32)
}

fn double(pattern: u128) -> f64 {
    f64::from_bits(pattern as u64)
}

pub(super) fn is_nan(format: FloatFormat, pattern: u128) -> bool {
    match format {
        FloatFormat::Single => single(pattern).is_nan(),
        FloatFormat::Double => double(pattern).is_nan(),
        _ => matches!(Soft::unpack(format, pattern), Soft::Nan(_)),
    }
}

/// A NaN made quiet; of an invalid pattern the default NaN.
pub(super) fn quiet(format: FloatFormat, pattern: u128) -> u128 {
    let integer_bit = 1 << format.fraction_bits();
    if format.is_explicit() && pattern & integer_bit == 0 {
        return format.default_nan();
    }
    pattern | format.quiet_bit()
}

/// The value of an operation on patterns; unused operands are not looked at. `from` is the width
/// of the first operand, `to` that of the result.
pub fn fold(op: FloatOp, format: FloatFormat, from: u32, to: u32, operands: [u128; 3]) -> u128 {
    let [a, b, _] = operands;
    let ordering = |a, b| match format {
        FloatFormat::Single => single(a).partial_cmp(&single(b)),
        FloatFormat::Double => double(a).partial_cmp(&double(b)),
        _ => Soft::unpack(format, a).compare(Soft::unpack(format, b)),
    };
    match op {
        FloatOp::Eq => u128::from(ordering(a, b) == Some(Ordering::Equal)),
        FloatOp::Lt => u128::from(ordering(a, b) == Some(Ordering::Less)),
        FloatOp::Le => u128::from(matches!(
            ordering(a, b),
            Some(Ordering::Less | Ordering::Equal)
        )),
        FloatOp::ToFormat(target) => change(format, target, a),
        FloatOp::ToSigned => to_integer(format, a, true, to),
        FloatOp::ToUnsigned => to_integer(format, a, false, to),
        FloatOp::FromSigned | FloatOp::FromUnsigned => {
            let unused = 128 - from;
            let signed = (a << unused) as i128 >> unused;
            let negative = op == FloatOp::FromSigned && signed < 0;
            let magnitude = if negative { signed.unsigned_abs() } else { a };
            Soft::from_integer(negative, magnitude).pack(format)
        }
        _ => {
            let used = &operands[..op.operands()];
            if let Some(&nan) = used.iter().find(|&&pattern| is_nan(format, pattern)) {
                return quiet(format, nan);
            }
            let result = compute(op, format, operands);
            if is_nan(format, result) {
                format.default_nan()
            } else {
                result
            }
        }
    }
}

/// An operation with a float result on numbers.
fn compute(op: FloatOp, format: FloatFormat, [a, b, c]: [u128; 3]) -> u128 {
    macro_rules! machine {
        ($number:ident) => {{
            let (a, b, c) = ($number(a), $number(b), $number(c));
            u128::from(
                match op {
                    FloatOp::Add => a + b,
                    FloatOp::Sub => a - b,
                    FloatOp::Mul => a * b,
                    FloatOp::Div => a / b,
                    FloatOp::Fma => a.mul_add(b, c),
                    FloatOp::Sqrt => a.sqrt(),
                    FloatOp::Round(Rounding::NearestEven) => a.round_ties_even(),
                    FloatOp::Round(Rounding::NearestAway) => a.round(),
                    FloatOp::Round(Rounding::Zero) => a.trunc(),
                    FloatOp::Round(Rounding::Down) => a.floor(),
                    FloatOp::Round(Rounding::Up) => a.ceil(),
                    _ => a,
                }
                .to_bits(),
            )
        }};
    }
    match format {
        FloatFormat::Single => return machine!(single),
        FloatFormat::Double => return machine!(double),
        _ => {}
    }
    let unpack = |pattern| Soft::unpack(format, pattern);
    let (a, b, c) = (unpack(a), unpack(b), unpack(c));
    match op {
        FloatOp::Add => a.add(b),
        FloatOp::Sub => a.add(b.opposite()),
        FloatOp::Mul => a.mul(b),
        FloatOp::Div => a.div(b),
        FloatOp::Fma => a.mul_add(b, c, Rounding::NearestEven),
        FloatOp::Sqrt => a.sqrt(),
        FloatOp::Round(rounding) => a.round(rounding),
        _ => a,
    }
    .pack(format)
}

/// The pattern in another format.
fn change(from: FloatFormat, to: FloatFormat, pattern: u128) -> u128 {
    if is_nan(from, pattern) {
        return change_nan(from, to, pattern);
    }
    match (from, to) {
        (FloatFormat::Single, FloatFormat::Double) => {
            u128::from(f64::from(single(pattern)).to_bits())
        }
        (FloatFormat::Double, FloatFormat::Single) => {
            u128::from((double(pattern) as f32).to_bits())
        }
        _ => Soft::unpack(from, pattern).pack(to),
    }
}

/// The pattern of a NaN in another format.
pub(super) fn change_nan(from: FloatFormat, to: FloatFormat, pattern: u128) -> u128 {
    let pattern = quiet(from, pattern);
    let sign = pattern >> (from.bits() - 1) << (to.bits() - 1);
    let payload = pattern & ((1 << from.fraction_bits()) - 1);
    let (before, after) = (from.fraction_bits(), to.fraction_bits());
    let payload = if after >= before {
        payload << (after - before)
    } else {
        payload >> (before - after)
    };
    sign | to.infinity() | payload
}

pub(super) fn to_integer(format: FloatFormat, pattern: u128, signed: bool, width: u32) -> u128 {
    let mask = u128::MAX >> (128 - width);
    let range = IntegerRange::new(format, signed, width);
    let number = Soft::unpack(format, pattern);
    let low = number.compare(Soft::unpack(format, range.low));
    let above = low == Some(Ordering::Greater) || range.inclusive && low == Some(Ordering::Equal);
    let below = number.compare(Soft::unpack(format, range.high)) == Some(Ordering::Less);
    match number.to_integer() {
        Some((negative, magnitude)) if above && below => {
            let value = if negative {
                magnitude.wrapping_neg()
            } else {
                magnitude
            };
            value & mask
        }
        _ => 1 << (width - 1),
    }
}

//! Divisions by constants: `a = q * c + r` with `r < c`, at the width that the values need. Every
//! `a` has exactly one such `q` and `r`, so the definition excludes no input.

use ::z3::ast::{BV, Bool};
use plat_expr::{BinaryOp, ExprId, Pool, mask, signed as signed_value};

use super::operators::{extract, widen};
use super::terms::{Definition, Names};

/// A division with its defining constraint.
pub(super) struct Division {
    pub quotient: BV,
    pub remainder: BV,
    pub definition: Bool,
}

/// The definition of a division, if it is by a constant other than 0 and at most 64 bits wide.
pub(super) fn definition(pool: &Pool, op: BinaryOp, a: ExprId, b: ExprId) -> Option<Definition> {
    let signed = match op {
        BinaryOp::UDiv | BinaryOp::URem => false,
        BinaryOp::SDiv | BinaryOp::SRem => true,
        _ => return None,
    };
    let width = pool.width(a);
    let by = pool.as_u64(b)?;
    (by != 0 && (2..=64).contains(&width)).then_some(Definition::Division {
        of: a,
        by: b,
        signed,
    })
}

/// The number of bits that `value` needs, at least one.
fn bits(value: u64) -> u32 {
    (64 - value.leading_zeros()).max(1)
}

/// Translates the division of `a`, whose term is `dividend`, by the constant `b`.
pub(super) fn translate(
    pool: &Pool,
    names: &mut Names,
    dividend: &BV,
    (a, b): (ExprId, ExprId),
    signed: bool,
) -> Division {
    let (width, by) = (pool.width(a), pool.as_u64(b).unwrap_or(1));
    if !signed {
        return unsigned(names, dividend, width, pool.range(a).1, by);
    }
    let zero = BV::from_u64(0, width);
    let negative = dividend.bvslt(&zero);
    let magnitude = negative.ite(&zero.bvsub(dividend), dividend);
    let by_signed = signed_value(by, width);
    let by = by_signed.unsigned_abs() & mask(width);
    let made = unsigned(names, &magnitude, width, 1 << (width - 1), by);
    let minus_quotient = zero.bvsub(&made.quotient);
    let minus_remainder = zero.bvsub(&made.remainder);
    let (if_negative, if_positive) = if by_signed < 0 {
        (&made.quotient, &minus_quotient)
    } else {
        (&minus_quotient, &made.quotient)
    };
    Division {
        quotient: negative.ite(if_negative, if_positive),
        remainder: negative.ite(&minus_remainder, &made.remainder),
        definition: made.definition,
    }
}

/// The division of a term that is at most `greatest`.
fn unsigned(names: &mut Names, dividend: &BV, width: u32, greatest: u64, by: u64) -> Division {
    let needed = bits(greatest).min(width);
    let (top_quotient, top_remainder) = (greatest / by, (by - 1).min(greatest));
    let (quotient_bits, remainder_bits) = (bits(top_quotient), bits(top_remainder));
    let quotient = names.vector(quotient_bits);
    let remainder = names.vector(remainder_bits);
    // One more bit, so that product plus remainder does not wrap around.
    let wide = needed + 1;
    let left = extract(dividend, 0, needed).zero_ext(1);
    let product = widen(&quotient, quotient_bits, wide).bvmul(BV::from_u64(by, wide));
    let sum = product.bvadd(widen(&remainder, remainder_bits, wide));
    let mut definition = left.eq(&sum);
    for (variable, bits, top) in [
        (&quotient, quotient_bits, top_quotient),
        (&remainder, remainder_bits, top_remainder),
    ] {
        if top < mask(bits) {
            let within = variable.bvult(BV::from_u64(top + 1, bits));
            definition = Bool::and(&[definition, within]);
        }
    }
    Division {
        quotient: widen(&quotient, quotient_bits, width),
        remainder: widen(&remainder, remainder_bits, width),
        definition,
    }
}

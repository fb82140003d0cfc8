//! Divisions by constants: `a = q * c + r` with `r < c`, at the width that the values need. There
//! is exactly one such `q` and `r` for every `a`, so the definition excludes no input.

use plat_expr::{BinaryOp, CompareOp, ExprId, Pool, mask, signed as signed_value};

use super::context::{Context, Made, Term};
use super::terms::Definition;

/// The variables of a division.
pub(super) struct Division {
    pub quotient: Term,
    pub remainder: Term,
    pub definition: Term,
}

/// The definition of a division, if it is one by a constant that pays.
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

/// The bits that hold `value`, at least one.
fn bits(value: u64) -> u32 {
    (64 - value.leading_zeros()).max(1)
}

/// Variables and definition of the division of `dividend`, the term of the first expression, by
/// the second, a constant.
pub(super) fn translate(
    pool: &Pool,
    context: &mut Context,
    dividend: Term,
    (a, b): (ExprId, ExprId),
    signed: bool,
) -> Made<Division> {
    let (width, by) = (pool.width(a), pool.as_u64(b).unwrap_or(1));
    if !signed {
        return unsigned(context, dividend, width, pool.range(a).1, by);
    }
    let zero = context.constant(width, &[0])?;
    let negative = context.compare(CompareOp::Slt, dividend, zero)?;
    let opposite = context.binary(BinaryOp::Sub, zero, dividend)?;
    let magnitude = context.ite(negative, opposite, dividend)?;
    let by_signed = signed_value(by, width);
    let by = by_signed.unsigned_abs() & mask(width);
    let made = unsigned(context, magnitude, width, 1 << (width - 1), by)?;
    let minus_quotient = context.binary(BinaryOp::Sub, zero, made.quotient)?;
    let minus_remainder = context.binary(BinaryOp::Sub, zero, made.remainder)?;
    let (if_negative, if_positive) = if by_signed < 0 {
        (made.quotient, minus_quotient)
    } else {
        (minus_quotient, made.quotient)
    };
    Ok(Division {
        quotient: context.ite(negative, if_negative, if_positive)?,
        remainder: context.ite(negative, minus_remainder, made.remainder)?,
        definition: made.definition,
    })
}

/// The division of a term that is at most `greatest`.
fn unsigned(
    context: &mut Context,
    dividend: Term,
    width: u32,
    greatest: u64,
    by: u64,
) -> Made<Division> {
    let needed = bits(greatest).min(width);
    let (top_quotient, top_remainder) = (greatest / by, (by - 1).min(greatest));
    let (quotient_bits, remainder_bits) = (bits(top_quotient), bits(top_remainder));
    let quotient = context.variable(quotient_bits)?;
    let remainder = context.variable(remainder_bits)?;
    // One bit more, so that the sum of product and remainder does not wrap around.
    let wide = needed + 1;
    let cut = context.extract(dividend, 0, needed)?;
    let left = context.zero_extend(cut, 1)?;
    let wide_quotient = widen(context, quotient, quotient_bits, wide)?;
    let wide_remainder = widen(context, remainder, remainder_bits, wide)?;
    let factor = if needed >= 64 {
        let low = context.constant(64, &[by])?;
        context.zero_extend(low, 1)?
    } else {
        context.constant(wide, &[by])?
    };
    let product = context.binary(BinaryOp::Mul, wide_quotient, factor)?;
    let sum = context.binary(BinaryOp::Add, product, wide_remainder)?;
    let mut definition = context.compare(CompareOp::Eq, left, sum)?;
    for (variable, bits, top) in [
        (quotient, quotient_bits, top_quotient),
        (remainder, remainder_bits, top_remainder),
    ] {
        if top < mask(bits) {
            let bound = context.constant(bits, &[top + 1])?;
            let within = context.compare(CompareOp::Ult, variable, bound)?;
            definition = context.logical(BinaryOp::And, definition, within)?;
        }
    }
    Ok(Division {
        quotient: widen(context, quotient, quotient_bits, width)?,
        remainder: widen(context, remainder, remainder_bits, width)?,
        definition,
    })
}

fn widen(context: &mut Context, term: Term, from: u32, width: u32) -> Made<Term> {
    if from == width {
        Ok(term)
    } else {
        context.zero_extend(term, width - from)
    }
}

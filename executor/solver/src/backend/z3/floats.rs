//! Floating-point nodes as Z3 terms. A node that is a float has two: of the floating-point sort,
//! which other operations use, and its bits. Z3's own function to bits leaves those of a NaN open;
//! here they are the ones that [`plat_expr::FloatOp`] states, so that every model evaluates.

use plat_expr::{BinaryOp, CompareOp, ExprId, FloatFormat, FloatOp, IntegerRange, Node, Pool};

use super::context::{Context, Made, Term};
use super::terms::Terms;

fn limbs(value: u128) -> [u64; 2] {
    [value as u64, (value >> 64) as u64]
}

fn pattern(context: &mut Context, width: u32, value: u128) -> Made<Term> {
    let count = width.div_ceil(64) as usize;
    context.constant(width, &limbs(value)[..count])
}

/// Whether one bit of a vector is set.
fn is_set(context: &mut Context, vector: Term, bit: u32) -> Made<Term> {
    let (digit, one) = (context.extract(vector, bit, 1)?, context.constant(1, &[1])?);
    context.compare(CompareOp::Eq, digit, one)
}

/// The float behind a pattern.
fn decode(context: &mut Context, format: FloatFormat, bits: Term) -> Made<Term> {
    if !format.is_explicit() {
        return context.float_of_bits(format, bits);
    }
    let (fraction_bits, exponent_bits) = (format.fraction_bits(), format.exponent_bits());
    let fraction = context.extract(bits, 0, fraction_bits)?;
    let exponent = context.extract(bits, fraction_bits + 1, exponent_bits)?;
    let sign = context.extract(bits, format.bits() - 1, 1)?;
    let integer = is_set(context, bits, fraction_bits)?;
    let (zero, one) = (
        context.constant(exponent_bits, &[0])?,
        context.constant(exponent_bits, &[1])?,
    );
    let least = context.compare(CompareOp::Eq, exponent, zero)?;
    // A number with an integer bit and the exponent 0 has the exponent 1.
    let first = context.ite(integer, one, zero)?;
    let exponent = context.ite(least, first, exponent)?;
    let number = context.float_of_parts(sign, exponent, fraction)?;
    let valid = context.logical(BinaryOp::Or, integer, least)?;
    let nan = context.float_nan(format)?;
    context.ite(valid, number, nan)
}

/// The pattern of a float that is no NaN.
fn encode(context: &mut Context, format: FloatFormat, float: Term) -> Made<Term> {
    let bits = context.float_bits(float)?;
    if !format.is_explicit() {
        return Ok(bits);
    }
    let (fraction_bits, exponent_bits) = (format.fraction_bits(), format.exponent_bits());
    let fraction = context.extract(bits, 0, fraction_bits)?;
    let above = context.extract(bits, fraction_bits, exponent_bits + 1)?;
    let exponent = context.extract(bits, fraction_bits, exponent_bits)?;
    let zero = context.constant(exponent_bits, &[0])?;
    let least = context.compare(CompareOp::Eq, exponent, zero)?;
    let (no, yes) = (context.constant(1, &[0])?, context.constant(1, &[1])?);
    let integer = context.ite(least, no, yes)?;
    let low = context.concat(integer, fraction)?;
    context.concat(above, low)
}

/// A NaN made quiet.
fn quiet(context: &mut Context, format: FloatFormat, bits: Term) -> Made<Term> {
    let bit = pattern(context, format.bits(), format.quiet_bit())?;
    let quiet = context.binary(BinaryOp::Or, bits, bit)?;
    if !format.is_explicit() {
        return Ok(quiet);
    }
    let valid = is_set(context, bits, format.fraction_bits())?;
    let default = pattern(context, format.bits(), format.default_nan())?;
    context.ite(valid, quiet, default)
}

/// A quiet NaN in another format.
fn change(context: &mut Context, from: FloatFormat, to: FloatFormat, nan: Term) -> Made<Term> {
    let (before, after) = (from.fraction_bits(), to.fraction_bits());
    let payload = if after > before {
        let payload = context.extract(nan, 0, before)?;
        let zeros = pattern(context, after - before, 0)?;
        context.concat(payload, zeros)?
    } else {
        context.extract(nan, before - after, after)?
    };
    let sign = context.extract(nan, from.bits() - 1, 1)?;
    let middle = pattern(context, to.bits() - 1 - after, to.infinity() >> after)?;
    let upper = context.concat(sign, middle)?;
    context.concat(upper, payload)
}

impl Terms {
    /// An expression as a float of a format; its bits have a term.
    fn number(
        &mut self,
        pool: &Pool,
        context: &mut Context,
        format: FloatFormat,
        e: ExprId,
    ) -> Made<Term> {
        if let Some(&known) = self.floats.get(&(e, format)) {
            return Ok(known);
        }
        let chosen = match pool.node(e) {
            Node::Ite(c, a, b) => self.choice(pool, context, format, c, a, b)?,
            _ => None,
        };
        let float = match chosen {
            Some(float) => float,
            None => {
                let bits = self.vector(pool, context, e)?;
                decode(context, format, bits)?
            }
        };
        self.floats.insert((e, format), float);
        Ok(float)
    }

    /// A choice between two that were read as floats before.
    fn choice(
        &mut self,
        pool: &Pool,
        context: &mut Context,
        format: FloatFormat,
        c: ExprId,
        a: ExprId,
        b: ExprId,
    ) -> Made<Option<Term>> {
        let known = |e| pool.is_constant(e) || self.floats.contains_key(&(e, format));
        if !known(a) || !known(b) {
            return Ok(None);
        }
        let a = self.number(pool, context, format, a)?;
        let b = self.number(pool, context, format, b)?;
        let c = self.get(c)?;
        context.ite(c, a, b).map(Some)
    }

    /// Translates a floating-point node whose operands have terms: to its bits, or to a truth
    /// value.
    pub(super) fn float(
        &mut self,
        pool: &Pool,
        context: &mut Context,
        e: ExprId,
        op: FloatOp,
        format: FloatFormat,
        operands: &[ExprId],
    ) -> Made<Term> {
        if op.is_from_integer() {
            let integer = self.vector(pool, context, operands[0])?;
            let signed = op == FloatOp::FromSigned;
            let float = context.float_of_integer(format, integer, signed)?;
            self.floats.insert((e, format), float);
            return encode(context, format, float);
        }
        let mut numbers = Vec::with_capacity(operands.len());
        for &operand in operands {
            numbers.push(self.number(pool, context, format, operand)?);
        }
        if matches!(op, FloatOp::ToSigned | FloatOp::ToUnsigned) {
            let signed = op == FloatOp::ToSigned;
            return integer(context, format, numbers[0], signed, pool.width(e));
        }
        let float = context.float(op, format, &numbers)?;
        let Some(result) = op.result(format) else {
            return Ok(float);
        };
        self.floats.insert((e, result), float);
        let mut nan = pattern(context, result.bits(), result.default_nan())?;
        for (&operand, &number) in operands.iter().zip(&numbers).rev() {
            let bits = self.vector(pool, context, operand)?;
            let mut own = quiet(context, format, bits)?;
            if let FloatOp::ToFormat(to) = op {
                own = change(context, format, to, own)?;
            }
            let is_nan = context.float_is_nan(number)?;
            nan = context.ite(is_nan, own, nan)?;
        }
        let bits = encode(context, result, float)?;
        let is_nan = context.float_is_nan(float)?;
        context.ite(is_nan, nan, bits)
    }
}

/// The integral part of a float, or the value that stands for numbers that do not fit.
fn integer(
    context: &mut Context,
    format: FloatFormat,
    float: Term,
    signed: bool,
    width: u32,
) -> Made<Term> {
    let range = IntegerRange::new(format, signed, width);
    let mut bound = |value| {
        let bits = pattern(context, format.bits(), value)?;
        decode(context, format, bits)
    };
    let (low, high) = (bound(range.low)?, bound(range.high)?);
    let order = if range.inclusive {
        FloatOp::Le
    } else {
        FloatOp::Lt
    };
    let above = context.float(order, format, &[low, float])?;
    let below = context.float(FloatOp::Lt, format, &[float, high])?;
    let fits = context.logical(BinaryOp::And, above, below)?;
    // Z3 4.8 fails to make conversions to one bit.
    let wide = width.max(8);
    let mut value = context.float_to_integer(float, signed, wide)?;
    if wide > width {
        value = context.extract(value, 0, width)?;
    }
    let other = pattern(context, width, 1 << (width - 1))?;
    context.ite(fits, value, other)
}

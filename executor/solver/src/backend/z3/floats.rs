//! Floating-point nodes as Z3 terms. A float node has two terms: one of the floating-point sort,
//! for operations on it, and its bits. Z3 leaves the bits of a NaN unspecified; here they are
//! defined as in [`plat_expr::FloatOp`], so that models agree with evaluation.

use ::z3::Sort;
use ::z3::ast::{BV, Bool, Float, RoundingMode};
use plat_expr::{ExprId, FloatFormat, FloatOp, IntegerRange, Node, Pool, Rounding};

use super::conversions::Conversions;
use super::operators::{constant, extract, is_set};
use super::terms::{Failure, Made, Terms};

/// The sort of a format.
fn sort(format: FloatFormat) -> Sort {
    Sort::float(format.exponent_bits(), format.fraction_bits() + 1)
}

fn rounding_mode(rounding: Rounding) -> RoundingMode {
    match rounding {
        Rounding::NearestEven => RoundingMode::round_nearest_ties_to_even(),
        Rounding::NearestAway => RoundingMode::round_nearest_ties_to_away(),
        Rounding::Zero => RoundingMode::round_towards_zero(),
        Rounding::Down => RoundingMode::round_towards_negative(),
        Rounding::Up => RoundingMode::round_towards_positive(),
    }
}

/// A constant of at most 128 bits.
fn pattern(width: u32, value: u128) -> Made<BV> {
    let limbs = [value as u64, (value >> 64) as u64];
    let used = &limbs[..width.div_ceil(64) as usize];
    constant(width, used).ok_or_else(|| Failure("a pattern without bits".to_owned()))
}

/// The float with a bit pattern.
fn decode(conversions: &mut Conversions, format: FloatFormat, bits: &BV) -> Made<Float> {
    if !format.is_explicit() {
        return conversions.of_pattern(format, bits);
    }
    let (fraction_bits, exponent_bits) = (format.fraction_bits(), format.exponent_bits());
    let fraction = extract(bits, 0, fraction_bits);
    let exponent = extract(bits, fraction_bits + 1, exponent_bits);
    let sign = extract(bits, format.bits() - 1, 1);
    let integer = is_set(bits, fraction_bits);
    let (zero, one) = (
        BV::from_u64(0, exponent_bits),
        BV::from_u64(1, exponent_bits),
    );
    let least = exponent.eq(&zero);
    // With the integer bit set, the exponent 0 means 1.
    let first = integer.ite(&one, &zero);
    let exponent = least.ite(&first, &exponent);
    let number = conversions.of_parts(format, [&sign, &exponent, &fraction])?;
    let valid = Bool::or(&[integer, least]);
    Ok(valid.ite(&number, &Float::nan(&sort(format))))
}

/// The bit pattern of a float that is not a NaN.
fn encode(format: FloatFormat, float: &Float) -> BV {
    let bits = float.to_ieee_bv();
    if !format.is_explicit() {
        return bits;
    }
    let (fraction_bits, exponent_bits) = (format.fraction_bits(), format.exponent_bits());
    let fraction = extract(&bits, 0, fraction_bits);
    let above = extract(&bits, fraction_bits, exponent_bits + 1);
    let exponent = extract(&bits, fraction_bits, exponent_bits);
    let least = exponent.eq(BV::from_u64(0, exponent_bits));
    let integer = least.ite(&BV::from_u64(0, 1), &BV::from_u64(1, 1));
    above.concat(integer.concat(&fraction))
}

/// A NaN made quiet.
fn quiet(format: FloatFormat, bits: &BV) -> Made<BV> {
    let quiet = bits.bvor(pattern(format.bits(), format.quiet_bit())?);
    if !format.is_explicit() {
        return Ok(quiet);
    }
    let valid = is_set(bits, format.fraction_bits());
    let default = pattern(format.bits(), format.default_nan())?;
    Ok(valid.ite(&quiet, &default))
}

/// A quiet NaN in another format.
fn change(from: FloatFormat, to: FloatFormat, nan: &BV) -> Made<BV> {
    let (before, after) = (from.fraction_bits(), to.fraction_bits());
    let payload = if after > before {
        extract(nan, 0, before).concat(pattern(after - before, 0)?)
    } else {
        extract(nan, before - after, after)
    };
    let sign = extract(nan, from.bits() - 1, 1);
    let middle = pattern(to.bits() - 1 - after, to.infinity() >> after)?;
    Ok(sign.concat(middle).concat(payload))
}

/// An operation from floats to a float; none if it is another one.
fn calculate(op: FloatOp, operands: &[Float]) -> Option<Float> {
    let nearest = RoundingMode::round_nearest_ties_to_even();
    Some(match (op, operands) {
        (FloatOp::Add, [a, b]) => a.add_with_rounding_mode(b, &nearest),
        (FloatOp::Sub, [a, b]) => a.sub_with_rounding_mode(b, &nearest),
        (FloatOp::Mul, [a, b]) => a.mul_with_rounding_mode(b, &nearest),
        (FloatOp::Div, [a, b]) => a.div_with_rounding_mode(b, &nearest),
        (FloatOp::Fma, [a, b, c]) => a.fma_with_rounding_mode(b, c, &nearest),
        (FloatOp::Sqrt, [a]) => a.sqrt_with_rounding_mode(&nearest),
        (FloatOp::Round(rounding), [a]) => {
            a.round_to_integral_with_rounding_mode(&rounding_mode(rounding))
        }
        (FloatOp::ToFormat(to), [a]) => a.to_fp_with_rounding_mode(&nearest, &sort(to)),
        _ => return None,
    })
}

/// A comparison of floats; none if it is another operation.
fn compare(op: FloatOp, operands: &[Float]) -> Option<Bool> {
    Some(match (op, operands) {
        (FloatOp::Eq, [a, b]) => a.eq_fpa(b),
        (FloatOp::Lt, [a, b]) => a.lt(b),
        (FloatOp::Le, [a, b]) => a.le(b),
        _ => return None,
    })
}

impl Terms {
    /// An expression as a float of a format; its bits must have a term.
    fn number(&mut self, pool: &Pool, format: FloatFormat, e: ExprId) -> Made<Float> {
        if let Some(known) = self.floats.get(&(e, format)) {
            return Ok(known.clone());
        }
        let chosen = match pool.node(e) {
            Node::Ite(c, a, b) => self.float_ite(pool, format, c, a, b)?,
            _ => None,
        };
        let float = match chosen {
            Some(float) => float,
            None => {
                let bits = self.vector(pool, e)?;
                decode(&mut self.conversions, format, &bits)?
            }
        };
        self.floats.insert((e, format), float.clone());
        Ok(float)
    }

    /// An if-then-else of two expressions that have float terms already.
    fn float_ite(
        &mut self,
        pool: &Pool,
        format: FloatFormat,
        c: ExprId,
        a: ExprId,
        b: ExprId,
    ) -> Made<Option<Float>> {
        let known = |e| pool.is_constant(e) || self.floats.contains_key(&(e, format));
        if !known(a) || !known(b) {
            return Ok(None);
        }
        let a = self.number(pool, format, a)?;
        let b = self.number(pool, format, b)?;
        Ok(Some(self.truth(c)?.ite(&a, &b)))
    }

    fn numbers(
        &mut self,
        pool: &Pool,
        format: FloatFormat,
        operands: &[ExprId],
    ) -> Made<Vec<Float>> {
        let numbers = operands.iter().map(|&e| self.number(pool, format, e));
        numbers.collect()
    }

    /// Translates a comparison of floats whose operands have terms.
    pub(super) fn float_comparison(
        &mut self,
        pool: &Pool,
        op: FloatOp,
        format: FloatFormat,
        operands: &[ExprId],
    ) -> Made<Bool> {
        let numbers = self.numbers(pool, format, operands)?;
        compare(op, &numbers).ok_or_else(|| Failure("a comparison without operands".to_owned()))
    }

    /// Translates any other floating-point node whose operands have terms. Returns its bits.
    pub(super) fn float(
        &mut self,
        pool: &Pool,
        e: ExprId,
        op: FloatOp,
        format: FloatFormat,
        operands: &[ExprId],
    ) -> Made<BV> {
        if op.is_from_integer() {
            let integer = self.vector(pool, operands[0])?;
            let (width, signed) = (pool.width(operands[0]), op == FloatOp::FromSigned);
            let float = self
                .conversions
                .of_integer(format, &integer, width, signed)?;
            let bits = encode(format, &float);
            self.floats.insert((e, format), float);
            return Ok(bits);
        }
        let numbers = self.numbers(pool, format, operands)?;
        if matches!(op, FloatOp::ToSigned | FloatOp::ToUnsigned) {
            let signed = op == FloatOp::ToSigned;
            return self.integer(format, &numbers[0], signed, pool.width(e));
        }
        let calculated = calculate(op, &numbers).zip(op.result(format));
        let (float, result) =
            calculated.ok_or_else(|| Failure("no operation on floats".to_owned()))?;
        let mut nan = pattern(result.bits(), result.default_nan())?;
        for (&operand, number) in operands.iter().zip(&numbers).rev() {
            let mut own = quiet(format, &self.vector(pool, operand)?)?;
            if let FloatOp::ToFormat(to) = op {
                own = change(format, to, &own)?;
            }
            nan = number.is_nan().ite(&own, &nan);
        }
        let bits = float.is_nan().ite(&nan, &encode(result, &float));
        self.floats.insert((e, result), float);
        Ok(bits)
    }

    /// A float rounded towards zero to an integer, or the value for numbers out of range.
    fn integer(
        &mut self,
        format: FloatFormat,
        float: &Float,
        signed: bool,
        width: u32,
    ) -> Made<BV> {
        let range = IntegerRange::new(format, signed, width);
        let mut bound = |value| {
            let bits = pattern(format.bits(), value)?;
            decode(&mut self.conversions, format, &bits)
        };
        let (low, high) = (bound(range.low)?, bound(range.high)?);
        let above = match range.inclusive {
            true => low.le(float),
            false => low.lt(float),
        };
        let fits = Bool::and(&[above, float.lt(&high)]);
        // Z3 4.8 fails to make conversions to one bit.
        let wide = width.max(8);
        let rounding = RoundingMode::round_towards_zero();
        let mut value = match signed {
            true => float.to_sbv_with_rounding_mode(&rounding, wide),
            false => float.to_ubv_with_rounding_mode(&rounding, wide),
        };
        if wide > width {
            value = extract(&value, 0, width);
        }
        let other = pattern(width, 1 << (width - 1))?;
        Ok(fits.ite(&value, &other))
    }
}

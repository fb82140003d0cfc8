//! The remainder of floats (`frem`, `fmod`): what is left of the first when the second has been
//! taken away as often as it goes into it, which is always exact.
//!
//! Of numbers it is computed as such. There is no operation of expressions for it, and none of
//! solvers that takes less than minutes, as the quotient of two doubles may have 2,000 bits. Where
//! it has no more bits than a significand, four operations do: with `n` the integral part of the
//! rounded quotient, `x - n * y`, rounded once, is exact, and is the remainder, or that less `y`
//! where rounding made `n` one too great. Inputs with greater quotients end as a limit, except that
//! of a power of two, for which no rounding happens at all.

use crate::api::outcome::{Limit, PathEnd};
use crate::api::summary::ForkKind;
use crate::executor::Executor;
use crate::state::State;
use crate::state::float_environment::FloatEnvironment;
use crate::state::stop::{Step, unsupported};
use crate::step::float::{apply, both, constant, either, format, negation, operate, relation};
use crate::values;
use plat_expr::{Exceptions, FloatOp as Op, Rounding, Value, fold_float, fold_float_in};
use plat_program::{BinaryOp, FloatKind};

/// What a remainder is computed from.
struct Operands {
    kind: FloatKind,
    x: Value,
    y: Value,
}

impl Executor<'_> {
    /// The exceptions of a remainder, which is exact where it exists.
    fn raise_of_remainder(
        &mut self,
        state: &mut State,
        kind: FloatKind,
        (a, b): (Option<u128>, Option<u128>),
    ) -> Step<()> {
        let format = format(kind);
        let environment = &mut state.float;
        let (Some(a), Some(b)) = (a, b) else {
            // Those of a comparison: no result, and an operand below the normal numbers.
            return environment.symbolic(Op::Eq, kind, true);
        };
        // Infinity by anything, as anything by zero, has no remainder and no product with zero.
        let zero = 0;
        let size = (kind.bits(), kind.bits());
        let raised =
            |a, b| fold_float_in(Rounding::NearestEven, Op::Mul, format, size, [a, b, 0]).1;
        let magnitude = (1u128 << (kind.bits() - 1)) - 1;
        let mut all = raised(a, zero);
        if b & magnitude == 0 {
            all |= raised(format.infinity(), b);
        } else {
            let one = Op::FromUnsigned;
            let one = fold_float(one, format, 64, kind.bits(), [1, 0, 0]);
            all |= raised(b, one).common(Exceptions::INVALID);
        }
        environment.raise(kind, all)
    }

    /// `a % b` for scalars.
    pub(super) fn remainder(
        &mut self,
        state: &mut State,
        kind: FloatKind,
        a: Value,
        b: Value,
    ) -> Step<Value> {
        let mut apart = FloatEnvironment::default();
        let bits = kind.bits();
        let number = |exec: &Self, value| values::wide_number(&exec.pool, value);
        if self.system.float_flags || !state.float.is_plain() {
            self.raise_of_remainder(state, kind, (number(self, a), number(self, b)))?;
        }
        if let (Some(a), Some(b)) = (number(self, a), number(self, b)) {
            return apply(self, kind, &[a, b], &|list| list[0] % list[1], &|list| {
                list[0] % list[1]
            });
        }
        self.require_scalar(a)?;
        self.require_scalar(b)?;
        match kind {
            FloatKind::Single | FloatKind::Double => {}
            FloatKind::Half | FloatKind::BFloat => {
                let wide = Op::ToFormat(format(FloatKind::Single));
                let a = operate(self, &mut apart, wide, kind, &[a], (bits, 32))?;
                let b = operate(self, &mut apart, wide, kind, &[b], (bits, 32))?;
                let rest = self.remainder(state, FloatKind::Single, a, b)?;
                let narrow = Op::ToFormat(format(kind));
                return operate(
                    self,
                    &mut apart,
                    narrow,
                    FloatKind::Single,
                    &[rest],
                    (32, bits),
                );
            }
            FloatKind::X86Fp80 | FloatKind::Quad => {
                return unsupported("remainder of symbolic extended floats");
            }
        }
        let of = Operands { kind, x: a, y: b };
        let rest = match number(self, b).and_then(|pattern| reciprocal(kind, pattern)) {
            Some(reciprocal) => self.rest_of_power(&of, reciprocal)?,
            None => self.rest(state, &of)?,
        };
        self.special_cases(&of, rest)
    }

    /// The remainder of finite numbers by a power of two that is not below 1: dividing by it and
    /// multiplying by it rounds nothing that counts.
    fn rest_of_power(&mut self, of: &Operands, reciprocal: u128) -> Step<Value> {
        let mut apart = FloatEnvironment::default();
        let (kind, bits) = (of.kind, of.kind.bits());
        let reciprocal = constant(self, kind, reciprocal);
        let quotient = operate(
            self,
            &mut apart,
            Op::Mul,
            kind,
            &[of.x, reciprocal],
            (bits, bits),
        )?;
        let whole = self.truncated(kind, quotient)?;
        let taken = operate(
            self,
            &mut apart,
            Op::Mul,
            kind,
            &[whole, of.y],
            (bits, bits),
        )?;
        let rest = operate(
            self,
            &mut apart,
            Op::Sub,
            kind,
            &[of.x, taken],
            (bits, bits),
        )?;
        self.with_signed_zero(of, rest)
    }

    /// A float without its fraction.
    fn truncated(&mut self, kind: FloatKind, value: Value) -> Step<Value> {
        let mut apart = FloatEnvironment::default();
        let (op, bits) = (Op::Round(Rounding::Zero), kind.bits());
        operate(self, &mut apart, op, kind, &[value], (bits, bits))
    }

    /// The remainder of finite numbers. Inputs for which the quotient is too large for that end as
    /// a limit.
    fn rest(&mut self, state: &mut State, of: &Operands) -> Step<Value> {
        let mut apart = FloatEnvironment::default();
        let (kind, bits) = (of.kind, of.kind.bits());
        let quotient = operate(self, &mut apart, Op::Div, kind, &[of.x, of.y], (bits, bits))?;
        let large = fold_float(
            Op::FromUnsigned,
            format(kind),
            64,
            bits,
            [1 << format(kind).fraction_bits(), 0, 0],
        );
        let large = constant(self, kind, large);
        let magnitude = self.magnitude(kind, quotient);
        let beyond = relation(self, &mut apart, Op::Lt, kind, large, magnitude)?;
        // Of infinities and zeros it is known.
        let ordinary = self.ordinary(of)?;
        let beyond = both(self, beyond, ordinary);
        let beyond = values::condition(&mut self.pool, beyond);
        let end = PathEnd::Limit(
            Limit::Solver,
            "remainder of floats with a large quotient".into(),
        );
        self.end_if(state, ForkKind::Library, beyond, end)?;
        let whole = self.truncated(kind, quotient)?;
        let sign = constant(self, kind, 1 << (bits - 1));
        let less = values::binary(&mut self.pool, BinaryOp::Xor, bits, whole, sign);
        let rest = operate(
            self,
            &mut apart,
            Op::Fma,
            kind,
            &[less, of.y, of.x],
            (bits, bits),
        )?;
        // The sum of opposites is a positive zero, which is not beyond a negative first operand.
        let rest = self.with_signed_zero(of, rest)?;
        let back = self.with_sign(kind, of.y, of.x);
        let more = operate(self, &mut apart, Op::Add, kind, &[rest, back], (bits, bits))?;
        let signs = values::binary(&mut self.pool, BinaryOp::Xor, bits, rest, of.x);
        let beyond = values::extract(&mut self.pool, signs, bits, bits - 1, 1);
        Ok(values::select(&mut self.pool, bits, beyond, more, rest))
    }

    /// Whether both are finite and the divisor is not zero (1 bit).
    fn ordinary(&mut self, of: &Operands) -> Step<Value> {
        let mut apart = FloatEnvironment::default();
        let infinity = constant(self, of.kind, format(of.kind).infinity());
        let (x, y) = (self.magnitude(of.kind, of.x), self.magnitude(of.kind, of.y));
        let zero = constant(self, of.kind, 0);
        let first = relation(self, &mut apart, Op::Lt, of.kind, x, infinity)?;
        let second = relation(self, &mut apart, Op::Lt, of.kind, y, infinity)?;
        let third = relation(self, &mut apart, Op::Lt, of.kind, zero, y)?;
        let finite = both(self, first, second);
        Ok(both(self, finite, third))
    }

    /// The remainder, given that of finite numbers: NaN of a NaN, of an infinity, and by zero; of a
    /// number by an infinity itself.
    fn special_cases(&mut self, of: &Operands, rest: Value) -> Step<Value> {
        let mut apart = FloatEnvironment::default();
        let (kind, bits) = (of.kind, of.kind.bits());
        let zero = constant(self, kind, 0);
        let infinity = constant(self, kind, format(kind).infinity());
        let nan = constant(self, kind, format(kind).default_nan());
        let (x, y) = (self.magnitude(kind, of.x), self.magnitude(kind, of.y));
        let by_infinity = relation(self, &mut apart, Op::Eq, kind, y, infinity)?;
        let result = values::select(&mut self.pool, bits, by_infinity, of.x, rest);
        let of_infinity = relation(self, &mut apart, Op::Eq, kind, x, infinity)?;
        let by_zero = relation(self, &mut apart, Op::Eq, kind, y, zero)?;
        let invalid = either(self, of_infinity, by_zero);
        let result = values::select(&mut self.pool, bits, invalid, nan, result);
        let first = relation(self, &mut apart, Op::Eq, kind, x, x)?;
        let second = relation(self, &mut apart, Op::Eq, kind, y, y)?;
        let numbers = both(self, first, second);
        let not = negation(self, numbers);
        let propagated = operate(self, &mut apart, Op::Add, kind, &[of.x, of.y], (bits, bits))?;
        Ok(values::select(
            &mut self.pool,
            bits,
            not,
            propagated,
            result,
        ))
    }

    /// A remainder whose sign is that of the first operand if it is zero.
    fn with_signed_zero(&mut self, of: &Operands, rest: Value) -> Step<Value> {
        let mut apart = FloatEnvironment::default();
        let zero = constant(self, of.kind, 0);
        let nothing = relation(self, &mut apart, Op::Eq, of.kind, rest, zero)?;
        let signed = self.with_sign(of.kind, zero, of.x);
        let bits = of.kind.bits();
        Ok(values::select(&mut self.pool, bits, nothing, signed, rest))
    }

    fn magnitude(&mut self, kind: FloatKind, value: Value) -> Value {
        let kept = constant(self, kind, (1 << (kind.bits() - 1)) - 1);
        values::binary(&mut self.pool, BinaryOp::And, kind.bits(), value, kept)
    }

    /// A number with the sign of another.
    fn with_sign(&mut self, kind: FloatKind, number: Value, sign: Value) -> Value {
        let bits = kind.bits();
        let magnitude = self.magnitude(kind, number);
        let mask = constant(self, kind, 1 << (bits - 1));
        let sign = values::binary(&mut self.pool, BinaryOp::And, bits, sign, mask);
        values::binary(&mut self.pool, BinaryOp::Or, bits, magnitude, sign)
    }
}

/// The reciprocal of a power of two that is not below 1, if it is a normal number: both are exact.
fn reciprocal(kind: FloatKind, pattern: u128) -> Option<u128> {
    let format = format(kind);
    let one = fold_float(Op::FromUnsigned, format, 64, kind.bits(), [1, 0, 0]);
    let fraction = (1 << format.fraction_bits()) - 1;
    let positive = pattern & !(1 << (kind.bits() - 1));
    if positive & fraction != 0 || positive < one || positive >= 2 * one - fraction - 1 {
        return None;
    }
    Some(fold_float(
        Op::Div,
        format,
        kind.bits(),
        kind.bits(),
        [one, pattern, 0],
    ))
}

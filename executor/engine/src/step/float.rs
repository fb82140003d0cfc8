//! Floating-point arithmetic, on bit patterns: a float in a register is its pattern, so that moving
//! one needs nothing.
//!
//! Operations are those of [`plat_expr::FloatOp`], whose values are the machine's to the last bit:
//! folded on concrete operands, expressions for the solver's theory of floats on symbolic ones.
//! Negation, absolute value and sign copying are operations on bits, the remainder is made of
//! others. What has no expression (functions such as the sine) enumerates a symbolic operand, a path
//! for each of its values, which is counted and warned of.
//!
//! Rounding modes and exception flags are those of the path ([`FloatEnvironment`]). Symbolic operands
//! are rounded to nearest; in another mode the path ends as unsupported.
//!
//! A conversion to an integer that does not hold the number is poison in LLVM and undefined in C;
//! here it has the value that x86-64 code computes, so that tests replay, and is no fault.

use crate::api::summary::ForkKind;
use crate::code::types::{Class, TypeInfo};
use crate::executor::Executor;
use crate::state::State;
use crate::state::float_environment::FloatEnvironment;
use crate::state::stop::{Flow, Step, internal, unsupported};
use crate::step::compare::lanes;
use crate::values;
use plat_expr::{
    Exceptions, FloatFormat, FloatOp as Op, Rounding, Value, fold_float, fold_float_in,
};
use plat_program::{BinaryOp, CastOp, FloatKind, FloatOp, FloatPredicate, Reg, TypeId};

/// The bit pattern of a float operand that was [`Executor::concrete_floats`].
///
/// # Errors
/// When it is symbolic.
pub(crate) fn bits(exec: &Executor<'_>, value: Value) -> Step<u128> {
    match values::wide_number(&exec.pool, value) {
        Some(bits) => Ok(bits),
        None => {
            exec.require_scalar(value)?;
            internal("symbolic floating point")
        }
    }
}

/// The format of expressions for one of the program.
pub(crate) const fn format(kind: FloatKind) -> FloatFormat {
    match kind {
        FloatKind::Half => FloatFormat::Half,
        FloatKind::BFloat => FloatFormat::BFloat,
        FloatKind::Single => FloatFormat::Single,
        FloatKind::Double => FloatFormat::Double,
        FloatKind::X86Fp80 => FloatFormat::Extended,
        FloatKind::Quad => FloatFormat::Quad,
    }
}

/// An operation on scalars: floats of `kind`, or an integer of `from` bits; `to` bits result.
pub(crate) fn operate(
    exec: &mut Executor<'_>,
    environment: &mut FloatEnvironment,
    op: Op,
    kind: FloatKind,
    operands: &[Value],
    (from, to): (u32, u32),
) -> Step<Value> {
    let format = format(kind);
    let mut patterns = [0; 3];
    let mut known = true;
    for (pattern, &operand) in patterns.iter_mut().zip(operands) {
        exec.require_scalar(operand)?;
        match values::wide_number(&exec.pool, operand) {
            Some(value) => *pattern = value,
            None => known = false,
        }
    }
    let plain = environment.is_plain() && !exec.system.float_flags;
    let pool = &mut exec.pool;
    if known && plain {
        let result = fold_float(op, format, from, to, patterns);
        return Ok(values::from_u128(pool, to, result));
    }
    if known {
        environment.check(kind)?;
        let rounding = environment.rounding(kind);
        let (result, raised) = fold_float_in(rounding, op, format, (from, to), patterns);
        environment.raise(kind, raised)?;
        return Ok(values::from_u128(pool, to, result));
    }
    if !plain {
        environment.symbolic(op, kind, is_exact(op, format, from))?;
    }
    let mut list = Vec::with_capacity(operands.len());
    for operand in operands {
        list.push(operand.to_expr(pool, from));
    }
    let result = pool.float(op, format, &list, to);
    Ok(Value::from_expr(pool, result))
}

/// Whether an operation has the same result in all rounding modes.
fn is_exact(op: Op, format: FloatFormat, from: u32) -> bool {
    match op {
        Op::Round(_) | Op::Eq | Op::Lt | Op::Le | Op::ToSigned | Op::ToUnsigned => true,
        Op::ToFormat(to) => {
            to.fraction_bits() >= format.fraction_bits()
                && to.exponent_bits() >= format.exponent_bits()
        }
        Op::FromSigned => from <= format.fraction_bits() + 2,
        Op::FromUnsigned => from <= format.fraction_bits() + 1,
        Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Fma | Op::Sqrt => false,
    }
}

/// Rounds to an integral number, without a word about whether that changes it.
pub(crate) fn round_quietly(
    exec: &mut Executor<'_>,
    environment: &mut FloatEnvironment,
    rounding: Rounding,
    kind: FloatKind,
    value: Value,
) -> Step<Value> {
    let mut apart = *environment;
    let bits = (kind.bits(), kind.bits());
    let result = operate(exec, &mut apart, Op::Round(rounding), kind, &[value], bits)?;
    let changed = Exceptions::INEXACT;
    apart.withdraw(changed, environment);
    *environment = apart;
    Ok(result)
}

/// A comparison (`Eq`, `Lt` or `Le`): 1 bit.
pub(crate) fn relation(
    exec: &mut Executor<'_>,
    environment: &mut FloatEnvironment,
    op: Op,
    kind: FloatKind,
    a: Value,
    b: Value,
) -> Step<Value> {
    operate(exec, environment, op, kind, &[a, b], (kind.bits(), 1))
}

/// Conditions (1 bit) combined.
pub(crate) fn either(exec: &mut Executor<'_>, a: Value, b: Value) -> Value {
    values::binary(&mut exec.pool, BinaryOp::Or, 1, a, b)
}

pub(crate) fn both(exec: &mut Executor<'_>, a: Value, b: Value) -> Value {
    values::binary(&mut exec.pool, BinaryOp::And, 1, a, b)
}

pub(crate) fn negation(exec: &mut Executor<'_>, a: Value) -> Value {
    values::binary(&mut exec.pool, BinaryOp::Xor, 1, a, Value::Int(1))
}

/// A float constant of a format, by its pattern.
pub(crate) fn constant(exec: &mut Executor<'_>, kind: FloatKind, pattern: u128) -> Value {
    values::from_u128(&mut exec.pool, kind.bits(), pattern)
}

fn single(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

fn double(bits: u128) -> f64 {
    f64::from_bits(bits as u64)
}

/// Applies a function on machine numbers to bit patterns of a format. The narrow formats are
/// computed in single precision and rounded.
pub(crate) fn apply(
    exec: &mut Executor<'_>,
    kind: FloatKind,
    patterns: &[u128],
    on_singles: &dyn Fn(&[f32]) -> f32,
    on_doubles: &dyn Fn(&[f64]) -> f64,
) -> Step<Value> {
    let result = match kind {
        FloatKind::Single => {
            let args: Vec<f32> = patterns.iter().map(|&bits| single(bits)).collect();
            u128::from(on_singles(&args).to_bits())
        }
        FloatKind::Double => {
            let args: Vec<f64> = patterns.iter().map(|&bits| double(bits)).collect();
            u128::from(on_doubles(&args).to_bits())
        }
        FloatKind::Half | FloatKind::BFloat => {
            let args: Vec<f32> = patterns
                .iter()
                .map(|&bits| single(change(kind, FloatKind::Single, bits)))
                .collect();
            let result = u128::from(on_singles(&args).to_bits());
            change(FloatKind::Single, kind, result)
        }
        FloatKind::X86Fp80 | FloatKind::Quad => {
            return unsupported("function of an extended float");
        }
    };
    Ok(values::from_u128(&mut exec.pool, kind.bits(), result))
}

/// The bit pattern in another format.
fn change(from: FloatKind, to: FloatKind, pattern: u128) -> u128 {
    let (op, width) = (Op::ToFormat(format(to)), to.bits());
    fold_float(op, format(from), from.bits(), width, [pattern, 0, 0])
}

impl Executor<'_> {
    /// An operand of a floating-point operation as a number: a path for each value it can have.
    pub(crate) fn concrete_floats(
        &mut self,
        state: &mut State,
        info: &TypeInfo,
        value: Value,
    ) -> Step<Value> {
        if let Class::Vector(element, count) = info.class {
            let info = *self.code.ty(element);
            let mut list = lanes(self, value, count)?;
            for value in &mut list {
                *value = self.concrete_floats(state, &info, *value)?;
            }
            return Ok(Value::Aggregate(self.pool.aggregate(&list)));
        }
        if matches!(value, Value::Aggregate(_)) || values::wide_number(&self.pool, value).is_some()
        {
            return Ok(value);
        }
        const WHAT: &str = "symbolic floating point, which is enumerated";
        self.counters.counts.note_unsupported(WHAT);
        self.events
            .warn_once("symbolic floating point is enumerated: a path for each value");
        let mut pattern = 0u128;
        for low in (0..info.bits).step_by(64) {
            let width = (info.bits - low).min(64);
            let part = values::extract(&mut self.pool, value, info.bits, low, width);
            let part = self.concrete(state, ForkKind::Library, part, width)?;
            pattern |= u128::from(part) << low;
        }
        Ok(values::from_u128(&mut self.pool, info.bits, pattern))
    }

    /// `dst = a op b`.
    pub(super) fn float(
        &mut self,
        state: &mut State,
        op: FloatOp,
        ty: TypeId,
        dst: Reg,
        a: Value,
        b: Value,
    ) -> Step<Flow> {
        let info = *self.code.ty(ty);
        let result = match info.class {
            Class::Vector(element, count) => {
                let info = *self.code.ty(element);
                let a = lanes(self, a, count)?;
                let b = if op == FloatOp::Neg {
                    a.clone()
                } else {
                    lanes(self, b, count)?
                };
                let mut list = Vec::with_capacity(a.len());
                for (a, b) in a.into_iter().zip(b) {
                    list.push(self.float_scalar(state, op, &info, a, b)?);
                }
                Value::Aggregate(self.pool.aggregate(&list))
            }
            _ => self.float_scalar(state, op, &info, a, b)?,
        };
        state.frame.regs[dst.index()] = result;
        Ok(Flow::Next)
    }

    pub(crate) fn float_scalar(
        &mut self,
        state: &mut State,
        op: FloatOp,
        info: &TypeInfo,
        a: Value,
        b: Value,
    ) -> Step<Value> {
        let Class::Float(kind) = info.class else {
            return internal("float operation on another type");
        };
        let op = match op {
            FloatOp::Add => Op::Add,
            FloatOp::Sub => Op::Sub,
            FloatOp::Mul => Op::Mul,
            FloatOp::Div => Op::Div,
            FloatOp::Rem => return self.remainder(state, kind, a, b),
            FloatOp::Neg => {
                self.require_scalar(a)?;
                let sign = constant(self, kind, 1 << (info.bits - 1));
                let pool = &mut self.pool;
                return Ok(values::binary(pool, BinaryOp::Xor, info.bits, a, sign));
            }
        };
        operate(
            self,
            &mut state.float,
            op,
            kind,
            &[a, b],
            (info.bits, info.bits),
        )
    }

    /// `dst = a predicate b`.
    pub(super) fn float_compare(
        &mut self,
        state: &mut State,
        (predicate, signals): (FloatPredicate, bool),
        ty: TypeId,
        dst: Reg,
        a: Value,
        b: Value,
    ) -> Step<Flow> {
        let info = *self.code.ty(ty);
        let environment = &mut state.float;
        let mut compare = |exec: &mut Self, info: &TypeInfo, a, b| {
            let Class::Float(kind) = info.class else {
                return internal("float comparison on another type");
            };
            if signals && (exec.system.float_flags || !environment.is_plain()) {
                signal(exec, environment, kind, [a, b])?;
            }
            compare(exec, environment, predicate, kind, a, b)
        };
        let result = match info.class {
            Class::Vector(element, count) => {
                let info = *self.code.ty(element);
                let (a, b) = (lanes(self, a, count)?, lanes(self, b, count)?);
                let mut list = Vec::with_capacity(a.len());
                for (a, b) in a.into_iter().zip(b) {
                    list.push(compare(self, &info, a, b)?);
                }
                Value::Aggregate(self.pool.aggregate(&list))
            }
            _ => compare(self, &info, a, b)?,
        };
        state.frame.regs[dst.index()] = result;
        Ok(Flow::Next)
    }
}

/// Raises what a comparison raises for which every NaN is an invalid operand.
fn signal(
    exec: &Executor<'_>,
    environment: &mut FloatEnvironment,
    kind: FloatKind,
    operands: [Value; 2],
) -> Step<()> {
    for operand in operands {
        let Some(pattern) = values::wide_number(&exec.pool, operand) else {
            continue; // The comparison itself makes the flag unknown.
        };
        let same = fold_float(Op::Eq, format(kind), kind.bits(), 1, [pattern, pattern, 0]);
        if same == 0 {
            environment.raise(kind, Exceptions::INVALID)?;
        }
    }
    Ok(())
}

/// Whether a predicate holds (1 bit).
fn compare(
    exec: &mut Executor<'_>,
    environment: &mut FloatEnvironment,
    predicate: FloatPredicate,
    kind: FloatKind,
    a: Value,
    b: Value,
) -> Step<Value> {
    use FloatPredicate as P;
    // The unordered predicates are the complements of the ordered opposites.
    let (positive, complement) = match predicate {
        P::Uno => (P::Ord, true),
        P::Ueq => (P::One, true),
        P::Ugt => (P::Ole, true),
        P::Uge => (P::Olt, true),
        P::Ult => (P::Oge, true),
        P::Ule => (P::Ogt, true),
        P::Une => (P::Oeq, true),
        P::True => (P::False, true),
        ordered => (ordered, false),
    };
    let holds = match positive {
        P::Oeq => relation(exec, environment, Op::Eq, kind, a, b)?,
        P::Olt => relation(exec, environment, Op::Lt, kind, a, b)?,
        P::Ole => relation(exec, environment, Op::Le, kind, a, b)?,
        P::Ogt => relation(exec, environment, Op::Lt, kind, b, a)?,
        P::Oge => relation(exec, environment, Op::Le, kind, b, a)?,
        P::One => {
            let less = relation(exec, environment, Op::Lt, kind, a, b)?;
            let greater = relation(exec, environment, Op::Lt, kind, b, a)?;
            either(exec, less, greater)
        }
        P::Ord => {
            let first = relation(exec, environment, Op::Eq, kind, a, a)?;
            let second = relation(exec, environment, Op::Eq, kind, b, b)?;
            both(exec, first, second)
        }
        _ => Value::Int(0),
    };
    Ok(if complement {
        negation(exec, holds)
    } else {
        holds
    })
}

/// A conversion between or with floats.
pub(super) fn convert(
    exec: &mut Executor<'_>,
    environment: &mut FloatEnvironment,
    op: CastOp,
    (source, target): (&TypeInfo, &TypeInfo),
    value: Value,
) -> Step<Value> {
    let (from, to) = (source.bits, target.bits);
    match (source.class, target.class) {
        (Class::Float(kind), Class::Float(wanted)) => {
            let op = Op::ToFormat(format(wanted));
            operate(exec, environment, op, kind, &[value], (from, to))
        }
        (Class::Float(kind), _) => {
            to_integer(exec, environment, op == CastOp::FpToSi, kind, value, to)
        }
        (_, Class::Float(_)) if from > 128 => {
            unsupported("conversion of a very wide integer to a float")
        }
        (_, Class::Float(kind)) => {
            let op = if op == CastOp::SiToFp {
                Op::FromSigned
            } else {
                Op::FromUnsigned
            };
            operate(exec, environment, op, kind, &[value], (from, to))
        }
        _ => internal("float conversion without a float"),
    }
}

/// A float as an integer of `bits` bits, as x86-64 code converts: up to 32 bits by a conversion to
/// 32 (signed) or 64 (unsigned) bits that is cut; unsigned 64 bits in two halves.
fn to_integer(
    exec: &mut Executor<'_>,
    environment: &mut FloatEnvironment,
    signed: bool,
    kind: FloatKind,
    value: Value,
    bits: u32,
) -> Step<Value> {
    let whole = |exec: &mut Executor<'_>, environment: &mut FloatEnvironment, op, width| {
        let whole = operate(exec, environment, op, kind, &[value], (kind.bits(), width))?;
        Ok(values::trunc(&mut exec.pool, whole, width, bits))
    };
    if bits > 128 {
        return unsupported("conversion of a float to a very wide integer");
    }
    match (signed, bits) {
        (true, ..=32) => whole(exec, environment, Op::ToSigned, 32),
        (false, ..=32) | (true, ..=64) => whole(exec, environment, Op::ToSigned, 64),
        (false, ..=64) => {
            let half = fold_float(Op::FromUnsigned, format(kind), 64, 0, [1 << 63, 0, 0]);
            let half = constant(exec, kind, half);
            // Only the conversion that is taken raises exceptions.
            let mut apart = FloatEnvironment::default();
            let is_low = relation(exec, &mut apart, Op::Lt, kind, value, half)?;
            let mut half = |exec: &mut Executor<'_>, op, untaken| {
                let chosen = if is_low == untaken {
                    &mut apart
                } else {
                    &mut *environment
                };
                operate(exec, chosen, op, kind, &[value], (kind.bits(), 64))
            };
            let low = half(exec, Op::ToSigned, Value::Int(0))?;
            let high = half(exec, Op::ToUnsigned, Value::Int(1))?;
            Ok(values::select(&mut exec.pool, bits, is_low, low, high))
        }
        (true, _) => whole(exec, environment, Op::ToSigned, 128),
        (false, _) => whole(exec, environment, Op::ToUnsigned, 128),
    }
}

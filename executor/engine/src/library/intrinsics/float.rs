//! Floating-point intrinsics: sign operations on bits, the others on concrete numbers.

use super::{Invocation, Reply, Run, each};
use crate::engine::Engine;
use crate::state::State;
use crate::step::float;
use crate::stop::{Step, unsupported};
use crate::types::Class;
use crate::values;
use plat_expr::Value;
use plat_program::{BinaryOp, FloatKind, TypeId};

pub(super) const TABLE: &[(&str, Run)] = &[
    ("canonicalize", super::first),
    ("ceil", ceil),
    ("copysign", copysign),
    ("fabs", fabs),
    ("floor", floor),
    ("fma", fma),
    ("fmuladd", fmuladd),
    ("fptosi.sat", to_signed),
    ("fptoui.sat", to_unsigned),
    ("is.fpclass", is_class),
    ("llrint", lrint),
    ("llround", lround),
    ("lrint", lrint),
    ("lround", lround),
    ("maximum", maximum),
    ("maximumnum", maxnum),
    ("maxnum", maxnum),
    ("minimum", minimum),
    ("minimumnum", minnum),
    ("minnum", minnum),
    ("nearbyint", rint),
    ("rint", rint),
    ("round", round),
    ("roundeven", rint),
    ("sqrt", sqrt),
    ("trunc", trunc),
];

/// The format of a scalar float or of a vector's lanes.
fn format(engine: &Engine<'_>, ty: TypeId) -> Step<FloatKind> {
    match engine.code.ty(ty).class {
        Class::Float(kind) => Ok(kind),
        Class::Vector(element, _) => format(engine, element),
        _ => unsupported("internal: float intrinsic on another type"),
    }
}

/// The format of the intrinsic's first parameter.
fn kind(engine: &Engine<'_>, call: &Invocation<'_>) -> Step<FloatKind> {
    match engine.program.function(call.callee).params.first() {
        Some(&ty) => format(engine, ty),
        None => unsupported("internal: float intrinsic without parameters"),
    }
}

fn fabs(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    each(engine, call, 1, &mut |engine, bits, args| {
        let pool = &mut engine.pool;
        let kept = values::from_u128(pool, bits, (1 << (bits - 1)) - 1);
        Ok(values::binary(pool, BinaryOp::And, bits, args[0], kept))
    })
}

fn copysign(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    each(engine, call, 2, &mut |engine, bits, args| {
        let pool = &mut engine.pool;
        let sign = values::from_u128(pool, bits, 1 << (bits - 1));
        let rest = values::from_u128(pool, bits, (1 << (bits - 1)) - 1);
        let magnitude = values::binary(pool, BinaryOp::And, bits, args[0], rest);
        let sign = values::binary(pool, BinaryOp::And, bits, args[1], sign);
        Ok(values::binary(pool, BinaryOp::Or, bits, magnitude, sign))
    })
}

/// Applies functions on machine numbers.
fn machine(
    engine: &mut Engine<'_>,
    call: &Invocation<'_>,
    single: &dyn Fn(&[f32]) -> f32,
    double: &dyn Fn(&[f64]) -> f64,
) -> Step<Reply> {
    let kind = kind(engine, call)?;
    each(engine, call, usize::MAX, &mut |engine, _, args| {
        let mut patterns = Vec::with_capacity(args.len());
        for &arg in args {
            patterns.push(float::bits(engine, arg)?);
        }
        float::apply(engine, kind, &patterns, single, double)
    })
}

macro_rules! functions {
    ($($name:ident($($arg:ident),*) = $body:expr;)*) => {$(
        fn $name(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
            machine(
                engine,
                call,
                &|args| match args {
                    [$($arg,)* ..] => { $(let $arg = *$arg;)* $body }
                    _ => f32::NAN,
                },
                &|args| match args {
                    [$($arg,)* ..] => { $(let $arg = *$arg;)* $body }
                    _ => f64::NAN,
                },
            )
        }
    )*};
}

functions! {
    ceil(a) = a.ceil();
    floor(a) = a.floor();
    trunc(a) = a.trunc();
    round(a) = a.round();
    rint(a) = a.round_ties_even();
    sqrt(a) = a.sqrt();
    fma(a, b, c) = a.mul_add(b, c);
    fmuladd(a, b, c) = a * b + c;
    minnum(a, b) = {
        let first = b.is_nan() || a < b || (a == b && a.is_sign_negative());
        if first { a } else { b }
    };
    maxnum(a, b) = {
        let first = b.is_nan() || a > b || (a == b && !a.is_sign_negative());
        if first { a } else { b }
    };
    minimum(a, b) = {
        let first = a.is_nan() || a < b || (a == b && a.is_sign_negative());
        if first { a } else { b }
    };
    maximum(a, b) = {
        let first = a.is_nan() || a > b || (a == b && !a.is_sign_negative());
        if first { a } else { b }
    };
}

/// A float as an integer of the call's result type, after rounding by `rounded`.
fn to_integer(
    engine: &mut Engine<'_>,
    call: &Invocation<'_>,
    rounded: fn(f64) -> f64,
    is_signed: bool,
    saturate: bool,
) -> Step<Reply> {
    let kind = kind(engine, call)?;
    let target = match engine.code.ty(call.ret).class {
        Class::Vector(element, _) => engine.code.ty(element).bits,
        _ => engine.code.ty(call.ret).bits,
    };
    if target == 0 || target > 64 {
        return unsupported("conversion of a float to a very wide integer");
    }
    each(engine, call, 1, &mut |engine, _, args| {
        let pattern = float::bits(engine, args[0])?;
        let number = rounded(float::to_double(engine, kind, pattern)?);
        let word = if is_signed {
            let (low, high) = (
                values::signed(1 << (target - 1), target),
                values::mask(target) >> 1,
            );
            if saturate {
                (number as i64).clamp(low, high as i64) as u64
            } else if (-9223372036854775808.0..9223372036854775808.0).contains(&number) {
                number as i64 as u64
            } else {
                i64::MIN as u64
            }
        } else {
            (number as u64).min(values::mask(target))
        };
        Ok(Value::Int(word & values::mask(target)))
    })
}

fn to_signed(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    to_integer(engine, call, |number| number, true, true)
}

fn to_unsigned(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    to_integer(engine, call, |number| number, false, true)
}

fn lrint(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    to_integer(engine, call, f64::round_ties_even, true, false)
}

fn lround(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    to_integer(engine, call, f64::round, true, false)
}

/// `is.fpclass(x, classes)`: whether the number is in one of the classes of the bit set.
fn is_class(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let kind = kind(engine, call)?;
    let Value::Int(classes) = call.arg(1) else {
        return unsupported("is.fpclass of unknown classes");
    };
    each(engine, call, 1, &mut |engine, _, args| {
        let pattern = float::bits(engine, args[0])?;
        let class = float::class(kind, pattern)?;
        Ok(Value::Int(u64::from(classes >> class & 1 == 1)))
    })
}

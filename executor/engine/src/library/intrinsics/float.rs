//! Floating-point intrinsics: sign operations on bits, the others on concrete numbers.

use super::{Invocation, Reply, Run, each};
use crate::engine::Engine;
use crate::state::State;
use crate::step::float;
use crate::stop::{Step, unsupported};
use crate::summary::ForkKind;
use crate::types::Class;
use crate::values;
use plat_expr::Value;
use plat_program::{BinaryOp, FloatKind, TypeId};

pub(super) const TABLE: &[(&str, Run)] = &[
    ("acos", acos),
    ("asin", asin),
    ("atan", atan),
    ("atan2", atan2),
    ("canonicalize", super::first),
    ("ceil", ceil),
    ("copysign", copysign),
    ("cos", cos),
    ("cosh", cosh),
    ("exp", exp),
    ("exp2", exp2),
    ("fabs", fabs),
    ("floor", floor),
    ("fma", fma),
    ("fmuladd", fmuladd),
    ("fptosi.sat", to_signed),
    ("fptoui.sat", to_unsigned),
    ("is.fpclass", is_class),
    ("ldexp", ldexp),
    ("llrint", lrint),
    ("llround", lround),
    ("log", log),
    ("log10", log10),
    ("log2", log2),
    ("lrint", lrint),
    ("lround", lround),
    ("maximum", maximum),
    ("maximumnum", maxnum),
    ("maxnum", maxnum),
    ("minimum", minimum),
    ("minimumnum", minnum),
    ("minnum", minnum),
    ("nearbyint", rint),
    ("pow", pow),
    ("powi", powi),
    ("rint", rint),
    ("round", round),
    ("roundeven", rint),
    ("sin", sin),
    ("sinh", sinh),
    ("sqrt", sqrt),
    ("tan", tan),
    ("tanh", tanh),
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

/// The arguments as numbers: a path for each value that a symbolic one can have.
fn settled(engine: &mut Engine<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Vec<Value>> {
    let program = engine.program;
    let mut args = Vec::with_capacity(call.args.len());
    for (&arg, &ty) in call.args.iter().zip(&program.function(call.callee).params) {
        let info = *engine.code.ty(ty);
        args.push(engine.settled(state, &info, arg)?);
    }
    Ok(args)
}

/// Applies functions on machine numbers; arguments from `flags` on are the same for every lane.
fn machine(
    engine: &mut Engine<'_>,
    state: &mut State,
    call: &Invocation<'_>,
    flags: usize,
    single: &dyn Fn(&[f32]) -> f32,
    double: &dyn Fn(&[f64]) -> f64,
) -> Step<Reply> {
    let kind = kind(engine, call)?;
    let args = settled(engine, state, call)?;
    let call = &Invocation {
        args: &args,
        ..*call
    };
    each(engine, call, flags, &mut |engine, _, args| {
        let mut patterns = Vec::with_capacity(args.len());
        for &arg in args {
            patterns.push(float::bits(engine, arg)?);
        }
        float::apply(engine, kind, &patterns, single, double)
    })
}

macro_rules! functions {
    ($($name:ident($($arg:ident),*) = $body:expr;)*) => {$(
        fn $name(engine: &mut Engine<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
            machine(
                engine,
                state,
                call,
                usize::MAX,
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
    acos(a) = a.acos();
    asin(a) = a.asin();
    atan(a) = a.atan();
    cos(a) = a.cos();
    cosh(a) = a.cosh();
    exp(a) = a.exp();
    exp2(a) = a.exp2();
    log(a) = a.ln();
    log10(a) = a.log10();
    log2(a) = a.log2();
    sin(a) = a.sin();
    sinh(a) = a.sinh();
    tan(a) = a.tan();
    tanh(a) = a.tanh();
    atan2(a, b) = a.atan2(b);
    pow(a, b) = a.powf(b);
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

/// Applies a function of a number and an `i32`.
fn with_integer(
    engine: &mut Engine<'_>,
    state: &mut State,
    call: &Invocation<'_>,
    function: fn(f64, i32) -> f64,
) -> Step<Reply> {
    let exponent = engine.concrete(state, ForkKind::Library, call.arg(1), call.width(1))?;
    let exponent = exponent as u32 as i32;
    machine(
        engine,
        state,
        call,
        1,
        &|args| {
            args.first()
                .map_or(f32::NAN, |&a| function(f64::from(a), exponent) as f32)
        },
        &|args| args.first().map_or(f64::NAN, |&a| function(a, exponent)),
    )
}

fn powi(engine: &mut Engine<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    with_integer(engine, state, call, f64::powi)
}

/// Steps of at most 2^1000 keep the factor itself in range.
fn ldexp(engine: &mut Engine<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    with_integer(engine, state, call, |mut number, mut exponent| {
        exponent = exponent.clamp(-3000, 3000);
        while exponent != 0 {
            let step = exponent.clamp(-1000, 1000);
            number *= f64::from(step).exp2();
            exponent -= step;
        }
        number
    })
}

/// A float as an integer of the call's result type, after rounding by `rounded`.
fn to_integer(
    engine: &mut Engine<'_>,
    state: &mut State,
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
    let args = settled(engine, state, call)?;
    let call = &Invocation {
        args: &args,
        ..*call
    };
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

fn to_signed(engine: &mut Engine<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    to_integer(engine, state, call, |number| number, true, true)
}

fn to_unsigned(engine: &mut Engine<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    to_integer(engine, state, call, |number| number, false, true)
}

fn lrint(engine: &mut Engine<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    to_integer(engine, state, call, f64::round_ties_even, true, false)
}

fn lround(engine: &mut Engine<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    to_integer(engine, state, call, f64::round, true, false)
}

/// `is.fpclass(x, classes)`: whether the number is in one of the classes of the bit set.
fn is_class(engine: &mut Engine<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let kind = kind(engine, call)?;
    let args = settled(engine, state, call)?;
    let call = &Invocation {
        args: &args,
        ..*call
    };
    let Value::Int(classes) = call.arg(1) else {
        return unsupported("is.fpclass of unknown classes");
    };
    each(engine, call, 1, &mut |engine, _, args| {
        let pattern = float::bits(engine, args[0])?;
        let class = float::class(kind, pattern)?;
        Ok(Value::Int(u64::from(classes >> class & 1 == 1)))
    })
}

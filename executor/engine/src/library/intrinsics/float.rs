//! Floating-point intrinsics. Signs and classes are operations on bits, roundings, roots and
//! extrema operations of [`float`]; the other functions are computed on concrete numbers.

use super::{Invocation, Reply, Run, each};
use crate::api::summary::ForkKind;
use crate::code::types::Class;
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Step, internal, unsupported};
use crate::step::float;
use crate::values;
use plat_expr::{Exceptions, FloatOp, IntegerRange, Rounding, Value};
use plat_program::{BinaryOp, FloatKind, IntPredicate, TypeId};

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
    ("nearbyint", nearbyint),
    ("pow", pow),
    ("powi", powi),
    ("rint", rint),
    ("round", round),
    ("roundeven", roundeven),
    ("sin", sin),
    ("sinh", sinh),
    ("sqrt", sqrt),
    ("tan", tan),
    ("tanh", tanh),
    ("trunc", trunc),
];

/// The format of a scalar float or of a vector's lanes.
fn format(exec: &Executor<'_>, ty: TypeId) -> Step<FloatKind> {
    match exec.code.ty(ty).class {
        Class::Float(kind) => Ok(kind),
        Class::Vector(element, _) => format(exec, element),
        _ => internal("float intrinsic on another type"),
    }
}

/// The format of the intrinsic's first parameter.
fn kind(exec: &Executor<'_>, call: &Invocation<'_>) -> Step<FloatKind> {
    match exec.program.function(call.callee).params.first() {
        Some(&ty) => format(exec, ty),
        None => internal("float intrinsic without parameters"),
    }
}

fn fabs(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    each(exec, call, 1, &mut |exec, bits, args| {
        let pool = &mut exec.pool;
        let kept = values::from_u128(pool, bits, (1 << (bits - 1)) - 1);
        Ok(values::binary(pool, BinaryOp::And, bits, args[0], kept))
    })
}

fn copysign(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    each(exec, call, 2, &mut |exec, bits, args| {
        let pool = &mut exec.pool;
        let sign = values::from_u128(pool, bits, 1 << (bits - 1));
        let rest = values::from_u128(pool, bits, (1 << (bits - 1)) - 1);
        let magnitude = values::binary(pool, BinaryOp::And, bits, args[0], rest);
        let sign = values::binary(pool, BinaryOp::And, bits, args[1], sign);
        Ok(values::binary(pool, BinaryOp::Or, bits, magnitude, sign))
    })
}

/// The arguments as numbers: a path for each value that a symbolic one can have.
fn concrete_floats(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
) -> Step<Vec<Value>> {
    let program = exec.program;
    let mut args = Vec::with_capacity(call.args.len());
    for (&arg, &ty) in call.args.iter().zip(&program.function(call.callee).params) {
        let info = *exec.code.ty(ty);
        args.push(exec.concrete_floats(state, &info, arg)?);
    }
    Ok(args)
}

/// Applies functions on machine numbers; arguments from `flags` on are the same for every lane.
fn machine(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
    flags: usize,
    single: &dyn Fn(&[f32]) -> f32,
    double: &dyn Fn(&[f64]) -> f64,
) -> Step<Reply> {
    let kind = kind(exec, call)?;
    if state.float.rounding(kind) != Rounding::NearestEven {
        let name = &exec.program.function(call.callee).name;
        return unsupported(format!("{name} in another rounding mode than to nearest"));
    }
    if exec.system.float_flags || !state.float.is_plain() {
        state.float.symbolic(FloatOp::Div, kind, true)?;
    }
    let args = concrete_floats(exec, state, call)?;
    let call = &Invocation {
        args: &args,
        ..*call
    };
    each(exec, call, flags, &mut |exec, _, args| {
        let mut patterns = Vec::with_capacity(args.len());
        for &arg in args {
            patterns.push(float::bits(exec, arg)?);
        }
        float::apply(exec, kind, &patterns, single, double)
    })
}

macro_rules! functions {
    ($($name:ident($($arg:ident),*) = $body:expr;)*) => {$(
        fn $name(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
            machine(
                exec,
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
}

/// Applies a function of a number and an `i32`.
fn with_integer(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
    function: fn(f64, i32) -> f64,
) -> Step<Reply> {
    let exponent = exec.concrete(state, ForkKind::Library, call.arg(1), call.width(1))?;
    let exponent = exponent as u32 as i32;
    machine(
        exec,
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

fn powi(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    with_integer(exec, state, call, f64::powi)
}

/// Steps of at most 2^1000 keep the factor itself in range.
fn ldexp(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    with_integer(exec, state, call, |mut number, mut exponent| {
        exponent = exponent.clamp(-3000, 3000);
        while exponent != 0 {
            let step = exponent.clamp(-1000, 1000);
            number *= f64::from(step).exp2();
            exponent -= step;
        }
        number
    })
}

/// An operation on scalars of a format.
type OnFloats<'f> = &'f mut dyn FnMut(&mut Executor<'_>, FloatKind, &[Value]) -> Step<Value>;

/// Applies an operation on scalars of the first parameter's format.
fn lanewise(
    exec: &mut Executor<'_>,
    call: &Invocation<'_>,
    flags: usize,
    op: OnFloats<'_>,
) -> Step<Reply> {
    let kind = kind(exec, call)?;
    each(exec, call, flags, &mut |exec, _, args| op(exec, kind, args))
}

/// Roundings to an integral number, which say nothing about whether that changes it.
macro_rules! roundings {
    ($($name:ident = $rounding:expr;)*) => {$(
        fn $name(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
            lanewise(exec, call, 1, &mut |exec, kind, args| {
                float::round_quietly(exec, &mut state.float, $rounding, kind, args[0])
            })
        }
    )*};
}

roundings! {
    ceil = Rounding::Up;
    floor = Rounding::Down;
    trunc = Rounding::Zero;
    round = Rounding::NearestAway;
    roundeven = Rounding::NearestEven;
}

/// To an integral number in the path's rounding mode.
fn nearbyint(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    lanewise(exec, call, 1, &mut |exec, kind, args| {
        let rounding = state.float.rounding(kind);
        float::round_quietly(exec, &mut state.float, rounding, kind, args[0])
    })
}

fn rint(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    lanewise(exec, call, 1, &mut |exec, kind, args| {
        let op = FloatOp::Round(state.float.rounding(kind));
        let bits = (kind.bits(), kind.bits());
        float::operate(exec, &mut state.float, op, kind, &args[..1], bits)
    })
}

macro_rules! operations {
    ($($name:ident = $op:expr;)*) => {$(
        fn $name(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
            const OP: FloatOp = $op;
            let count = OP.operands();
            lanewise(exec, call, count, &mut |exec, kind, args| {
                let bits = (kind.bits(), kind.bits());
                float::operate(exec, &mut state.float, OP, kind, &args[..count], bits)
            })
        }
    )*};
}

operations! {
    fma = FloatOp::Fma;
    sqrt = FloatOp::Sqrt;
}

/// Two operations, as x86-64 code has it without an option.
fn fmuladd(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    lanewise(exec, call, 3, &mut |exec, kind, args| {
        let bits = kind.bits();
        let product = float::operate(
            exec,
            &mut state.float,
            FloatOp::Mul,
            kind,
            &args[..2],
            (bits, bits),
        )?;
        float::operate(
            exec,
            &mut state.float,
            FloatOp::Add,
            kind,
            &[product, args[2]],
            (bits, bits),
        )
    })
}

/// The first of two numbers if it is less (greater, for a maximum), or if they are equal and it
/// has the sign that is wanted, or if the other is not a number (with `propagates`: if it is not
/// one itself); else the second.
fn extremum(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
    least: bool,
    propagates: bool,
) -> Step<Reply> {
    lanewise(exec, call, 2, &mut |exec, kind, args| {
        let (a, b, bits) = (args[0], args[1], kind.bits());
        let (low, high) = if least { (a, b) } else { (b, a) };
        let before = float::relation(exec, &mut state.float, FloatOp::Lt, kind, low, high)?;
        let equal = float::relation(exec, &mut state.float, FloatOp::Eq, kind, a, b)?;
        let mut sign = values::extract(&mut exec.pool, a, bits, bits - 1, 1);
        if !least {
            sign = float::negation(exec, sign);
        }
        let same = float::both(exec, equal, sign);
        let doubtful = if propagates { a } else { b };
        let number = float::relation(
            exec,
            &mut state.float,
            FloatOp::Eq,
            kind,
            doubtful,
            doubtful,
        )?;
        let nan = float::negation(exec, number);
        let first = float::either(exec, before, same);
        let first = float::either(exec, first, nan);
        Ok(values::select(&mut exec.pool, bits, first, a, b))
    })
}

fn minnum(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    extremum(exec, state, call, true, false)
}

fn maxnum(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    extremum(exec, state, call, false, false)
}

fn minimum(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    extremum(exec, state, call, true, true)
}

fn maximum(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    extremum(exec, state, call, false, true)
}

/// The width of the call's integer result.
fn target(exec: &Executor<'_>, call: &Invocation<'_>) -> Step<u32> {
    let bits = match exec.code.ty(call.ret).class {
        Class::Vector(element, _) => exec.code.ty(element).bits,
        _ => exec.code.ty(call.ret).bits,
    };
    if bits == 0 || bits > 128 {
        return unsupported("conversion of a float to a very wide integer");
    }
    Ok(bits)
}

/// A float as an integer, rounded; one that does not hold it gets its lowest number.
fn integral(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
    rounding: Rounding,
    says: bool,
) -> Step<Reply> {
    let width = target(exec, call)?;
    lanewise(exec, call, 1, &mut |exec, kind, args| {
        let environment = &mut state.float;
        let (op, bits) = (FloatOp::ToSigned, (kind.bits(), width));
        let before = *environment;
        let rounded = if says {
            let (op, bits) = (FloatOp::Round(rounding), (kind.bits(), kind.bits()));
            float::operate(exec, environment, op, kind, &args[..1], bits)?
        } else {
            float::round_quietly(exec, environment, rounding, kind, args[0])?
        };
        let whole = float::operate(exec, environment, op, kind, &[rounded], bits)?;
        let invalid = Exceptions::INVALID;
        if whole == values::from_u128(&mut exec.pool, width, 1 << (width - 1))
            && !before.has(invalid)
            && environment.has(invalid)
        {
            // What does not fit is only that.
            environment.withdraw(Exceptions::INEXACT, &before);
        }
        Ok(whole)
    })
}

fn lrint(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let kind = kind(exec, call)?;
    let rounding = state.float.rounding(kind);
    integral(exec, state, call, rounding, true)
}

fn lround(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    integral(exec, state, call, Rounding::NearestAway, false)
}

/// The integral part of a float; the nearest integer where it does not fit, 0 for a NaN.
fn saturated(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
    signed: bool,
) -> Step<Reply> {
    let width = target(exec, call)?;
    let all = u128::MAX >> (128 - width);
    let (op, least, greatest) = if signed {
        (FloatOp::ToSigned, 1 << (width - 1), all >> 1)
    } else {
        (FloatOp::ToUnsigned, 0, all)
    };
    lanewise(exec, call, 1, &mut |exec, kind, args| {
        let number = args[0];
        let range = IntegerRange::new(float::format(kind), signed, width);
        let low = float::constant(exec, kind, range.low);
        let high = float::constant(exec, kind, range.high);
        let order = if range.inclusive {
            FloatOp::Lt
        } else {
            FloatOp::Le
        };
        let below = float::relation(exec, &mut state.float, order, kind, number, low)?;
        let above = float::relation(exec, &mut state.float, FloatOp::Le, kind, high, number)?;
        let ordered = float::relation(exec, &mut state.float, FloatOp::Eq, kind, number, number)?;
        let whole = float::operate(
            exec,
            &mut state.float,
            op,
            kind,
            &[number],
            (kind.bits(), width),
        )?;
        let pool = &mut exec.pool;
        let least = values::from_u128(pool, width, least);
        let greatest = values::from_u128(pool, width, greatest);
        let result = values::select(pool, width, above, greatest, whole);
        let result = values::select(pool, width, below, least, result);
        let zero = values::from_u128(pool, width, 0);
        Ok(values::select(pool, width, ordered, result, zero))
    })
}

fn to_signed(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    saturated(exec, state, call, true)
}

fn to_unsigned(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    saturated(exec, state, call, false)
}

/// The classes of NaNs, and those of finite numbers.
const NAN: u64 = 3;
const FINITE: u64 = 0x1f8;

/// `is.fpclass(x, classes)`: whether the number is in one of the classes of the bit set.
fn is_class(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let Value::Int(classes) = call.arg(1) else {
        return unsupported("is.fpclass of unknown classes");
    };
    lanewise(exec, call, 1, &mut |exec, kind, args| {
        let format = float::format(kind);
        let (number, bits) = (args[0], kind.bits());
        let fraction = format.fraction_bits();
        let exponent = 1 << (fraction + u32::from(format.is_explicit()));
        let kept = float::constant(exec, kind, (1 << (bits - 1)) - 1);
        let pool = &mut exec.pool;
        let magnitude = values::binary(pool, BinaryOp::And, bits, number, kept);
        let negative = values::extract(pool, number, bits, bits - 1, 1);
        let quiet = values::extract(pool, number, bits, fraction - 1, 1);
        let integer = values::extract(pool, number, bits, fraction, 1);
        let mut at_least = |pattern| {
            let bound = float::constant(exec, kind, pattern);
            values::compare(&mut exec.pool, IntPredicate::Uge, bits, magnitude, bound)
        };
        let nan = at_least(format.infinity() + 1);
        let infinite = at_least(format.infinity());
        let normal = at_least(exponent | u128::from(format.is_explicit()) << fraction);
        let biased = at_least(exponent);
        let nonzero = at_least(1);
        // An extended number whose integer bit is not what its exponent says is in no class. Where the
        // bit is missing, machine code of clang's calls it a NaN, neither signalling nor quiet; where
        // there is one too many, it is finite, and in what has the NaNs and something finite.
        let (mut holds, proper) = if format.is_explicit() {
            let (missing, low) = (
                float::negation(exec, integer),
                float::negation(exec, biased),
            );
            let unnormal = float::both(exec, biased, missing);
            let pseudo = float::both(exec, low, integer);
            let strange = float::either(exec, unnormal, pseudo);
            let (nans, finite) = (classes & NAN == NAN, classes & FINITE);
            let no = Value::Int(0);
            let unnormal = if nans { unnormal } else { no };
            let among = finite == FINITE || nans && finite != 0;
            let pseudo = if among { pseudo } else { no };
            let holds = float::either(exec, unnormal, pseudo);
            (holds, float::negation(exec, strange))
        } else {
            (Value::Int(0), Value::Int(1))
        };
        // Signalling, quiet, then negative from infinity to zero, positive from zero on.
        for class in (0..10).filter(|class| classes >> class & 1 == 1) {
            let positive = float::negation(exec, negative);
            let (sign, inside, outside) = match class {
                0 => (float::negation(exec, quiet), nan, Value::Int(0)),
                1 => (quiet, nan, Value::Int(0)),
                2 => (negative, infinite, nan),
                3 => (negative, normal, infinite),
                4 => (negative, nonzero, normal),
                5 => (negative, Value::Int(1), nonzero),
                6 => (positive, Value::Int(1), nonzero),
                7 => (positive, nonzero, normal),
                8 => (positive, normal, infinite),
                _ => (positive, infinite, nan),
            };
            let not = float::negation(exec, outside);
            let within = float::both(exec, inside, not);
            let this = float::both(exec, sign, within);
            let this = float::both(exec, this, proper);
            holds = float::either(exec, holds, this);
        }
        Ok(holds)
    })
}

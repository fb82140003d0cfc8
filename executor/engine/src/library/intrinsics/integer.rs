//! Integer arithmetic: minima and maxima, overflow, saturation, absolute value.

use super::{Invocation, Reply, Run, each};
use crate::engine::Engine;
use crate::state::State;
use crate::step::lanes;
use crate::stop::Step;
use crate::types::Class;
use crate::values;
use plat_expr::{Pool, Value};
use plat_program::{BinaryOp, IntPredicate};

pub(super) const TABLE: &[(&str, Run)] = &[
    ("abs", abs),
    ("sadd.sat", sadd_sat),
    ("sadd.with.overflow", sadd_overflow),
    ("scmp", scmp),
    ("smax", smax),
    ("smin", smin),
    ("smul.with.overflow", smul_overflow),
    ("sshl.sat", sshl_sat),
    ("ssub.sat", ssub_sat),
    ("ssub.with.overflow", ssub_overflow),
    ("uadd.sat", uadd_sat),
    ("uadd.with.overflow", uadd_overflow),
    ("ucmp", ucmp),
    ("umax", umax),
    ("umin", umin),
    ("umul.with.overflow", umul_overflow),
    ("ushl.sat", ushl_sat),
    ("usub.sat", usub_sat),
    ("usub.with.overflow", usub_overflow),
];

/// The operand for which the predicate holds.
fn extreme(engine: &mut Engine<'_>, call: &Invocation<'_>, predicate: IntPredicate) -> Step<Reply> {
    each(engine, call, 2, &mut |engine, bits, args| {
        let first = values::compare(&mut engine.pool, predicate, bits, args[0], args[1]);
        Ok(values::select(
            &mut engine.pool,
            bits,
            first,
            args[0],
            args[1],
        ))
    })
}

fn umin(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    extreme(engine, call, IntPredicate::Ult)
}

fn umax(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    extreme(engine, call, IntPredicate::Ugt)
}

fn smin(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    extreme(engine, call, IntPredicate::Slt)
}

fn smax(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    extreme(engine, call, IntPredicate::Sgt)
}

fn abs(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    each(engine, call, 1, &mut |engine, bits, args| {
        let pool = &mut engine.pool;
        let zero = values::from_u128(pool, bits, 0);
        let negative = values::compare(pool, IntPredicate::Slt, bits, args[0], zero);
        let opposite = values::binary(pool, BinaryOp::Sub, bits, zero, args[0]);
        Ok(values::select(pool, bits, negative, opposite, args[0]))
    })
}

/// -1, 0 or 1 by comparison.
fn three_way(engine: &mut Engine<'_>, call: &Invocation<'_>, less: IntPredicate) -> Step<Reply> {
    let program = engine.program;
    let ret = program.function(call.callee).ret;
    let width = match engine.code.ty(ret).class {
        Class::Vector(element, _) => engine.code.ty(element).bits,
        _ => engine.code.ty(ret).bits,
    };
    each(engine, call, 2, &mut |engine, bits, args| {
        let pool = &mut engine.pool;
        let below = values::compare(pool, less, bits, args[0], args[1]);
        let above = values::compare(pool, less, bits, args[1], args[0]);
        let (minus, zero, plus) = (
            Value::Int(values::mask(width.min(64))),
            Value::Int(0),
            Value::Int(1),
        );
        let not_less = values::select(pool, width, above, plus, zero);
        Ok(values::select(pool, width, below, minus, not_less))
    })
}

fn ucmp(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    three_way(engine, call, IntPredicate::Ult)
}

fn scmp(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    three_way(engine, call, IntPredicate::Slt)
}

/// The result of an operation cut to the operands' width, and whether it did not fit: computed at
/// a width at which it always fits.
fn exact(
    pool: &mut Pool,
    op: BinaryOp,
    is_signed: bool,
    bits: u32,
    a: Value,
    b: Value,
) -> (Value, Value) {
    let wide = if op == BinaryOp::Mul {
        bits * 2
    } else {
        bits + 1
    };
    let widen = if is_signed {
        values::sext
    } else {
        values::zext
    };
    let result = values::binary(pool, op, bits, a, b);
    let (a, b) = (widen(pool, a, bits, wide), widen(pool, b, bits, wide));
    let full = values::binary(pool, op, wide, a, b);
    let back = widen(pool, result, bits, wide);
    let lost = values::compare(pool, IntPredicate::Ne, wide, full, back);
    (result, lost)
}

fn with_overflow(
    engine: &mut Engine<'_>,
    call: &Invocation<'_>,
    op: BinaryOp,
    is_signed: bool,
) -> Step<Reply> {
    let program = engine.program;
    let Some(&ty) = program.function(call.callee).params.first() else {
        return crate::stop::unsupported("internal: intrinsic without parameters");
    };
    let info = *engine.code.ty(ty);
    let pair = if let Class::Vector(element, count) = info.class {
        let bits = engine.code.ty(element).bits;
        let a = lanes(engine, call.arg(0), count)?;
        let b = lanes(engine, call.arg(1), count)?;
        let (mut results, mut losses) = (Vec::new(), Vec::new());
        for (a, b) in a.into_iter().zip(b) {
            let (result, lost) = exact(&mut engine.pool, op, is_signed, bits, a, b);
            results.push(result);
            losses.push(lost);
        }
        [
            Value::Aggregate(engine.pool.aggregate(&results)),
            Value::Aggregate(engine.pool.aggregate(&losses)),
        ]
    } else {
        engine.require_scalar(call.arg(0))?;
        engine.require_scalar(call.arg(1))?;
        let pool = &mut engine.pool;
        let (result, lost) = exact(pool, op, is_signed, info.bits, call.arg(0), call.arg(1));
        [result, lost]
    };
    Ok(Reply::Value(Value::Aggregate(engine.pool.aggregate(&pair))))
}

fn sadd_overflow(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    with_overflow(engine, call, BinaryOp::Add, true)
}

fn ssub_overflow(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    with_overflow(engine, call, BinaryOp::Sub, true)
}

fn smul_overflow(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    with_overflow(engine, call, BinaryOp::Mul, true)
}

fn uadd_overflow(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    with_overflow(engine, call, BinaryOp::Add, false)
}

fn usub_overflow(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    with_overflow(engine, call, BinaryOp::Sub, false)
}

fn umul_overflow(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    with_overflow(engine, call, BinaryOp::Mul, false)
}

/// The least (or greatest) signed number.
fn signed_limit(pool: &mut Pool, bits: u32, greatest: bool) -> Value {
    let one = values::from_u128(pool, bits, 1);
    let places = values::from_u128(pool, bits, u128::from(bits - 1));
    let least = values::binary(pool, BinaryOp::Shl, bits, one, places);
    if greatest {
        values::binary(pool, BinaryOp::Sub, bits, least, one)
    } else {
        least
    }
}

fn saturating(
    engine: &mut Engine<'_>,
    call: &Invocation<'_>,
    op: BinaryOp,
    is_signed: bool,
) -> Step<Reply> {
    each(engine, call, 2, &mut |engine, bits, args| {
        let pool = &mut engine.pool;
        let (result, lost) = exact(pool, op, is_signed, bits, args[0], args[1]);
        let zero = values::from_u128(pool, bits, 0);
        let limit = if is_signed {
            // The side of the limit is that of the first operand.
            let (least, greatest) = (
                signed_limit(pool, bits, false),
                signed_limit(pool, bits, true),
            );
            let negative = values::compare(pool, IntPredicate::Slt, bits, args[0], zero);
            values::select(pool, bits, negative, least, greatest)
        } else if op == BinaryOp::Sub {
            zero
        } else {
            let one = values::from_u128(pool, bits, 1);
            values::binary(pool, BinaryOp::Sub, bits, zero, one)
        };
        Ok(values::select(pool, bits, lost, limit, result))
    })
}

fn sadd_sat(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    saturating(engine, call, BinaryOp::Add, true)
}

fn ssub_sat(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    saturating(engine, call, BinaryOp::Sub, true)
}

fn uadd_sat(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    saturating(engine, call, BinaryOp::Add, false)
}

fn usub_sat(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    saturating(engine, call, BinaryOp::Sub, false)
}

fn shl_sat(engine: &mut Engine<'_>, call: &Invocation<'_>, is_signed: bool) -> Step<Reply> {
    each(engine, call, 2, &mut |engine, bits, args| {
        let pool = &mut engine.pool;
        let result = values::binary(pool, BinaryOp::Shl, bits, args[0], args[1]);
        let shift_back = if is_signed {
            BinaryOp::AShr
        } else {
            BinaryOp::LShr
        };
        let back = values::binary(pool, shift_back, bits, result, args[1]);
        let lost = values::compare(pool, IntPredicate::Ne, bits, back, args[0]);
        let zero = values::from_u128(pool, bits, 0);
        let limit = if is_signed {
            let (least, greatest) = (
                signed_limit(pool, bits, false),
                signed_limit(pool, bits, true),
            );
            let negative = values::compare(pool, IntPredicate::Slt, bits, args[0], zero);
            values::select(pool, bits, negative, least, greatest)
        } else {
            let one = values::from_u128(pool, bits, 1);
            values::binary(pool, BinaryOp::Sub, bits, zero, one)
        };
        Ok(values::select(pool, bits, lost, limit, result))
    })
}

fn sshl_sat(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    shl_sat(engine, call, true)
}

fn ushl_sat(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    shl_sat(engine, call, false)
}

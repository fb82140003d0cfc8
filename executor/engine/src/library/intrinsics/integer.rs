//! Integer arithmetic: minima and maxima, overflow, saturation, absolute value.

use super::{Invocation, Reply, Run, each};
use crate::api::outcome::FaultKind;
use crate::code::types::Class;
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Step, fault, internal};
use crate::step::lanes;
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
fn extreme(exec: &mut Executor<'_>, call: &Invocation<'_>, predicate: IntPredicate) -> Step<Reply> {
    each(exec, call, 2, &mut |exec, bits, args| {
        let first = values::compare(&mut exec.pool, predicate, bits, args[0], args[1]);
        Ok(values::select(
            &mut exec.pool,
            bits,
            first,
            args[0],
            args[1],
        ))
    })
}

fn umin(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    extreme(exec, call, IntPredicate::Ult)
}

fn umax(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    extreme(exec, call, IntPredicate::Ugt)
}

fn smin(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    extreme(exec, call, IntPredicate::Slt)
}

fn smax(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    extreme(exec, call, IntPredicate::Sgt)
}

/// KLEE ends a path at poison; otherwise it is an error where it is used.
fn abs(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let forbidden = exec.config.start.as_klee && call.arg(1) == Value::Int(1);
    each(exec, call, 1, &mut |exec, bits, args| {
        if forbidden && bits <= 64 && args[0] == Value::Int(1 << (bits - 1)) {
            let kind = FaultKind::Reported("exec".into());
            return fault(kind, "llvm.abs called with poison and INT_MIN");
        }
        let pool = &mut exec.pool;
        let zero = values::from_u128(pool, bits, 0);
        let negative = values::compare(pool, IntPredicate::Slt, bits, args[0], zero);
        let opposite = values::binary(pool, BinaryOp::Sub, bits, zero, args[0]);
        Ok(values::select(pool, bits, negative, opposite, args[0]))
    })
}

/// -1, 0 or 1 by comparison.
fn three_way(exec: &mut Executor<'_>, call: &Invocation<'_>, less: IntPredicate) -> Step<Reply> {
    let program = exec.program;
    let ret = program.function(call.callee).ret;
    let width = match exec.code.ty(ret).class {
        Class::Vector(element, _) => exec.code.ty(element).bits,
        _ => exec.code.ty(ret).bits,
    };
    each(exec, call, 2, &mut |exec, bits, args| {
        let pool = &mut exec.pool;
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

fn ucmp(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    three_way(exec, call, IntPredicate::Ult)
}

fn scmp(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    three_way(exec, call, IntPredicate::Slt)
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
    exec: &mut Executor<'_>,
    call: &Invocation<'_>,
    op: BinaryOp,
    is_signed: bool,
) -> Step<Reply> {
    let program = exec.program;
    let Some(&ty) = program.function(call.callee).params.first() else {
        return internal("intrinsic without parameters");
    };
    let info = *exec.code.ty(ty);
    let pair = if let Class::Vector(element, count) = info.class {
        let bits = exec.code.ty(element).bits;
        let a = lanes(exec, call.arg(0), count)?;
        let b = lanes(exec, call.arg(1), count)?;
        let (mut results, mut losses) = (Vec::new(), Vec::new());
        for (a, b) in a.into_iter().zip(b) {
            let (result, lost) = exact(&mut exec.pool, op, is_signed, bits, a, b);
            results.push(result);
            losses.push(lost);
        }
        [
            Value::Aggregate(exec.pool.aggregate(&results)),
            Value::Aggregate(exec.pool.aggregate(&losses)),
        ]
    } else {
        exec.require_scalar(call.arg(0))?;
        exec.require_scalar(call.arg(1))?;
        let pool = &mut exec.pool;
        let (result, lost) = exact(pool, op, is_signed, info.bits, call.arg(0), call.arg(1));
        [result, lost]
    };
    Ok(Reply::Value(Value::Aggregate(exec.pool.aggregate(&pair))))
}

fn sadd_overflow(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    with_overflow(exec, call, BinaryOp::Add, true)
}

fn ssub_overflow(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    with_overflow(exec, call, BinaryOp::Sub, true)
}

fn smul_overflow(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    with_overflow(exec, call, BinaryOp::Mul, true)
}

fn uadd_overflow(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    with_overflow(exec, call, BinaryOp::Add, false)
}

fn usub_overflow(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    with_overflow(exec, call, BinaryOp::Sub, false)
}

fn umul_overflow(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    with_overflow(exec, call, BinaryOp::Mul, false)
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
    exec: &mut Executor<'_>,
    call: &Invocation<'_>,
    op: BinaryOp,
    is_signed: bool,
) -> Step<Reply> {
    each(exec, call, 2, &mut |exec, bits, args| {
        let pool = &mut exec.pool;
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

fn sadd_sat(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    saturating(exec, call, BinaryOp::Add, true)
}

fn ssub_sat(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    saturating(exec, call, BinaryOp::Sub, true)
}

fn uadd_sat(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    saturating(exec, call, BinaryOp::Add, false)
}

fn usub_sat(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    saturating(exec, call, BinaryOp::Sub, false)
}

fn shl_sat(exec: &mut Executor<'_>, call: &Invocation<'_>, is_signed: bool) -> Step<Reply> {
    each(exec, call, 2, &mut |exec, bits, args| {
        let pool = &mut exec.pool;
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

fn sshl_sat(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    shl_sat(exec, call, true)
}

fn ushl_sat(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    shl_sat(exec, call, false)
}

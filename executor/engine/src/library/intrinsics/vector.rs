//! Intrinsics on vectors: reductions, rearrangements, and accesses lane by lane.

use super::{Invocation, Reply, Run};
use crate::api::outcome::PathEnd;
use crate::api::summary::ForkKind;
use crate::code::types::{self, Class};
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Step, internal, unsupported};
use crate::step::lanes;
use crate::values;
use plat_expr::Value;
use plat_program::{BinaryOp, FloatOp, Type, TypeId};

pub(super) const TABLE: &[(&str, Run)] = &[
    ("experimental.cttz.elts", first_lane),
    ("experimental.vector.extract", extract),
    ("experimental.vector.insert", insert),
    ("experimental.vector.reverse", reverse),
    ("get.active.lane.mask", active_lanes),
    ("masked.compressstore", compress),
    ("masked.expandload", expand),
    ("masked.gather", gather),
    ("masked.scatter", scatter),
    ("stepvector", steps),
    ("vector.deinterleave2", deinterleave),
    ("vector.extract", extract),
    ("vector.insert", insert),
    ("vector.interleave2", interleave),
    ("vector.reduce.add", reduce_add),
    ("vector.reduce.and", reduce_and),
    ("vector.reduce.fadd", reduce_fadd),
    ("vector.reduce.fmul", reduce_fmul),
    ("vector.reduce.mul", reduce_mul),
    ("vector.reduce.or", reduce_or),
    ("vector.reduce.smax", reduce_smax),
    ("vector.reduce.smin", reduce_smin),
    ("vector.reduce.umax", reduce_umax),
    ("vector.reduce.umin", reduce_umin),
    ("vector.reduce.xor", reduce_xor),
    ("vector.reverse", reverse),
    ("vector.splice", splice),
];

/// Element type and length of a vector type.
fn shape(exec: &Executor<'_>, ty: TypeId) -> Step<(TypeId, u32)> {
    match exec.code.ty(ty).class {
        Class::Vector(element, count) => Ok((element, count)),
        _ => internal("vector intrinsic on another type"),
    }
}

/// The lanes of a vector argument.
fn argument(exec: &mut Executor<'_>, call: &Invocation<'_>, at: usize) -> Step<Vec<Value>> {
    match exec.program.function(call.callee).params.get(at) {
        Some(&ty) => {
            let (_, count) = shape(exec, ty)?;
            lanes(exec, call.arg(at), count)
        }
        None => internal("vector intrinsic without that parameter"),
    }
}

fn vector(exec: &mut Executor<'_>, list: &[Value]) -> Step<Reply> {
    Ok(Reply::Value(Value::Aggregate(exec.pool.aggregate(list))))
}

/// A number that must be constant, as positions of lanes are.
fn position(value: Value) -> Step<usize> {
    match value {
        Value::Int(number) => Ok(number as usize),
        _ => unsupported("a lane that is not constant"),
    }
}

/// `cttz.elts(vector, zero_is_poison)`: the first lane that is not zero.
fn first_lane(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let list = argument(exec, call, 0)?;
    let Some(&ty) = exec.program.function(call.callee).params.first() else {
        return internal("vector intrinsic without parameters");
    };
    let element = shape(exec, ty)?.0;
    let (bits, result) = (exec.code.ty(element).bits, exec.code.ty(call.ret).bits);
    let mut found = Value::Int(list.len() as u64);
    for (lane, &value) in list.iter().enumerate().rev() {
        let pool = &mut exec.pool;
        let set = values::compare(
            pool,
            plat_program::IntPredicate::Ne,
            bits,
            value,
            Value::Int(0),
        );
        found = values::select(pool, result, set, Value::Int(lane as u64), found);
    }
    Ok(Reply::Value(found))
}

fn extract(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let list = argument(exec, call, 0)?;
    let (from, count) = (position(call.arg(1))?, shape(exec, call.ret)?.1 as usize);
    match list.get(from..from + count) {
        Some(part) => vector(exec, part),
        None => unsupported("lanes outside a vector"),
    }
}

fn insert(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let (mut list, part) = (argument(exec, call, 0)?, argument(exec, call, 1)?);
    let at = position(call.arg(2))?;
    match list.get_mut(at..at + part.len()) {
        Some(place) => place.copy_from_slice(&part),
        None => return unsupported("lanes outside a vector"),
    }
    vector(exec, &list)
}

fn reverse(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let mut list = argument(exec, call, 0)?;
    list.reverse();
    vector(exec, &list)
}

/// `splice(a, b, from)`: a window of the two, one behind the other.
fn splice(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let mut list = argument(exec, call, 0)?;
    let count = list.len();
    list.extend(argument(exec, call, 1)?);
    let from = position(call.arg(2))? as u32 as i32;
    let from = if from < 0 {
        count.saturating_sub(from.unsigned_abs() as usize)
    } else {
        from as usize
    };
    match list.get(from..from + count) {
        Some(part) => vector(exec, part),
        None => unsupported("lanes outside a vector"),
    }
}

fn interleave(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let (a, b) = (argument(exec, call, 0)?, argument(exec, call, 1)?);
    let list: Vec<Value> = a.into_iter().zip(b).flat_map(|(a, b)| [a, b]).collect();
    vector(exec, &list)
}

fn deinterleave(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let list = argument(exec, call, 0)?;
    let even: Vec<Value> = list.iter().copied().step_by(2).collect();
    let odd: Vec<Value> = list.iter().copied().skip(1).step_by(2).collect();
    let parts = [even, odd].map(|part| Value::Aggregate(exec.pool.aggregate(&part)));
    vector(exec, &parts)
}

/// `get.active.lane.mask(base, n)`: lane i is whether base + i < n.
fn active_lanes(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let (count, bits) = (shape(exec, call.ret)?.1, call.width(0));
    let pool = &mut exec.pool;
    let left = values::binary(pool, BinaryOp::Sub, bits, call.arg(1), call.arg(0));
    let any = values::compare(
        pool,
        plat_program::IntPredicate::Ult,
        bits,
        call.arg(0),
        call.arg(1),
    );
    let mut list = Vec::with_capacity(count as usize);
    for lane in 0..u64::from(count) {
        let predicate = plat_program::IntPredicate::Ult;
        let below = values::compare(pool, predicate, bits, Value::Int(lane), left);
        list.push(values::binary(pool, BinaryOp::And, 1, any, below));
    }
    vector(exec, &list)
}

fn steps(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let count = shape(exec, call.ret)?.1;
    let list: Vec<Value> = (0..u64::from(count)).map(Value::Int).collect();
    vector(exec, &list)
}

/// The lanes of a mask as decisions of this path.
pub(super) fn decided(
    exec: &mut Executor<'_>,
    state: &mut State,
    mask: Value,
    count: u32,
) -> Step<Vec<bool>> {
    let mut decided = Vec::with_capacity(count as usize);
    for lane in lanes(exec, mask, count)? {
        decided.push(exec.concrete(state, ForkKind::Library, lane, 1)? != 0);
    }
    Ok(decided)
}

/// `masked.gather(pointers, mask, otherwise)`, in older modules `(pointers, align, mask, otherwise)`.
fn gather(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let (element, count) = shape(exec, call.ret)?;
    let further = usize::from(call.args.len() > 3);
    let mask = decided(exec, state, call.arg(1 + further), count)?;
    let pointers = lanes(exec, call.arg(0), count)?;
    let mut list = lanes(exec, call.arg(2 + further), count)?;
    let bits = types::image_bits(exec.program, element) as u32;
    for ((value, pointer), wanted) in list.iter_mut().zip(pointers).zip(mask) {
        if wanted {
            *value = exec.load_word(state, pointer, bits)?;
        }
    }
    vector(exec, &list)
}

/// `masked.scatter(values, pointers, mask)`, in older modules `(values, pointers, align, mask)`.
fn scatter(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let Some(&ty) = exec.program.function(call.callee).params.first() else {
        return internal("vector intrinsic without parameters");
    };
    let (element, count) = shape(exec, ty)?;
    let mask = decided(exec, state, call.arg(call.args.len() - 1), count)?;
    let (list, pointers) = (
        lanes(exec, call.arg(0), count)?,
        lanes(exec, call.arg(1), count)?,
    );
    let bits = types::image_bits(exec.program, element) as u32;
    for ((value, pointer), wanted) in list.into_iter().zip(pointers).zip(mask) {
        if wanted {
            exec.store_word(state, pointer, value, bits)?;
        }
    }
    Ok(Reply::Nothing)
}

/// `masked.expandload(pointer, mask, otherwise)`: the wanted lanes from consecutive words.
fn expand(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let (element, count) = shape(exec, call.ret)?;
    let mask = decided(exec, state, call.arg(1), count)?;
    let mut list = lanes(exec, call.arg(2), count)?;
    let bits = types::image_bits(exec.program, element);
    let wanted = list.iter_mut().zip(mask).filter(|&(_, wanted)| wanted);
    for (at, (value, _)) in wanted.enumerate() {
        let address = exec.displaced(call.arg(0), at as u64 * (bits / 8));
        *value = exec.load_word(state, address, bits as u32)?;
    }
    vector(exec, &list)
}

/// `masked.compressstore(values, pointer, mask)`: the wanted lanes to consecutive words.
fn compress(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let Some(&ty) = exec.program.function(call.callee).params.first() else {
        return internal("vector intrinsic without parameters");
    };
    let (element, count) = shape(exec, ty)?;
    let mask = decided(exec, state, call.arg(2), count)?;
    let list = lanes(exec, call.arg(0), count)?;
    let bits = types::image_bits(exec.program, element);
    let wanted = list.into_iter().zip(mask).filter(|&(_, wanted)| wanted);
    for (at, (value, _)) in wanted.enumerate() {
        let address = exec.displaced(call.arg(1), at as u64 * (bits / 8));
        exec.store_word(state, address, value, bits as u32)?;
    }
    Ok(Reply::Nothing)
}

/// `reduce.fadd(start, vector)` and `reduce.fmul`, from the first lane to the last.
fn fold_floats(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
    op: FloatOp,
) -> Step<Reply> {
    let list = argument(exec, call, 1)?;
    let info = *exec.code.ty(call.ret);
    let mut sum = call.arg(0);
    for value in list {
        sum = exec.float_scalar(state, op, &info, sum, value)?;
    }
    Ok(Reply::Value(sum))
}

fn reduce_fadd(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    fold_floats(exec, state, call, FloatOp::Add)
}

fn reduce_fmul(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    fold_floats(exec, state, call, FloatOp::Mul)
}

/// All lanes of the only argument, combined.
fn reduce(
    exec: &mut Executor<'_>,
    call: &Invocation<'_>,
    combine: &dyn Fn(&mut plat_expr::Pool, u32, Value, Value) -> Value,
) -> Step<Reply> {
    let program = exec.program;
    let ty = program.function(call.callee).params.first().copied();
    let Some(Type::Vector(element, count)) = ty.map(|ty| program.types.get(ty)) else {
        return crate::state::stop::unsupported("reduction of this type");
    };
    let bits = exec.code.ty(*element).bits;
    let list = crate::step::lanes(exec, call.arg(0), *count)?;
    let combined = list
        .into_iter()
        .reduce(|a, b| combine(&mut exec.pool, bits, a, b));
    match combined {
        Some(value) => Ok(Reply::Value(value)),
        None => Err(PathEnd::Unsupported("reduction of nothing".into()).into()),
    }
}

macro_rules! reductions {
    ($($name:ident = $op:ident)*) => {$(
        fn $name(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
            reduce(exec, call, &|pool, bits, a, b| {
                values::binary(pool, BinaryOp::$op, bits, a, b)
            })
        }
    )*};
}

reductions! {
    reduce_add = Add
    reduce_mul = Mul
    reduce_and = And
    reduce_or = Or
    reduce_xor = Xor
}

macro_rules! extremes {
    ($($name:ident = $predicate:ident)*) => {$(
        fn $name(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
            reduce(exec, call, &|pool, bits, a, b| {
                let predicate = plat_program::IntPredicate::$predicate;
                let first = values::compare(pool, predicate, bits, a, b);
                values::select(pool, bits, first, a, b)
            })
        }
    )*};
}

extremes! {
    reduce_smax = Sgt
    reduce_smin = Slt
    reduce_umax = Ugt
    reduce_umin = Ult
}

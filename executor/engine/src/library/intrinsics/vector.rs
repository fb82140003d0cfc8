//! Intrinsics on vectors: reductions, rearrangements, and accesses lane by lane.

use super::{Invocation, Reply, Run};
use crate::engine::Engine;
use crate::outcome::PathEnd;
use crate::state::State;
use crate::step::lanes;
use crate::stop::{Step, unsupported};
use crate::summary::ForkKind;
use crate::types::{self, Class};
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
fn shape(engine: &Engine<'_>, ty: TypeId) -> Step<(TypeId, u32)> {
    match engine.code.ty(ty).class {
        Class::Vector(element, count) => Ok((element, count)),
        _ => unsupported("internal: vector intrinsic on another type"),
    }
}

/// The lanes of a vector argument.
fn argument(engine: &mut Engine<'_>, call: &Invocation<'_>, at: usize) -> Step<Vec<Value>> {
    match engine.program.function(call.callee).params.get(at) {
        Some(&ty) => {
            let (_, count) = shape(engine, ty)?;
            lanes(engine, call.arg(at), count)
        }
        None => unsupported("internal: vector intrinsic without that parameter"),
    }
}

fn vector(engine: &mut Engine<'_>, list: &[Value]) -> Step<Reply> {
    Ok(Reply::Value(Value::Aggregate(engine.pool.aggregate(list))))
}

/// A number that must be constant, as positions of lanes are.
fn position(value: Value) -> Step<usize> {
    match value {
        Value::Int(number) => Ok(number as usize),
        _ => unsupported("a lane that is not constant"),
    }
}

/// `cttz.elts(vector, zero_is_poison)`: the first lane that is not zero.
fn first_lane(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let list = argument(engine, call, 0)?;
    let Some(&ty) = engine.program.function(call.callee).params.first() else {
        return unsupported("internal: vector intrinsic without parameters");
    };
    let element = shape(engine, ty)?.0;
    let (bits, result) = (engine.code.ty(element).bits, engine.code.ty(call.ret).bits);
    let mut found = Value::Int(list.len() as u64);
    for (lane, &value) in list.iter().enumerate().rev() {
        let pool = &mut engine.pool;
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

fn extract(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let list = argument(engine, call, 0)?;
    let (from, count) = (position(call.arg(1))?, shape(engine, call.ret)?.1 as usize);
    match list.get(from..from + count) {
        Some(part) => vector(engine, part),
        None => unsupported("lanes outside a vector"),
    }
}

fn insert(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let (mut list, part) = (argument(engine, call, 0)?, argument(engine, call, 1)?);
    let at = position(call.arg(2))?;
    match list.get_mut(at..at + part.len()) {
        Some(place) => place.copy_from_slice(&part),
        None => return unsupported("lanes outside a vector"),
    }
    vector(engine, &list)
}

fn reverse(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let mut list = argument(engine, call, 0)?;
    list.reverse();
    vector(engine, &list)
}

/// `splice(a, b, from)`: a window of the two, one behind the other.
fn splice(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let mut list = argument(engine, call, 0)?;
    let count = list.len();
    list.extend(argument(engine, call, 1)?);
    let from = position(call.arg(2))? as u32 as i32;
    let from = if from < 0 {
        count.saturating_sub(from.unsigned_abs() as usize)
    } else {
        from as usize
    };
    match list.get(from..from + count) {
        Some(part) => vector(engine, part),
        None => unsupported("lanes outside a vector"),
    }
}

fn interleave(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let (a, b) = (argument(engine, call, 0)?, argument(engine, call, 1)?);
    let list: Vec<Value> = a.into_iter().zip(b).flat_map(|(a, b)| [a, b]).collect();
    vector(engine, &list)
}

fn deinterleave(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let list = argument(engine, call, 0)?;
    let even: Vec<Value> = list.iter().copied().step_by(2).collect();
    let odd: Vec<Value> = list.iter().copied().skip(1).step_by(2).collect();
    let parts = [even, odd].map(|part| Value::Aggregate(engine.pool.aggregate(&part)));
    vector(engine, &parts)
}

/// `get.active.lane.mask(base, n)`: lane i is whether base + i < n.
fn active_lanes(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let (count, bits) = (shape(engine, call.ret)?.1, call.width(0));
    let pool = &mut engine.pool;
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
    vector(engine, &list)
}

fn steps(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let count = shape(engine, call.ret)?.1;
    let list: Vec<Value> = (0..u64::from(count)).map(Value::Int).collect();
    vector(engine, &list)
}

/// The lanes of a mask as decisions of this path.
pub(super) fn decided(
    engine: &mut Engine<'_>,
    state: &mut State,
    mask: Value,
    count: u32,
) -> Step<Vec<bool>> {
    let mut decided = Vec::with_capacity(count as usize);
    for lane in lanes(engine, mask, count)? {
        decided.push(engine.concrete(state, ForkKind::Library, lane, 1)? != 0);
    }
    Ok(decided)
}

/// `masked.gather(pointers, mask, otherwise)`, in older modules `(pointers, align, mask, otherwise)`.
fn gather(engine: &mut Engine<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let (element, count) = shape(engine, call.ret)?;
    let further = usize::from(call.args.len() > 3);
    let mask = decided(engine, state, call.arg(1 + further), count)?;
    let pointers = lanes(engine, call.arg(0), count)?;
    let mut list = lanes(engine, call.arg(2 + further), count)?;
    let bits = types::image_bits(engine.program, element) as u32;
    for ((value, pointer), wanted) in list.iter_mut().zip(pointers).zip(mask) {
        if wanted {
            *value = engine.load_word(state, pointer, bits)?;
        }
    }
    vector(engine, &list)
}

/// `masked.scatter(values, pointers, mask)`, in older modules `(values, pointers, align, mask)`.
fn scatter(engine: &mut Engine<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let Some(&ty) = engine.program.function(call.callee).params.first() else {
        return unsupported("internal: vector intrinsic without parameters");
    };
    let (element, count) = shape(engine, ty)?;
    let mask = decided(engine, state, call.arg(call.args.len() - 1), count)?;
    let (list, pointers) = (
        lanes(engine, call.arg(0), count)?,
        lanes(engine, call.arg(1), count)?,
    );
    let bits = types::image_bits(engine.program, element) as u32;
    for ((value, pointer), wanted) in list.into_iter().zip(pointers).zip(mask) {
        if wanted {
            engine.store_word(state, pointer, value, bits)?;
        }
    }
    Ok(Reply::Nothing)
}

/// `masked.expandload(pointer, mask, otherwise)`: the wanted lanes from consecutive words.
fn expand(engine: &mut Engine<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let (element, count) = shape(engine, call.ret)?;
    let mask = decided(engine, state, call.arg(1), count)?;
    let mut list = lanes(engine, call.arg(2), count)?;
    let bits = types::image_bits(engine.program, element);
    let wanted = list.iter_mut().zip(mask).filter(|&(_, wanted)| wanted);
    for (at, (value, _)) in wanted.enumerate() {
        let address = engine.displaced(call.arg(0), at as u64 * (bits / 8));
        *value = engine.load_word(state, address, bits as u32)?;
    }
    vector(engine, &list)
}

/// `masked.compressstore(values, pointer, mask)`: the wanted lanes to consecutive words.
fn compress(engine: &mut Engine<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let Some(&ty) = engine.program.function(call.callee).params.first() else {
        return unsupported("internal: vector intrinsic without parameters");
    };
    let (element, count) = shape(engine, ty)?;
    let mask = decided(engine, state, call.arg(2), count)?;
    let list = lanes(engine, call.arg(0), count)?;
    let bits = types::image_bits(engine.program, element);
    let wanted = list.into_iter().zip(mask).filter(|&(_, wanted)| wanted);
    for (at, (value, _)) in wanted.enumerate() {
        let address = engine.displaced(call.arg(1), at as u64 * (bits / 8));
        engine.store_word(state, address, value, bits as u32)?;
    }
    Ok(Reply::Nothing)
}

/// `reduce.fadd(start, vector)` and `reduce.fmul`, from the first lane to the last.
fn fold_floats(
    engine: &mut Engine<'_>,
    state: &mut State,
    call: &Invocation<'_>,
    op: FloatOp,
) -> Step<Reply> {
    let list = argument(engine, call, 1)?;
    let info = *engine.code.ty(call.ret);
    let mut sum = call.arg(0);
    for value in list {
        sum = engine.float_scalar(state, op, &info, sum, value)?;
    }
    Ok(Reply::Value(sum))
}

fn reduce_fadd(engine: &mut Engine<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    fold_floats(engine, state, call, FloatOp::Add)
}

fn reduce_fmul(engine: &mut Engine<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    fold_floats(engine, state, call, FloatOp::Mul)
}

/// All lanes of the only argument, combined.
fn reduce(
    engine: &mut Engine<'_>,
    call: &Invocation<'_>,
    combine: &dyn Fn(&mut plat_expr::Pool, u32, Value, Value) -> Value,
) -> Step<Reply> {
    let program = engine.program;
    let ty = program.function(call.callee).params.first().copied();
    let Some(Type::Vector(element, count)) = ty.map(|ty| program.types.get(ty)) else {
        return crate::stop::unsupported("reduction of this type");
    };
    let bits = engine.code.ty(*element).bits;
    let list = crate::step::lanes(engine, call.arg(0), *count)?;
    let combined = list
        .into_iter()
        .reduce(|a, b| combine(&mut engine.pool, bits, a, b));
    match combined {
        Some(value) => Ok(Reply::Value(value)),
        None => Err(PathEnd::Unsupported("reduction of nothing".into()).into()),
    }
}

macro_rules! reductions {
    ($($name:ident = $op:ident)*) => {$(
        fn $name(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
            reduce(engine, call, &|pool, bits, a, b| {
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
        fn $name(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
            reduce(engine, call, &|pool, bits, a, b| {
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

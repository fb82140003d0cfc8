//! Intrinsics on memory, the stack and control, and hints to the compiler.

use super::super::{exceptions, jump, strings, ubsan};
use super::{Invocation, Reply, Run, first, nothing, vector};
use crate::api::outcome::FaultKind;
use crate::code::types::{self, Class};
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Step, fault, internal};
use crate::threads::Called;
use crate::values;
use plat_env::ThreadCall;
use plat_expr::Value;
use plat_program::BinaryOp;

pub(super) const TABLE: &[(&str, Run)] = &[
    ("annotation", first),
    ("assume", assume),
    ("clear_cache", nothing),
    ("dbg", nothing),
    ("debugtrap", trap),
    ("donothing", nothing),
    ("eh.sjlj.longjmp", jump::builtin_longjmp),
    ("eh.sjlj.setjmp", jump::builtin_setjmp),
    ("eh.typeid.for", exceptions::typeid_for),
    ("expect", first),
    ("experimental.noalias.scope.decl", nothing),
    ("fake.use", nothing),
    ("frameaddress", null),
    ("invariant.end", nothing),
    ("invariant.start", null),
    ("is.constant", is_constant),
    ("launder.invariant.group", first),
    ("lifetime", nothing),
    ("load.relative", load_relative),
    ("masked.load", masked_load),
    ("masked.store", masked_store),
    ("memcpy", strings::memcpy),
    ("memmove", strings::memmove),
    ("memset", strings::memset),
    ("objectsize", objectsize),
    ("pcmarker", nothing),
    ("prefetch", nothing),
    ("ptr.annotation", first),
    ("ptrmask", ptrmask),
    ("readcyclecounter", null),
    ("returnaddress", null),
    ("sideeffect", nothing),
    ("ssa.copy", first),
    ("stackrestore", stackrestore),
    ("stacksave", stacksave),
    ("strip.invariant.group", first),
    ("threadlocal.address", thread_local),
    ("trap", trap),
    ("ubsantrap", ubsan::trap),
    ("va_copy", va_copy),
    ("va_end", nothing),
    ("va_start", va_start),
    ("var.annotation", nothing),
    ("x86.sse2.pause", pause),
];

fn null(_: &mut Executor<'_>, _: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    Ok(Reply::Value(Value::Int(0)))
}

/// A promise of the compiler's: a false one is undefined behaviour that is met later, if at all.
fn assume(_: &mut Executor<'_>, _: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    Ok(Reply::Nothing)
}

/// KLEE calls `abort` in its place.
fn trap(exec: &mut Executor<'_>, _: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    let what = match exec.config.start.as_klee {
        true => "abort failure",
        false => "trap",
    };
    fault(FaultKind::Abort, what)
}

fn is_constant(_: &mut Executor<'_>, _: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    Ok(Reply::Value(Value::Int(0)))
}

/// `objectsize(pointer, min, null_is_unknown, dynamic)`: what the compiler says when it does not
/// know.
fn objectsize(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let bits = exec.code.ty(call.ret).bits;
    let unknown = if call.arg(1) == Value::Int(0) {
        values::mask(bits.clamp(1, 64))
    } else {
        0
    };
    Ok(Reply::Value(Value::Int(unknown)))
}

fn ptrmask(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    exec.require_scalar(call.arg(0))?;
    let mask = values::resize(&mut exec.pool, call.arg(1), call.width(1), 64);
    let result = values::binary(&mut exec.pool, BinaryOp::And, 64, call.arg(0), mask);
    Ok(Reply::Value(result))
}

/// `load.relative(pointer, offset)`: the 32-bit word there, added to the pointer.
fn load_relative(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let offset = values::sext(&mut exec.pool, call.arg(1), call.width(1), 64);
    let at = values::binary(&mut exec.pool, BinaryOp::Add, 64, call.arg(0), offset);
    let word = exec.load_word(state, at, 32)?;
    let word = values::sext(&mut exec.pool, word, 32, 64);
    let result = values::binary(&mut exec.pool, BinaryOp::Add, 64, call.arg(0), word);
    Ok(Reply::Value(result))
}

/// The token is the number of stack objects of the frame, and one, so that it is not null.
fn stacksave(_: &mut Executor<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    Ok(Reply::Value(Value::Int(
        state.frame.allocas.len() as u64 + 1,
    )))
}

fn stackrestore(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    if let Value::Int(token @ 1..) = call.arg(0) {
        exec.release_stack(state, (token - 1) as usize);
    }
    Ok(Reply::Nothing)
}

fn va_start(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    exec.va_start(state, call.arg(0))?;
    Ok(Reply::Nothing)
}

fn va_copy(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    exec.va_copy(state, call.arg(0), call.arg(1))?;
    Ok(Reply::Nothing)
}

/// `masked.load(pointer, mask, otherwise)`, in older modules `(pointer, align, mask, otherwise)`.
fn masked_load(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let Class::Vector(element, count) = exec.code.ty(call.ret).class else {
        return crate::state::stop::unsupported("masked load of this type");
    };
    let at = usize::from(call.args.len() > 3);
    let mask = vector::decided(exec, state, call.arg(1 + at), count)?;
    let mut list = crate::step::lanes(exec, call.arg(2 + at), count)?;
    let stride = types::image_bits(exec.program, element) / 8;
    for (lane, (value, &wanted)) in list.iter_mut().zip(&mask).enumerate() {
        if wanted {
            let address = exec.displaced(call.arg(0), lane as u64 * stride);
            *value = exec.load_word(state, address, (stride * 8) as u32)?;
        }
    }
    Ok(Reply::Value(Value::Aggregate(exec.pool.aggregate(&list))))
}

/// `masked.store(value, pointer, mask)`, in older modules `(value, pointer, align, mask)`.
fn masked_store(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let program = exec.program;
    let ty = program.function(call.callee).params.first().copied();
    let Some(Class::Vector(element, count)) = ty.map(|ty| exec.code.ty(ty).class) else {
        return crate::state::stop::unsupported("masked store of this type");
    };
    let mask = vector::decided(exec, state, call.arg(call.args.len() - 1), count)?;
    let list = crate::step::lanes(exec, call.arg(0), count)?;
    let stride = types::image_bits(program, element) / 8;
    for (lane, (value, &wanted)) in list.into_iter().zip(&mask).enumerate() {
        if wanted {
            let address = exec.displaced(call.arg(1), lane as u64 * stride);
            exec.store_word(state, address, value, (stride * 8) as u32)?;
        }
    }
    Ok(Reply::Nothing)
}

/// `llvm.x86.sse2.pause()`: what a loop does that waits for another thread.
fn pause(exec: &mut Executor<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    match exec.thread_call(state, ThreadCall::Yield)? {
        Called::Replied(reply) => Ok(reply),
        Called::Delivers(_) => internal("a pause that raises a signal"),
    }
}

/// `llvm.threadlocal.address(variable)`.
fn thread_local(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    exec.thread_local(state, call.arg(0)).map(Reply::Value)
}

//! Non-local jumps.
//!
//! `setjmp` writes into its buffer which activation called it and at which instruction; `longjmp`
//! looks that activation up on the call stack, leaves everything above it, and lets the call of
//! `setjmp` return once more. Registers keep their values, as callee-saved registers and stack
//! slots do on the machine.

use super::{Invocation, Reply, Table, When};
use crate::api::outcome::FaultKind;
use crate::api::summary::ForkKind;
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Flow, Step, fault};
use crate::values;
use plat_expr::Value;
use plat_program::{Inst, IntPredicate};

pub(super) const TABLE: Table = &[
    ("__sigsetjmp", When::Always, setjmp),
    ("_longjmp", When::Always, longjmp),
    ("_setjmp", When::Always, setjmp),
    ("longjmp", When::Always, longjmp),
    ("setjmp", When::Always, setjmp),
    ("siglongjmp", When::Declared, longjmp),
    ("sigsetjmp", When::Always, setjmp),
];

/// Offsets in the buffer of the activation and the position.
const WORDS: (u64, u64) = (0, 8);
/// The same for LLVM's pair of intrinsics, whose compiler has put the frame's and the stack's
/// address into words 0 and 2.
const BUILTIN_WORDS: (u64, u64) = (8, 24);

fn setjmp(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    set(exec, state, call, WORDS)
}

fn longjmp(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let value = values::resize(&mut exec.pool, call.arg(1), call.width(1), 32);
    jump(exec, state, call.arg(0), value, WORDS)
}

/// `llvm.eh.sjlj.setjmp(buffer)`.
pub(super) fn builtin_setjmp(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
) -> Step<Reply> {
    set(exec, state, call, BUILTIN_WORDS)
}

/// `llvm.eh.sjlj.longjmp(buffer)`: the other call returns 1.
pub(super) fn builtin_longjmp(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
) -> Step<Reply> {
    jump(exec, state, call.arg(0), Value::Int(1), BUILTIN_WORDS)
}

fn set(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
    words: (u64, u64),
) -> Step<Reply> {
    let buffer = call.arg(0);
    let position = u64::from(state.frame.inst(exec.program).0);
    // Both words, so that a buffer that is too small is met before it is written.
    exec.bytes_at(state, buffer, words.1 + 8)?;
    let at = exec.displaced(buffer, words.0);
    exec.store_word(state, at, Value::Int(state.frame.serial), 64)?;
    let at = exec.displaced(buffer, words.1);
    exec.store_word(state, at, Value::Int(position), 64)?;
    exec.keep_whole(state.frame.function);
    Ok(Reply::Value(Value::Int(0)))
}

fn jump(
    exec: &mut Executor<'_>,
    state: &mut State,
    buffer: Value,
    value: Value,
    words: (u64, u64),
) -> Step<Reply> {
    let at = exec.displaced(buffer, words.0);
    let serial = exec.load_word(state, at, 64)?;
    let serial = exec.concrete(state, ForkKind::Library, serial, 64)?;
    let at = exec.displaced(buffer, words.1);
    let position = exec.load_word(state, at, 64)?;
    let position = exec.concrete(state, ForkKind::Library, position, 64)?;
    let target = state.stack().find(|frame| frame.serial == serial);
    let program = exec.program;
    let place = target.and_then(|frame| {
        let function = program.function(frame.function);
        let at = position.checked_sub(u64::from(function.first_inst.0))?;
        let inst = function.insts.get(usize::try_from(at).ok()?)?;
        matches!(inst, Inst::Call { .. } | Inst::Invoke { .. }).then_some(at as u32)
    });
    let Some(place) = place else {
        return fault(FaultKind::User, "longjmp to a function that has returned");
    };
    while state.frame.serial != serial {
        exec.release_stack(state, 0);
        let Some(caller) = state.callers.pop() else {
            return fault(FaultKind::User, "longjmp to a function that has returned");
        };
        state.frame = caller;
        exec.expand(&mut state.frame);
    }
    state.frame.pc = place;
    let is_zero = values::compare(&mut exec.pool, IntPredicate::Eq, 32, value, Value::Int(0));
    let value = values::select(&mut exec.pool, 32, is_zero, Value::Int(1), value);
    let function = program.function(state.frame.function);
    if let Some(dst) = function.insts[place as usize].dst() {
        state.frame.regs[dst.index()] = value;
    }
    if exec.behind_call(state) == Flow::Next {
        state.frame.pc += 1;
    }
    Ok(Reply::Transferred)
}

//! What the bitcode C library leaves to the executor.

use super::{Invocation, Reply, Table, When, heap};
use crate::engine::Engine;
use crate::frame::OnReturn;
use crate::outcome::FaultKind;
use crate::state::State;
use crate::stop::{Step, fault, unsupported};
use plat_expr::Value;
use plat_program::FuncId;

pub(super) const TABLE: Table = &[
    ("__cxa_atexit", When::Declared, zero),
    ("__errno_location", When::Declared, errno_location),
    ("__plat_abort", When::Always, abort),
    ("__plat_msize", When::Always, heap::msize),
    ("__plat_run_ctors", When::Always, run_constructors),
    ("__plat_run_dtors", When::Always, run_destructors),
    ("__plat_syscall", When::Always, crate::system::system_call),
    ("atexit", When::Declared, zero),
];

/// The body if there is one, else a lack.
pub(super) fn body_or_unsupported(engine: &Engine<'_>, call: &Invocation<'_>) -> Step<Reply> {
    let function = engine.program.function(call.callee);
    if function.declaration {
        return unsupported(format!("{} on symbolic data", function.name));
    }
    Ok(Reply::Body)
}

fn zero(_: &mut Engine<'_>, _: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    Ok(Reply::Value(Value::Int(0)))
}

fn errno_location(engine: &mut Engine<'_>, _: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    Ok(Reply::Value(engine.code.errno.unwrap_or(Value::Int(0))))
}

fn abort(engine: &mut Engine<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let text = engine.c_string(state, call.arg(0))?;
    let message = format!("abort failure: {}", String::from_utf8_lossy(&text));
    fault(FaultKind::Abort, message)
}

fn run_constructors(engine: &mut Engine<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    let list = engine.program.constructors.clone();
    call_each(engine, state, &list)
}

fn run_destructors(engine: &mut Engine<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    let list = engine.program.destructors.clone();
    call_each(engine, state, &list)
}

/// Calls functions without arguments, one after the other, from the current call.
fn call_each(engine: &mut Engine<'_>, state: &mut State, list: &[FuncId]) -> Step<Reply> {
    let bodies = list
        .iter()
        .filter(|&&function| !engine.program.function(function).declaration);
    let bodies: Vec<FuncId> = bodies.copied().collect();
    if bodies.is_empty() {
        return Ok(Reply::Nothing);
    }
    // The last to run lies lowest and returns to the call.
    for (at, &function) in bodies.iter().rev().enumerate() {
        let registers = engine.registers(function);
        engine.push_frame(state, function, registers)?;
        if at > 0 {
            state.frame.on_return = OnReturn::Resume;
        }
    }
    Ok(Reply::Transferred)
}

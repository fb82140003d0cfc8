//! What the bitcode C library leaves to the executor.

use super::{Invocation, Reply, Table, When, heap};
use crate::api::outcome::{FaultKind, PathEnd};
use crate::executor::Executor;
use crate::state::State;
use crate::state::frame::OnReturn;
use crate::state::stop::{Step, fault, internal, unsupported};
use crate::threads::{Beginning, Called};
use plat_env::{COMMAND_OBJECT, CommandOutput, ProcessCall};
use plat_expr::{Byte, IntPredicate, TRUE, Value};
use plat_program::FuncId;
use std::sync::Arc;

const ENOSYS: u64 = 38;
/// What a program sees that starts another one.
pub(super) const SPAWN: &str =
    "other programs are not run; it fails with ENOSYS (--system-result N says what comes of them)";

pub(super) const TABLE: Table = &[
    ("__cxa_atexit", When::Declared, zero),
    ("__errno_location", When::Declared, errno_location),
    ("__plat_abort", When::Always, abort),
    ("__plat_clone", When::Always, clone),
    ("__plat_command_output", When::Always, command_output),
    ("__plat_msize", When::Always, heap::msize),
    ("__plat_run_ctors", When::Always, run_constructors),
    ("__plat_run_dtors", When::Always, run_destructors),
    ("__plat_spawn", When::Always, spawn),
    (
        "__plat_syscall",
        When::Always,
        crate::library::system::system_call,
    ),
    ("atexit", When::Declared, zero),
];

/// The body if there is one, else it is unsupported.
pub(super) fn body_or_unsupported(exec: &Executor<'_>, call: &Invocation<'_>) -> Step<Reply> {
    let function = exec.program.function(call.callee);
    if function.declaration {
        return unsupported(format!("{} on symbolic data", function.name));
    }
    Ok(Reply::Body)
}

fn zero(_: &mut Executor<'_>, _: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    Ok(Reply::Value(Value::Int(0)))
}

fn errno_location(exec: &mut Executor<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    Ok(Reply::Value(exec.errno(state).unwrap_or(Value::Int(0))))
}

fn abort(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let text = exec.c_string(state, call.arg(0))?;
    if exec.config.start.as_klee
        && text == b"buffer overflow detected"
        && let Some(name) = checked_function(exec, state)
    {
        return fault(FaultKind::Pointer, format!("{name} overflow"));
    }
    let message = format!("abort failure: {}", String::from_utf8_lossy(&text));
    fault(FaultKind::Abort, message)
}

/// The function whose call with a check of the size (`__memcpy_chk`) is on the stack, by its plain name.
fn checked_function<'p>(exec: &Executor<'p>, state: &State) -> Option<&'p str> {
    let program = exec.program;
    let names = state
        .stack()
        .map(|frame| program.function(frame.function).name.as_str());
    let mut checked = names.filter_map(|name| name.strip_prefix("__")?.strip_suffix("_chk"));
    checked.next()
}

/// `__plat_clone(function, argument, structure, id, clear, place)`: makes a thread that runs the
/// function. `id` takes its number, as the result does; 0 is stored at `clear` when it ends. At `place`
/// the C library looks for the structure of the running thread.
fn clone(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let function = exec.code.function_at(&exec.pool, call.arg(0));
    let Some(function) = function.filter(|&one| !exec.program.function(one).declaration) else {
        return fault(FaultKind::Pointer, "memory error: invalid function pointer");
    };
    let beginning = Beginning {
        function,
        argument: call.arg(1),
        structure: call.arg(2),
        clear: call.arg(4),
        place: call.arg(5),
    };
    let id = exec.make_thread(state, beginning)?;
    exec.store_word(state, call.arg(3), Value::Int(id), 32)?;
    let dst = exec.behind(state);
    if let Some(dst) = dst {
        state.frame.regs[dst.index()] = Value::Int(id);
    }
    match exec.behind_synchronising(state)? {
        true => Ok(Reply::Forked),
        false => Ok(Reply::Transferred),
    }
}

/// `__plat_spawn()`: a process that is to become another program, as by `fork`. It cannot be made unless
/// the user says what comes of other programs.
fn spawn(exec: &mut Executor<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    if state.environment.injected.system_result.is_none() {
        let what = exec.unsupported_name(state, None, "clone");
        exec.note_unsupported(state, what, SPAWN);
        return Ok(Reply::Value(Value::Int(ENOSYS.wrapping_neg())));
    }
    match exec.process_call(state, ProcessCall::Fork)? {
        Called::Replied(reply) => Ok(reply),
        Called::Delivers(_) => internal("a new process with a signal"),
    }
}

/// `__plat_command_output(room)`: what the program prints that the process becomes; its size. It is
/// stored in the room, unless that is null.
fn command_output(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
) -> Step<Reply> {
    let given = Arc::clone(&state.input.given);
    let Some(output) = &given.commands.output else {
        return Ok(Reply::Value(Value::Int(0)));
    };
    let room = call.arg(0);
    if room != Value::Int(0) {
        let bytes = printed(exec, state, output)?;
        exec.put_bytes(state, room, &bytes)?;
    }
    Ok(Reply::Value(Value::Int(output.bytes.len() as u64)))
}

/// What another program prints: bytes of a symbolic object, if any of them is symbolic. In the test the
/// others are there, too.
fn printed(exec: &mut Executor<'_>, state: &mut State, output: &CommandOutput) -> Step<Vec<Byte>> {
    let whole: Option<Vec<u8>> = output.bytes.iter().copied().collect();
    if let Some(bytes) = whole {
        return Ok(bytes.into_iter().map(Byte::Concrete).collect());
    }
    let symbol = exec.new_symbol(state, COMMAND_OBJECT, output.bytes.len() as u32);
    let (mut bytes, mut condition) = (Vec::new(), TRUE);
    for (at, &byte) in (0..).zip(output.bytes.iter()) {
        let symbolic = exec.pool.symbol_byte(symbol, at);
        let (low, high) = match byte {
            Some(byte) => (byte, byte),
            None => output.range.unwrap_or((0, u8::MAX)),
        };
        for (predicate, bound) in [(IntPredicate::Uge, low), (IntPredicate::Ule, high)] {
            let bound = exec.pool.constant(8, bound.into());
            let within = exec.pool.compare(predicate, symbolic, bound);
            condition = exec.pool.and(condition, within);
        }
        bytes.push(byte.map_or(Byte::Symbolic(symbolic), Byte::Concrete));
    }
    exec.add_constraint(state, condition, PathEnd::Silent)?;
    Ok(bytes)
}

fn run_constructors(exec: &mut Executor<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    let list = exec.program.constructors.clone();
    call_each(exec, state, &list)
}

fn run_destructors(exec: &mut Executor<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    let list = exec.program.destructors.clone();
    call_each(exec, state, &list)
}

/// Calls functions without arguments, one after the other, from the current call.
fn call_each(exec: &mut Executor<'_>, state: &mut State, list: &[FuncId]) -> Step<Reply> {
    let bodies = list
        .iter()
        .filter(|&&function| !exec.program.function(function).declaration);
    let bodies: Vec<FuncId> = bodies.copied().collect();
    if bodies.is_empty() {
        return Ok(Reply::Nothing);
    }
    // The last to run lies lowest and returns to the call.
    for (at, &function) in bodies.iter().rev().enumerate() {
        let registers = exec.registers(function);
        exec.push_frame(state, function, registers)?;
        if at > 0 {
            state.frame.on_return = OnReturn::Resume;
        }
    }
    Ok(Reply::Transferred)
}

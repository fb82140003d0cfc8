//! The ends that a program asks for: abort, failed assertions, exit.

use super::{Invocation, Reply, Table, When};
use crate::api::outcome::{Fault, FaultKind, PathEnd, SourceLine};
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Step, fault};
use plat_expr::Value;

pub(super) const TABLE: Table = &[
    ("_Exit", When::Declared, exit),
    ("__assert", When::Always, assert_fail),
    ("__assert_fail", When::Always, assert_fail),
    ("__assert_rtn", When::Always, assert_rtn),
    ("__plat_illegal_label", When::Always, illegal_label),
    ("_assert", When::Always, assert_fail),
    ("_exit", When::Declared, exit),
    ("abort", When::Always, abort),
    ("exit", When::Declared, exit),
    ("quick_exit", When::Declared, exit),
];

fn exit(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    exec.process_exits(state, call.arg(0))
}

fn abort(_: &mut Executor<'_>, _: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    fault(FaultKind::Abort, "abort failure")
}

/// Ends a path in an assertion: its text, its file and its line, as the call has them.
fn failed(
    exec: &mut Executor<'_>,
    state: &mut State,
    [text, file, line]: [Value; 3],
) -> Step<Reply> {
    let text = exec.c_string(state, text)?;
    let message = format!("ASSERTION FAIL: {}", String::from_utf8_lossy(&text));
    let named = match line {
        Value::Int(line @ 1..) => exec.c_string(state, file).ok().map(|file| SourceLine {
            file: String::from_utf8_lossy(&file).into_owned(),
            line: line as u32,
        }),
        _ => None,
    };
    Err(PathEnd::Fault(Fault {
        named,
        ..Fault::new(FaultKind::Assert, message)
    })
    .into())
}

/// `__assert_fail(text, file, line, function)`.
fn assert_fail(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    failed(exec, state, [call.arg(0), call.arg(1), call.arg(2)])
}

/// `__assert_rtn(function, file, line, text)`.
fn assert_rtn(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    failed(exec, state, [call.arg(3), call.arg(1), call.arg(2)])
}

/// A jump to an address that is no label of the function's (see `computed_goto.rs` of the transform).
fn illegal_label(_: &mut Executor<'_>, _: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    fault(FaultKind::Pointer, "indirectbr: illegal label address")
}

//! The ends that a program asks for: abort, failed assertions, exit.

use super::{Invocation, Reply, Table, When};
use crate::engine::Engine;
use crate::outcome::FaultKind;
use crate::state::State;
use crate::stop::{Step, fault};

pub(super) const TABLE: Table = &[
    ("_Exit", When::Declared, exit),
    ("__assert", When::Always, assert_fail),
    ("__assert_fail", When::Always, assert_fail),
    ("__assert_rtn", When::Always, assert_rtn),
    ("_assert", When::Always, assert_fail),
    ("_exit", When::Declared, exit),
    ("abort", When::Always, abort),
    ("exit", When::Declared, exit),
    ("quick_exit", When::Declared, exit),
];

fn exit(engine: &mut Engine<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    Err(engine.exited(state, call.arg(0)).into())
}

fn abort(_: &mut Engine<'_>, _: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    fault(FaultKind::Abort, "abort failure")
}

fn failed(engine: &mut Engine<'_>, state: &mut State, text: plat_expr::Value) -> Step<Reply> {
    let text = engine.c_string(state, text)?;
    let message = format!("ASSERTION FAIL: {}", String::from_utf8_lossy(&text));
    fault(FaultKind::Assert, message)
}

fn assert_fail(engine: &mut Engine<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    failed(engine, state, call.arg(0))
}

/// `__assert_rtn(function, file, line, text)`.
fn assert_rtn(engine: &mut Engine<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    failed(engine, state, call.arg(3))
}

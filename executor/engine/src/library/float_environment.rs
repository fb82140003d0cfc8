//! Functions on the floating-point environment: LLVM's intrinsics, and what the C library's
//! `<fenv.h>` is made of.

use super::{Invocation, Reply, Run, Table, When};
use crate::api::summary::ForkKind;
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Step, unsupported};
use plat_expr::{Exceptions, Rounding, Value};
use plat_program::FloatKind;

pub(super) const TABLE: Table = &[
    ("__plat_clear_float_flags", When::Always, clear_flags),
    ("__plat_float_flags", When::Always, flags),
    ("__plat_x87_control", When::Always, x87_control),
    ("__plat_x87_set_control", When::Always, x87_set_control),
];

pub(super) const INTRINSICS: &[(&str, Run)] = &[
    ("get.rounding", get_rounding),
    ("set.rounding", set_rounding),
    ("x86.sse.ldmxcsr", load_control),
    ("x86.sse.stmxcsr", store_control),
];

/// The modes by the numbers of `FLT_ROUNDS`.
const MODES: [Rounding; 4] = [
    Rounding::Zero,
    Rounding::NearestEven,
    Rounding::Up,
    Rounding::Down,
];

fn argument(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<u64> {
    exec.concrete(state, ForkKind::Library, call.arg(0), call.width(0))
}

fn get_rounding(_: &mut Executor<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    // The C library asks the x87 control word.
    let mode = state.float.rounding(FloatKind::X86Fp80);
    let number = MODES.iter().position(|&known| known == mode);
    Ok(Reply::Value(Value::Int(number.unwrap_or(1) as u64)))
}

fn set_rounding(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let number = argument(exec, state, call)?;
    match MODES.get(number as usize) {
        Some(&mode) => state.float.set_rounding(mode),
        None => return unsupported(format!("rounding mode {number}")),
    }
    Ok(Reply::Nothing)
}

/// `ldmxcsr(pointer)`.
fn load_control(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    exec.load_float_control(state, call.arg(0))?;
    Ok(Reply::Nothing)
}

/// `stmxcsr(pointer)`.
fn store_control(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    exec.store_float_control(state, call.arg(0))?;
    Ok(Reply::Nothing)
}

/// `__plat_clear_float_flags(flags)`.
fn clear_flags(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let flags = argument(exec, state, call)?;
    state.float.clear(Exceptions(flags as u8));
    Ok(Reply::Nothing)
}

/// `__plat_float_flags(asked)`: those of the flags that are set.
fn flags(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let asked = Exceptions(argument(exec, state, call)? as u8);
    let set = state.float.flags(asked.common(Exceptions::ALL))?;
    Ok(Reply::Value(Value::Int(set.0.into())))
}

/// `__plat_x87_control()`.
fn x87_control(_: &mut Executor<'_>, state: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    Ok(Reply::Value(Value::Int(state.float.x87_control.into())))
}

/// `__plat_x87_set_control(word)`.
fn x87_set_control(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
) -> Step<Reply> {
    state.float.x87_control = argument(exec, state, call)? as u16;
    Ok(Reply::Nothing)
}

impl Executor<'_> {
    /// Loads `MXCSR` from memory.
    pub(crate) fn load_float_control(&mut self, state: &mut State, at: Value) -> Step<()> {
        let word = self.load_word(state, at, 32)?;
        let word = self.concrete(state, ForkKind::Library, word, 32)?;
        state.float.set_control(word as u32);
        Ok(())
    }

    /// Stores `MXCSR`, whose flags must be known.
    pub(crate) fn store_float_control(&mut self, state: &mut State, at: Value) -> Step<()> {
        state.float.flags(Exceptions::ALL)?;
        let control = Value::Int(state.float.control.into());
        self.store_word(state, at, control, 32)
    }
}

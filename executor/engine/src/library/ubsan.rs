//! What code compiled with `-fsanitize=undefined` calls: the handlers of the sanitizer's runtime,
//! and the trap that takes their place under `-fsanitize-trap`. Each is a fault, with KLEE's
//! messages and suffixes.
//!
//! A handler's data begins with a source position of 16 bytes, behind which lies a pointer to the
//! description of a type: kind (0 is integer) and, in the lowest bit of the next half word,
//! signedness.

use super::{Invocation, Native, Reply, When};
use crate::api::outcome::FaultKind;
use crate::api::summary::ForkKind;
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Step, fault};
use plat_expr::Value;

const PREFIX: &str = "__ubsan_handle_";

/// The handlers' names without prefix and variant, in the compiler's order, which is that of the
/// numbers that traps have.
const HANDLERS: &[&str] = &[
    "add_overflow",
    "builtin_unreachable",
    "cfi_check_fail",
    "divrem_overflow",
    "dynamic_type_cache_miss",
    "float_cast_overflow",
    "function_type_mismatch",
    "implicit_conversion",
    "invalid_builtin",
    "invalid_objc_cast",
    "load_invalid_value",
    "missing_return",
    "mul_overflow",
    "negate_overflow",
    "nullability_arg",
    "nullability_return",
    "nonnull_arg",
    "nonnull_return",
    "out_of_bounds",
    "pointer_overflow",
    "shift_out_of_bounds",
    "sub_overflow",
    "type_mismatch",
    "alignment_assumption",
    "vla_bound_not_positive",
    "local_out_of_bounds",
];

/// What runs in place of a function, if it is a handler.
pub(super) fn handler(name: &str) -> Option<Native> {
    let rest = name.strip_prefix(PREFIX)?;
    base(rest).map(|_| Native {
        when: When::Declared,
        run: handle,
    })
}

/// The handler that a name without prefix is a variant of.
fn base(name: &str) -> Option<&'static str> {
    let name = name.strip_suffix("_abort").unwrap_or(name);
    let name = name.strip_suffix("_minimal").unwrap_or(name);
    let name = name
        .strip_suffix("_v1")
        .or(name.strip_suffix("_v2"))
        .unwrap_or(name);
    HANDLERS.iter().copied().find(|&known| known == name)
}

fn handle(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let program = exec.program;
    let name = program.function(call.callee).name.as_str();
    let Some(handler) = name.strip_prefix(PREFIX).and_then(base) else {
        return crate::state::stop::unsupported(format!("the handler {name}"));
    };
    let minimal = name.contains("_minimal");
    let signed = minimal || is_signed(exec, state, call.arg(0))?;
    // The right operand of a division, the pointer of a type mismatch. KLEE has one error for what cannot be
    // divided.
    let null = match handler {
        "divrem_overflow" if exec.config.start.as_klee => false,
        "divrem_overflow" => is_zero(exec, state, call, 2)?,
        "type_mismatch" => is_zero(exec, state, call, 1)?,
        _ => false,
    };
    if !minimal && let Some((kind, message)) = closer(exec, state, call, handler)? {
        return fault(kind, message);
    }
    let (kind, message) = verdict(handler, signed, null && !minimal);
    fault(kind, message)
}

/// What the operands or the data of a handler say of its fault beyond its name.
fn closer(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
    handler: &str,
) -> Step<Option<(FaultKind, &'static str)>> {
    let data = call.arg(0);
    Ok(match handler {
        "divrem_overflow" if is_float(exec, state, data)? => {
            Some((FaultKind::Divide, "float-divide-by-zero"))
        }
        "implicit_conversion" => {
            let (kind, what) = match datum(exec, state, data, 32)? {
                Some(1) => ("truncation", "implicit-unsigned-integer-truncation"),
                Some(2) => ("truncation", "implicit-signed-integer-truncation"),
                Some(3) => ("conversion", "implicit-integer-sign-change"),
                Some(4) => (
                    "conversion",
                    "implicit-signed-integer-truncation-or-sign-change",
                ),
                _ => return Ok(None),
            };
            Some((FaultKind::Reported(format!("implicit_{kind}")), what))
        }
        "pointer_overflow" => {
            let from_null = is_zero(exec, state, call, 1)?;
            let to_null = is_zero(exec, state, call, 2)?;
            let what = match (from_null, to_null) {
                (true, true) => "nullptr-with-offset",
                (true, false) => "nullptr-with-nonzero-offset",
                (false, true) => "nullptr-after-nonzero-offset",
                (false, false) => return Ok(None),
            };
            Some((FaultKind::Pointer, what))
        }
        _ => None,
    })
}

/// A byte of a handler's data.
fn datum(exec: &mut Executor<'_>, state: &mut State, data: Value, at: u64) -> Step<Option<u64>> {
    let at = exec.displaced(data, at);
    Ok(match exec.load_word(state, at, 8)? {
        Value::Int(byte) => Some(byte),
        _ => None,
    })
}

/// Whether the type in a handler's data is a floating-point number.
fn is_float(exec: &mut Executor<'_>, state: &mut State, data: Value) -> Step<bool> {
    let at = exec.displaced(data, 16);
    let description = exec.load_word(state, at, 64)?;
    if !matches!(description, Value::Pointer(..)) {
        return Ok(false);
    }
    let word = exec.load_word(state, description, 16)?;
    Ok(word == Value::Int(1))
}

/// `llvm.ubsantrap(number)`: the number of the handler that would have been called.
pub(super) fn trap(_: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let number = match call.arg(0) {
        Value::Int(number) => usize::try_from(number).ok(),
        _ => None,
    };
    match number.and_then(|number| HANDLERS.get(number)) {
        Some(handler) => {
            let (kind, message) = verdict(handler, true, false);
            fault(kind, message)
        }
        None => fault(FaultKind::Abort, "trap"),
    }
}

fn is_zero(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
    at: usize,
) -> Step<bool> {
    let nonzero = exec.is_nonzero(call.arg(at), call.width(at));
    Ok(!exec.decide(state, ForkKind::Fault, nonzero)?)
}

/// Whether the type in a handler's data is a signed integer.
fn is_signed(exec: &mut Executor<'_>, state: &mut State, data: Value) -> Step<bool> {
    let at = exec.displaced(data, 16);
    let Ok(description) = exec.load_word(state, at, 64) else {
        return Ok(true);
    };
    if !matches!(description, Value::Pointer(..)) {
        return Ok(true);
    }
    let word = exec.load_word(state, description, 32)?;
    Ok(matches!(word, Value::Int(word) if word & 0xffff != 0 || word >> 16 & 1 == 1))
}

/// The fault that a handler reports. `null` is a divisor or a pointer that is zero.
fn verdict(handler: &str, signed: bool, null: bool) -> (FaultKind, &'static str) {
    let reported = |suffix: &str| FaultKind::Reported(suffix.into());
    match handler {
        "add_overflow" | "sub_overflow" | "mul_overflow" | "negate_overflow" if signed => {
            (FaultKind::Overflow, "signed-integer-overflow")
        }
        "add_overflow" | "sub_overflow" | "mul_overflow" | "negate_overflow" => {
            (FaultKind::Overflow, "unsigned-integer-overflow")
        }
        "divrem_overflow" if null => (FaultKind::Divide, "integer-divide-by-zero"),
        "divrem_overflow" => (FaultKind::Overflow, "integer division overflow"),
        "shift_out_of_bounds" => (FaultKind::Overflow, "shift out of bounds"),
        "float_cast_overflow" => (FaultKind::Overflow, "float-cast-overflow"),
        "builtin_unreachable" => (FaultKind::Unreachable, "unreachable-call"),
        "missing_return" => (reported("missing_return"), "missing-return"),
        "function_type_mismatch" | "cfi_check_fail" => {
            (FaultKind::FunctionType, "function-type-mismatch")
        }
        "implicit_conversion" => (reported("implicit_conversion"), "implicit-conversion"),
        "invalid_builtin" => (reported("invalid_builtin_use"), "invalid-builtin-use"),
        "load_invalid_value" => (reported("invalid_load"), "load invalid value"),
        "nullability_arg" | "nonnull_arg" => {
            (reported("nullable_attribute"), "invalid-null-argument")
        }
        "nullability_return" | "nonnull_return" => {
            (reported("nullable_attribute"), "invalid-null-return")
        }
        "out_of_bounds" | "local_out_of_bounds" => (FaultKind::Pointer, "out-of-bounds-index"),
        "pointer_overflow" => (FaultKind::Pointer, "pointer-overflow"),
        "type_mismatch" if null => (FaultKind::Pointer, "null-pointer-use"),
        "type_mismatch" => (FaultKind::Pointer, "misaligned-pointer-use"),
        "alignment_assumption" => (FaultKind::Pointer, "alignment-assumption"),
        "vla_bound_not_positive" => (FaultKind::Pointer, "non-positive-vla-index"),
        _ => (reported("undefined_behavior"), "undefined-behavior"),
    }
}

#[cfg(test)]
mod tests {
    use super::base;

    #[test]
    fn variants_are_recognised() {
        assert_eq!(base("type_mismatch_v1_abort"), Some("type_mismatch"));
        assert_eq!(base("add_overflow_minimal_abort"), Some("add_overflow"));
        assert_eq!(base("nonnull_return_v1"), Some("nonnull_return"));
        assert_eq!(base("add_overflows"), None);
    }
}

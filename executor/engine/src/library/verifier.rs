//! The intrinsics of the software verification competitions.
//!
//! Each `__VERIFIER_nondet_T` makes a symbolic object that is named by its C type: that is what
//! test suites in the competition's format need to print its value.

use super::{Invocation, Native, Reply, Table, When};
use crate::api::outcome::{FaultKind, PathEnd};
use crate::api::summary::ForkKind;
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Step, fault};
use crate::values;
use plat_expr::{Byte, IntPredicate, Value};
use plat_memory::AccessKind;

pub(super) const TABLE: Table = &[
    ("__VERIFIER_assert", When::Declared, assert),
    ("__VERIFIER_assume", When::Always, assume),
    ("__VERIFIER_atomic_begin", When::Declared, nothing),
    ("__VERIFIER_atomic_end", When::Declared, nothing),
    ("__VERIFIER_error", When::Always, error),
    ("__VERIFIER_nondet_memory", When::Declared, memory),
    ("reach_error", When::Always, error),
];

/// The C types of `__VERIFIER_nondet_*` by suffix: C name and size in bytes.
const TYPES: &[(&str, &str, u32)] = &[
    ("S8", "s8", 1),
    ("U16", "u16", 2),
    ("U32", "u32", 4),
    ("U8", "u8", 1),
    ("_Bool", "_Bool", 1),
    ("bool", "_Bool", 1),
    ("char", "char", 1),
    ("charp", "char *", 8),
    ("const_char_pointer", "const char *", 8),
    ("double", "double", 8),
    ("float", "float", 4),
    ("int", "int", 4),
    ("int128", "__int128", 16),
    ("int16_t", "int16_t", 2),
    ("int32_t", "int32_t", 4),
    ("int64_t", "int64_t", 8),
    ("int8_t", "int8_t", 1),
    ("loff_t", "loff_t", 8),
    ("long", "long", 8),
    ("longlong", "long long", 8),
    ("pchar", "char *", 8),
    ("pointer", "void *", 8),
    ("pthread_t", "pthread_t", 8),
    ("schar", "signed char", 1),
    ("sector_t", "sector_t", 8),
    ("short", "short", 2),
    ("size_t", "size_t", 8),
    ("u16", "u16", 2),
    ("u32", "u32", 4),
    ("u8", "u8", 1),
    ("uchar", "unsigned char", 1),
    ("uint", "unsigned int", 4),
    ("uint128", "unsigned __int128", 16),
    ("uint16_t", "uint16_t", 2),
    ("uint32_t", "uint32_t", 4),
    ("uint64_t", "uint64_t", 8),
    ("uint8_t", "uint8_t", 1),
    ("ulong", "unsigned long", 8),
    ("ulonglong", "unsigned long long", 8),
    ("unsigned", "unsigned int", 4),
    ("unsigned_char", "unsigned char", 1),
    ("unsigned_int", "unsigned int", 4),
    ("unsigned_long", "unsigned long", 8),
    ("unsigned_short", "unsigned short", 2),
    ("ushort", "unsigned short", 2),
];

/// The entry of a `__VERIFIER_nondet_*` function.
pub(super) fn nondet(name: &str) -> Option<Native> {
    let suffix = name.strip_prefix("__VERIFIER_nondet_")?;
    TYPES.iter().find(|entry| entry.0 == suffix)?;
    Some(Native {
        when: When::Declared,
        run: make,
    })
}

fn make(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let name = &exec.program.function(call.callee).name;
    let suffix = name.trim_start_matches("__VERIFIER_nondet_");
    let Some(&(_, name, size)) = TYPES.iter().find(|entry| entry.0 == suffix) else {
        return crate::state::stop::unsupported(format!("external function {name}"));
    };
    let value = exec.new_symbolic_word(state, name, size);
    if name == "_Bool" {
        let byte = value.to_expr(&mut exec.pool, 8);
        let two = exec.pool.constant(8, 2);
        let is_bool = exec.pool.compare(IntPredicate::Ult, byte, two);
        exec.add_constraint(state, is_bool, PathEnd::Silent)?;
    }
    let bits = exec.code.ty(call.ret).bits;
    if bits == 0 {
        return Ok(Reply::Nothing);
    }
    Ok(Reply::Value(values::resize(
        &mut exec.pool,
        value,
        size * 8,
        bits,
    )))
}

/// There is one thread.
fn nothing(_: &mut Executor<'_>, _: &mut State, _: &Invocation<'_>) -> Step<Reply> {
    Ok(Reply::Nothing)
}

/// `__VERIFIER_nondet_memory(pointer, size)`: bytes, which need not be a whole object.
fn memory(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let size = exec.concrete(state, ForkKind::Library, call.arg(1), call.width(1))?;
    if size == 0 {
        return Ok(Reply::Nothing);
    }
    // What cannot be written is found before there is an object of the test case.
    exec.targets(state, call.arg(0), size, AccessKind::Write)?;
    let Ok(count) = u32::try_from(size) else {
        return crate::state::stop::unsupported(format!("a symbolic object of {size} bytes"));
    };
    let symbol = exec.new_symbol(state, "memory", count);
    let bytes: Vec<Byte> = (0..count)
        .map(|at| Byte::of_symbol(&mut exec.pool, symbol, at))
        .collect();
    exec.put_bytes(state, call.arg(0), &bytes)?;
    Ok(Reply::Nothing)
}

fn assume(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    exec.require_scalar(call.arg(0))?;
    let condition = exec.is_nonzero(call.arg(0), call.width(0));
    exec.add_constraint(state, condition, PathEnd::Silent)?;
    Ok(Reply::Nothing)
}

fn assert(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    exec.require_scalar(call.arg(0))?;
    let value = call.arg(0).to_expr(&mut exec.pool, call.width(0).max(1));
    let zero = exec.pool.constant(call.width(0).max(1), 0);
    let fails = exec.pool.eq(value, zero);
    let end = PathEnd::fault(FaultKind::Assert, "ASSERTION FAIL: __VERIFIER_assert");
    exec.end_if(state, ForkKind::Fault, fails, end)?;
    Ok(Reply::Value(Value::Int(0)))
}

fn error(exec: &mut Executor<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let name = &exec.program.function(call.callee).name;
    fault(
        FaultKind::Assert,
        format!("ASSERTION FAIL: {name} is reached"),
    )
}

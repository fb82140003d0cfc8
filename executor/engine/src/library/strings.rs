//! Memory and string functions on whole ranges.
//!
//! Copying and filling keep pointers and symbolic bytes. The
//! functions that look at bytes apply when all bytes they look at are concrete; otherwise the
//! program's own body runs, or, if there is none, the function is carried out byte by byte and
//! the path splits where the result depends on the input.

use super::blocks::Source;
use super::{Invocation, Reply, Table, When};
use crate::api::outcome::{FaultKind, PathEnd};
use crate::api::summary::ForkKind;
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::Step;
use crate::values;
use plat_expr::Value;
use plat_program::{BinaryOp, IntPredicate};

pub(super) const TABLE: Table = &[
    ("__stpcpy", When::Always, stpcpy),
    ("__strchrnul", When::Always, strchrnul),
    ("bcmp", When::Always, memcmp),
    ("memchr", When::Always, memchr),
    ("memcmp", When::Always, memcmp),
    ("memcpy", When::Always, memcpy),
    ("memmove", When::Always, memmove),
    ("mempcpy", When::Always, mempcpy),
    ("memrchr", When::Always, memrchr),
    ("memset", When::Always, memset),
    ("stpcpy", When::Always, stpcpy),
    ("strchr", When::Always, strchr),
    ("strchrnul", When::Always, strchrnul),
    ("strcmp", When::Always, strcmp),
    ("strcpy", When::Always, strcpy),
    ("strlen", When::Always, strlen),
    ("strncmp", When::Always, strncmp),
    ("strnlen", When::Always, strnlen),
    ("strrchr", When::Always, strrchr),
];

/// Whether a function is one of these: it reads and writes memory, and comes back.
pub(crate) fn is_one(name: &str) -> bool {
    TABLE.binary_search_by(|entry| entry.0.cmp(name)).is_ok()
}

impl Executor<'_> {
    /// Whether the called function has a body to fall back on.
    fn has_body(&self, call: &Invocation<'_>) -> bool {
        !self.program.function(call.callee).declaration
    }

    /// Whether a copy is between ranges that do not overlap, or are the same, as compilers copy
    /// structures onto themselves.
    fn check_overlap(&mut self, state: &mut State, call: &Invocation<'_>) -> Step<()> {
        let (to, from, size) = (call.arg(0), call.arg(1), call.arg(2));
        match (to, from, size) {
            (Value::Pointer(to, _), Value::Pointer(from, _), _) if to != from => return Ok(()),
            (Value::Pointer(_, to), Value::Pointer(_, from), Value::Int(size))
                if to == from || to.abs_diff(from) >= size =>
            {
                return Ok(());
            }
            _ => {}
        }
        self.require_scalar(to)?;
        self.require_scalar(from)?;
        let pool = &mut self.pool;
        let bits = call.width(2);
        let size = values::resize(pool, size, bits, 64);
        let forward = values::binary(pool, BinaryOp::Sub, 64, to, from);
        let back = values::binary(pool, BinaryOp::Sub, 64, from, to);
        let zero = Value::Int(0);
        let [apart, forward, back] = [
            values::compare(pool, IntPredicate::Ne, 64, forward, zero),
            values::compare(pool, IntPredicate::Ult, 64, forward, size),
            values::compare(pool, IntPredicate::Ult, 64, back, size),
        ]
        .map(|value| values::condition(pool, value));
        let near = pool.or(forward, back);
        let overlap = pool.and(apart, near);
        let end = PathEnd::fault(FaultKind::Pointer, "memory error: overlapping memcpy");
        self.end_if(state, ForkKind::Fault, overlap, end)
    }

    /// Byte `at` behind a pointer.
    fn byte_behind(&mut self, state: &mut State, pointer: Value, at: u64) -> Step<Value> {
        let address = self.displaced(pointer, at);
        self.load_word(state, address, 8)
    }

    /// Whether two scalars of 8 bits are equal on this path.
    fn same_byte(&mut self, state: &mut State, a: Value, b: Value) -> Step<bool> {
        let equal = values::compare(&mut self.pool, IntPredicate::Eq, 8, a, b);
        let equal = values::condition(&mut self.pool, equal);
        self.decide(state, ForkKind::Library, equal)
    }
}

fn pointer_or_null(exec: &mut Executor<'_>, base: Value, at: Option<u64>) -> Reply {
    Reply::Value(match at {
        Some(at) => exec.displaced(base, at),
        None => Value::Int(0),
    })
}

/// Writes a block of bytes: its length on this path, or `None` if the function's body is to do it.
/// Symbolic lengths that are no greater than [`super::blocks`] takes stay symbolic; of others each
/// has a path.
fn block(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
    source: Source,
) -> Step<Option<Value>> {
    let (to, size, width) = (call.arg(0), call.arg(2), call.width(2));
    if !matches!(size, Value::Int(_)) {
        if exec.write_block(state, to, source, size, width)? {
            return Ok(Some(values::resize(&mut exec.pool, size, width, 64)));
        }
        if exec.has_body(call) {
            return Ok(None);
        }
    }
    let size = exec.concrete(state, ForkKind::Library, size, width)?;
    match source {
        Source::Place(from) => exec.move_bytes(state, to, from, size)?,
        Source::Byte(byte) => exec.fill_bytes(state, to, byte, size)?,
    }
    Ok(Some(Value::Int(size)))
}

pub(super) fn memmove(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
) -> Step<Reply> {
    if let (Value::Int(size), 64) = (call.arg(2), call.width(2)) {
        exec.move_bytes(state, call.arg(0), call.arg(1), size)?;
        return Ok(Reply::Value(call.arg(0)));
    }
    let done = block(exec, state, call, Source::Place(call.arg(1)))?;
    Ok(done.map_or(Reply::Body, |_| Reply::Value(call.arg(0))))
}

pub(super) fn memcpy(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
) -> Step<Reply> {
    exec.check_overlap(state, call)?;
    memmove(exec, state, call)
}

fn mempcpy(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    exec.check_overlap(state, call)?;
    let Some(size) = block(exec, state, call, Source::Place(call.arg(1)))? else {
        return Ok(Reply::Body);
    };
    let end = values::binary(&mut exec.pool, BinaryOp::Add, 64, call.arg(0), size);
    Ok(Reply::Value(end))
}

pub(super) fn memset(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
) -> Step<Reply> {
    let low = values::trunc(&mut exec.pool, call.arg(1), call.width(1), 8);
    let byte = exec.byte(low);
    let done = block(exec, state, call, Source::Byte(byte))?;
    Ok(done.map_or(Reply::Body, |_| Reply::Value(call.arg(0))))
}

fn sign(order: std::cmp::Ordering) -> Value {
    Value::Int(u64::from(order as i32 as u32))
}

/// The comparison of two ranges, byte by byte, until they differ, `most` bytes are equal, or, for
/// strings, both end.
fn compare_bytes(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
    most: u64,
    strings: bool,
) -> Step<Reply> {
    for at in 0..most {
        exec.still_due_at(at)?;
        let a = exec.byte_behind(state, call.arg(0), at)?;
        let b = exec.byte_behind(state, call.arg(1), at)?;
        if !exec.same_byte(state, a, b)? {
            let less = values::compare(&mut exec.pool, IntPredicate::Ult, 8, a, b);
            let (minus, plus) = (Value::Int(0xffff_ffff), Value::Int(1));
            return Ok(Reply::Value(values::select(
                &mut exec.pool,
                32,
                less,
                minus,
                plus,
            )));
        }
        if strings && exec.same_byte(state, a, Value::Int(0))? {
            break;
        }
    }
    Ok(Reply::Value(Value::Int(0)))
}

fn memcmp(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    if let Value::Int(size) = call.arg(2)
        && let Some(order) = exec.compare_ranges(state, (call.arg(0), call.arg(1)), size)?
    {
        return Ok(Reply::Value(sign(order)));
    }
    if exec.has_body(call) {
        return Ok(Reply::Body);
    }
    let size = exec.concrete(state, ForkKind::Library, call.arg(2), call.width(2))?;
    compare_bytes(exec, state, call, size, false)
}

fn strcmp(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    compare_strings(exec, state, call, u64::MAX)
}

fn strncmp(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let size = call.arg(2);
    if !matches!(size, Value::Int(_)) && exec.has_body(call) {
        return Ok(Reply::Body);
    }
    let size = exec.concrete(state, ForkKind::Library, size, call.width(2))?;
    compare_strings(exec, state, call, size)
}

fn compare_strings(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
    most: u64,
) -> Step<Reply> {
    let both = (call.arg(0), call.arg(1));
    if let Some(order) = exec.compare_texts(state, both, most)? {
        return Ok(Reply::Value(sign(order)));
    }
    if exec.has_body(call) {
        return Ok(Reply::Body);
    }
    compare_bytes(exec, state, call, most, true)
}

/// The length of a string of at most `most` bytes.
fn length(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
    most: u64,
) -> Step<Option<u64>> {
    let mut length = 0;
    let mut count = |part: &[u8]| {
        length += part.len() as u64;
        true
    };
    let scanned = exec.scan_string(state, call.arg(0), most, &mut count)?;
    if scanned.is_some() {
        return Ok(Some(length));
    }
    if exec.has_body(call) {
        return Ok(None);
    }
    let mut at = 0;
    while at < most {
        exec.still_due_at(at)?;
        let byte = exec.byte_behind(state, call.arg(0), at)?;
        if exec.same_byte(state, byte, Value::Int(0))? {
            break;
        }
        at += 1;
    }
    Ok(Some(at))
}

fn strlen(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let found = length(exec, state, call, u64::MAX)?;
    Ok(found.map_or(Reply::Body, |length| Reply::Value(Value::Int(length))))
}

fn strnlen(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let Value::Int(most) = call.arg(1) else {
        return super::runtime::body_or_unsupported(exec, call);
    };
    let found = length(exec, state, call, most)?;
    Ok(found.map_or(Reply::Body, |length| Reply::Value(Value::Int(length))))
}

/// The searched byte, if it is concrete.
fn wanted(call: &Invocation<'_>) -> Option<u8> {
    match call.arg(1) {
        Value::Int(word) => Some(word as u8),
        _ => None,
    }
}

fn memchr(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    if let (Value::Int(size), Some(byte)) = (call.arg(2), wanted(call))
        && let Some(at) = exec.find_byte(state, call.arg(0), size, byte)?
    {
        return Ok(pointer_or_null(exec, call.arg(0), at));
    }
    if exec.has_body(call) {
        return Ok(Reply::Body);
    }
    let size = exec.concrete(state, ForkKind::Library, call.arg(2), call.width(2))?;
    let byte = values::trunc(&mut exec.pool, call.arg(1), call.width(1), 8);
    for at in 0..size {
        exec.still_due_at(at)?;
        let here = exec.byte_behind(state, call.arg(0), at)?;
        if exec.same_byte(state, here, byte)? {
            return Ok(pointer_or_null(exec, call.arg(0), Some(at)));
        }
    }
    Ok(Reply::Value(Value::Int(0)))
}

fn memrchr(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    if let (Value::Int(size), Some(byte)) = (call.arg(2), wanted(call))
        && let Some(at) = exec.find_last_byte(state, call.arg(0), size, byte)?
    {
        return Ok(pointer_or_null(exec, call.arg(0), at));
    }
    super::runtime::body_or_unsupported(exec, call)
}

fn strchr(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    find_in_string(exec, state, call, false)
}

fn strchrnul(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    find_in_string(exec, state, call, true)
}

/// `strchr`, and with `or_end` `strchrnul`.
fn find_in_string(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
    or_end: bool,
) -> Step<Reply> {
    if let Some(byte) = wanted(call) {
        let (mut passed, mut found) = (0, false);
        let mut look = |part: &[u8]| {
            let here = part.iter().position(|&here| here == byte);
            passed += here.unwrap_or(part.len()) as u64;
            found = here.is_some();
            !found
        };
        let scanned = exec.scan_string(state, call.arg(0), u64::MAX, &mut look)?;
        if scanned.is_some() {
            let at = (found || byte == 0 || or_end).then_some(passed);
            return Ok(pointer_or_null(exec, call.arg(0), at));
        }
    }
    if exec.has_body(call) {
        return Ok(Reply::Body);
    }
    let byte = values::trunc(&mut exec.pool, call.arg(1), call.width(1), 8);
    for at in 0.. {
        exec.still_due_at(at)?;
        let here = exec.byte_behind(state, call.arg(0), at)?;
        if exec.same_byte(state, here, byte)? {
            return Ok(pointer_or_null(exec, call.arg(0), Some(at)));
        }
        if exec.same_byte(state, here, Value::Int(0))? {
            return Ok(pointer_or_null(exec, call.arg(0), or_end.then_some(at)));
        }
    }
    Ok(Reply::Value(Value::Int(0)))
}

fn strrchr(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    if let Some(byte) = wanted(call) {
        let (mut passed, mut last) = (0, None);
        let mut look = |part: &[u8]| {
            let here = part.iter().rposition(|&here| here == byte);
            last = here.map(|at| passed + at as u64).or(last);
            passed += part.len() as u64;
            true
        };
        let scanned = exec.scan_string(state, call.arg(0), u64::MAX, &mut look)?;
        if scanned.is_some() {
            let at = if byte == 0 { Some(passed) } else { last };
            return Ok(pointer_or_null(exec, call.arg(0), at));
        }
    }
    super::runtime::body_or_unsupported(exec, call)
}

/// Copies a string with its terminator; the length, or `None` for the body.
fn copy_string(
    exec: &mut Executor<'_>,
    state: &mut State,
    call: &Invocation<'_>,
) -> Step<Option<u64>> {
    let mut length = 0;
    let mut count = |part: &[u8]| {
        length += part.len() as u64;
        true
    };
    let scanned = exec.scan_string(state, call.arg(1), u64::MAX, &mut count)?;
    let length = match scanned {
        Some(()) => length,
        None if exec.has_body(call) => return Ok(None),
        None => {
            let mut at = 0;
            loop {
                exec.still_due_at(at)?;
                let byte = exec.byte_behind(state, call.arg(1), at)?;
                if exec.same_byte(state, byte, Value::Int(0))? {
                    break at;
                }
                at += 1;
            }
        }
    };
    exec.move_bytes(state, call.arg(0), call.arg(1), length + 1)?;
    Ok(Some(length))
}

fn strcpy(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let copied = copy_string(exec, state, call)?;
    Ok(copied.map_or(Reply::Body, |_| Reply::Value(call.arg(0))))
}

fn stpcpy(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    Ok(match copy_string(exec, state, call)? {
        Some(length) => Reply::Value(exec.displaced(call.arg(0), length)),
        None => Reply::Body,
    })
}

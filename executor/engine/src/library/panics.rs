//! Panics of Rust's core library, which is machine code where the program is not linked with it as
//! bitcode: a program without a library that indexes behind an array ends in one. The functions
//! have no other use, so that they are known by their names.

use super::{Invocation, Native, Reply, When};
use crate::api::outcome::{Fault, FaultKind, PathEnd, SourceLine};
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::Step;
use plat_expr::{Byte, Value};

/// The longest name of a source file, in bytes.
const LONGEST: u64 = 4096;

/// The entry of a function that only panics.
pub(super) fn of(name: &str) -> Option<Native> {
    panics(name)?;
    Some(Native {
        when: When::Declared,
        run: panic,
    })
}

/// The path within the crate `core` of a function that only panics, from either way in which the
/// compiler makes symbols: each part behind its length.
fn panics(name: &str) -> Option<Vec<&str>> {
    if !name.starts_with("_R") && !name.starts_with("_ZN") {
        return None;
    }
    let (_, mut rest) = name.split_once("4core")?;
    let mut parts = Vec::new();
    while let Some(digits) = rest.find(|c: char| !c.is_ascii_digit()).filter(|&n| n > 0) {
        let length = rest[..digits].parse().ok()?;
        let behind = &rest[digits..];
        let (part, further) = behind.split_at_checked(length)?;
        // The old way ends with a hash.
        if !(part.len() == 17 && part.starts_with('h')) {
            parts.push(part);
        }
        rest = further;
    }
    let last = parts.last()?;
    let only = parts[0] == "panicking"
        || last.ends_with("_fail")
        || last.ends_with("_failed")
        || last.starts_with("panic_");
    only.then_some(parts)
}

fn panic(exec: &mut Executor<'_>, state: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let name = &exec.program.function(call.callee).name;
    let path = panics(name).unwrap_or_default().join("::");
    let named = call
        .args
        .last()
        .and_then(|&location| place(exec, state, location));
    Err(PathEnd::Fault(Fault {
        named,
        ..Fault::new(FaultKind::Panic, format!("panic: core::{path}"))
    })
    .into())
}

/// What a `core::panic::Location` says, which such functions take last: a pointer to the name of the
/// file, its length, the line and the column.
fn place(exec: &mut Executor<'_>, state: &mut State, location: Value) -> Option<SourceLine> {
    if !matches!(location, Value::Pointer(..)) {
        return None;
    }
    let name = exec.load_word(state, location, 64).ok()?;
    let rest = exec.bytes_at(state, displaced(location, 8)?, 12).ok()?;
    let rest: Option<Vec<u8>> = rest.into_iter().map(concrete).collect();
    let rest = rest?;
    let (size, line) = rest.split_at(8);
    let size = u64::from_le_bytes(size.try_into().ok()?);
    let line = u32::from_le_bytes(line.try_into().ok()?);
    // Something else than a location has no such name.
    let name = exec.bytes_at(state, name, Some(size).filter(|&size| size <= LONGEST)?);
    let name: Option<Vec<u8>> = name.ok()?.into_iter().map(concrete).collect();
    let file = String::from_utf8(name?).ok()?;
    let file = file.trim_end_matches('\0').to_string();
    Some(SourceLine { file, line })
}

fn displaced(pointer: Value, distance: i64) -> Option<Value> {
    match pointer {
        Value::Pointer(object, offset) => Some(Value::Pointer(object, offset + distance)),
        _ => None,
    }
}

fn concrete(byte: Byte) -> Option<u8> {
    match byte {
        Byte::Concrete(byte) => Some(byte),
        Byte::Symbolic(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::panics;

    #[test]
    fn functions_that_only_panic_are_known_in_both_manglings() {
        let known = [
            "_RNvNtCsgEmfK2I1SDS_4core9panicking18panic_bounds_check",
            "_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE",
            "_RNvNtCsgEmfK2I1SDS_4core6option13unwrap_failed",
            "_ZN4core5slice5index16slice_index_fail17h0123456789abcdefE",
        ];
        for name in known {
            assert!(panics(name).is_some(), "{name}");
        }
        assert_eq!(
            panics(known[1]),
            Some(vec!["panicking", "panic_bounds_check"])
        );
        let others = [
            "_RNvNtCsgEmfK2I1SDS_4core3fmt5write",
            "_ZN5score9panicking5panicE",
            "4core9panicking5panic",
            "_R4core99panicking",
        ];
        for name in others {
            assert!(panics(name).is_none(), "{name}");
        }
    }
}

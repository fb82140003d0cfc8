//! Panics of Rust's core library, which is machine code where the program is not linked with it as
//! bitcode: a program without a library that indexes behind an array ends in one. The functions
//! have no other use, so that they are known by their names.

use super::{Invocation, Native, Reply, When};
use crate::engine::Engine;
use crate::outcome::FaultKind;
use crate::state::State;
use crate::stop::{Step, fault};

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

fn panic(engine: &mut Engine<'_>, _: &mut State, call: &Invocation<'_>) -> Step<Reply> {
    let name = &engine.program.function(call.callee).name;
    let path = panics(name).unwrap_or_default().join("::");
    fault(FaultKind::Abort, format!("abort failure: core::{path}"))
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

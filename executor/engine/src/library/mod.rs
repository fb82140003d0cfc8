//! What the executor does in place of functions, by name: the heap, non-local jumps, the
//! runtime's hooks, the harness intrinsics, LLVM's intrinsics, and fast paths of string functions.
//!
//! Each file has one sorted table. An entry always applies, or only if the program has no body
//! for the function; a fast path that does not apply declines, and the body runs.

mod blocks;
mod exception_pointers;
pub(crate) mod exceptions;
pub(crate) mod external;
mod families;
mod float_environment;
pub mod fuzzing;
mod heap;
mod intrinsics;
mod jump;
mod klee;
mod merging;
mod panics;
mod process;
mod random;
mod refused;
mod rtti;
mod runtime;
pub(crate) mod strings;
pub(crate) mod system;
mod terminate;
mod ubsan;
mod verifier;

use crate::code::native::{self as code, Effect, When};
use crate::executor::{Invocation, Natives, Reply, Run};
pub(crate) use intrinsics::first_one;
use plat_program::{Function, Program};
use std::fmt;

/// An entry of a table.
#[derive(Clone, Copy)]
pub struct Native {
    /// When it applies.
    pub when: When,
    /// What it does.
    pub run: Run,
}

impl fmt::Debug for Native {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Native")
            .field("when", &self.when)
            .finish_non_exhaustive()
    }
}

/// A table: names in order, with what they do.
pub(crate) type Table = &'static [(&'static str, When, Run)];

const TABLES: &[Table] = &[
    exception_pointers::TABLE,
    exceptions::TABLE,
    float_environment::TABLE,
    fuzzing::TABLE,
    heap::TABLE,
    jump::TABLE,
    klee::TABLE,
    process::TABLE,
    random::TABLE,
    runtime::TABLE,
    strings::TABLE,
    verifier::TABLE,
];

/// What runs in place of a function, if anything does.
pub fn native(function: &Function) -> Option<Native> {
    let name = function.name.as_str();
    if let Some(rest) = name.strip_prefix("llvm.") {
        let run = intrinsics::find(rest)?;
        return Some(Native {
            when: When::Always,
            run,
        });
    }
    if let Some(native) = of_family(name) {
        return Some(native);
    }
    if let Some(native) = refused::of(name).filter(|_| !function.declaration) {
        return Some(native);
    }
    for table in TABLES {
        if let Ok(at) = table.binary_search_by(|entry| entry.0.cmp(name)) {
            let (_, when, run) = table[at];
            return Some(Native { when, run });
        }
    }
    None
}

/// What runs in place of a function of which there are as many as there are types, kinds or places.
fn of_family(name: &str) -> Option<Native> {
    ubsan::handler(name)
        .or_else(|| verifier::nondet(name))
        .or_else(|| panics::of(name))
}

/// Whether a function that [`names`] does not list needs no body either.
pub fn is_of_family(name: &str) -> bool {
    of_family(name).is_some()
}

/// What runs in place of the functions of a program, and what the code knows of it.
pub(crate) fn natives(program: &Program) -> (Vec<Option<code::Native>>, Natives) {
    let natives: Vec<Option<Native>> = program.functions.iter().map(native).collect();
    let known = natives.iter().map(|native| {
        native.map(|native| code::Native {
            when: native.when,
            effect: effect(native.run),
        })
    });
    let runs = natives.iter().map(|native| native.map(|native| native.run));
    (known.collect(), Natives::new(runs.collect()))
}

/// What the fast paths can do in place of a native function.
fn effect(run: Run) -> Effect {
    let is = |other: Run| std::ptr::fn_addr_eq(run, other);
    if is(intrinsics::nothing) {
        Effect::Nothing
    } else if is(strings::memcpy) || is(strings::memmove) {
        Effect::Copies
    } else {
        Effect::Other
    }
}

pub(crate) use families::allocates;
pub use refused::{Refused, TABLE as REFUSED};

/// The functions that need no body because the executor has one, beside LLVM's intrinsics and the
/// families of [`is_of_family`].
pub fn names() -> Vec<&'static str> {
    let tables = TABLES.iter().flat_map(|table| table.iter());
    tables.map(|entry| entry.0).collect()
}

#[cfg(test)]
mod tests {
    use super::TABLES;

    #[test]
    fn tables_are_sorted() {
        for table in TABLES {
            assert!(table.windows(2).all(|pair| pair[0].0 < pair[1].0));
        }
        let refused = super::REFUSED.windows(2);
        assert!(
            refused
                .into_iter()
                .all(|pair| pair[0].symbol < pair[1].symbol)
        );
    }
}

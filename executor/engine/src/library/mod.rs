//! What the executor does in place of functions, by name: the heap, non-local jumps, the
//! runtime's hooks, the harness intrinsics, LLVM's intrinsics, and fast paths of string functions.
//!
//! Each file has one sorted table. An entry always applies, or only if the program has no body
//! for the function; a fast path that does not apply declines, and the body runs.

mod blocks;
pub(crate) mod exceptions;
mod families;
mod float_environment;
mod heap;
mod intrinsics;
mod jump;
mod klee;
mod merging;
mod panics;
mod process;
mod refused;
mod rtti;
mod runtime;
pub(crate) mod strings;
mod ubsan;
mod verifier;

use crate::engine::Engine;
use crate::state::State;
use crate::stop::Step;
use plat_expr::Value;
use plat_program::{FuncId, Function, TypeId};
use std::fmt;

/// A call of a native function.
#[derive(Clone, Copy, Debug)]
pub struct Invocation<'a> {
    /// The function that is called.
    pub callee: FuncId,
    /// The arguments.
    pub args: &'a [Value],
    /// Width in bits of each argument; 0 of aggregates and vectors.
    pub widths: &'a [u32],
    /// Type of the result at the call.
    pub ret: TypeId,
}

impl Invocation<'_> {
    /// Argument `at`; zero if it is missing.
    pub fn arg(&self, at: usize) -> Value {
        self.args.get(at).copied().unwrap_or(Value::Int(0))
    }

    /// Width in bits of argument `at`.
    pub fn width(&self, at: usize) -> u32 {
        self.widths.get(at).copied().unwrap_or(64)
    }
}

/// How a native function has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply {
    /// With a result.
    Value(Value),
    /// Without one.
    Nothing,
    /// It does not apply: the function's body runs.
    Body,
    /// It has moved control itself.
    Transferred,
    /// It has made siblings, and all positions are set.
    Forked,
}

/// When an entry applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// Whether the function has a body or not.
    Always,
    /// Only if the function has no body.
    Declared,
}

/// What runs in place of a function.
pub type Run = fn(&mut Engine<'_>, &mut State, &Invocation<'_>) -> Step<Reply>;

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
    exceptions::TABLE,
    float_environment::TABLE,
    heap::TABLE,
    jump::TABLE,
    klee::TABLE,
    process::TABLE,
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
    if let Some(native) = ubsan::handler(name) {
        return Some(native);
    }
    if let Some(native) = verifier::nondet(name).or_else(|| panics::of(name)) {
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

/// Whether what runs in place of a function does nothing.
pub(crate) fn does_nothing(run: Run) -> bool {
    std::ptr::fn_addr_eq(run, intrinsics::nothing as Run)
}

/// Whether what runs in place of a function copies bytes from its second argument to its first, which
/// it returns.
pub(crate) fn copies(run: Run) -> bool {
    let is = |other: Run| std::ptr::fn_addr_eq(run, other);
    is(strings::memcpy) || is(strings::memmove)
}

pub(crate) use families::allocates;
pub use refused::{Refused, TABLE as REFUSED};

/// The functions that need no body because the executor has one, beside LLVM's intrinsics and the
/// family `__VERIFIER_nondet_*`.
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

//! Functions that the executor carries out itself, as calls see them. The library has them.

use super::Executor;
use crate::state::State;
use crate::state::stop::Step;
use plat_expr::Value;
use plat_program::{FuncId, TypeId};
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

/// What runs in place of a function.
pub type Run = fn(&mut Executor<'_>, &mut State, &Invocation<'_>) -> Step<Reply>;

/// What runs in place of the functions of a program.
#[derive(Default)]
pub struct Natives(Vec<Option<Run>>);

impl fmt::Debug for Natives {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.0.iter().flatten().count();
        out.debug_tuple("Natives").field(&known).finish()
    }
}

impl Natives {
    /// An entry for each function.
    pub fn new(runs: Vec<Option<Run>>) -> Self {
        Natives(runs)
    }

    /// What runs in place of a function, if anything does.
    #[inline(always)]
    pub fn of(&self, function: FuncId) -> Option<Run> {
        self.0[function.index()]
    }
}

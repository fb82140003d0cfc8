//! Whether two paths at one instruction are in the same state, as far as it decides what they do from
//! then on: the same calls, registers that may be read, memory, environment.

use super::Executor;
use crate::state::State;
use crate::state::frame::Frame;
use plat_expr::{Pool, Value};
use std::rc::Rc;

/// Says of two register contents that are not the same whether they count as such.
pub(crate) type ValuesAlike<'a> = &'a mut dyn FnMut(&mut Pool, Value, Value) -> bool;

impl Executor<'_> {
    /// Whether two paths of one program, with one thread each, are in the same state but for their path
    /// conditions.
    pub(crate) fn is_same_but_for_conditions(&mut self, one: &State, other: &State) -> bool {
        may_panic!();
        let aside = one.requests.forking_off == other.requests.forking_off
            && one.requests.aliases == other.requests.aliases
            && one.float == other.float
            && one.distances == other.distances
            && one.exceptions == other.exceptions
            && one.aside.is_empty()
            && other.aside.is_empty()
            && one.input.symbolics.len() == other.input.symbolics.len()
            && one.callers.len() == other.callers.len();
        if !aside || self.frames_differ(&one.frame, &other.frame, &mut |_, _, _| false) {
            return false;
        }
        let mut callers = one.callers.beside(&other.callers);
        if callers.any(|(one, other)| self.frames_differ(one, other, &mut |_, _, _| false)) {
            return false;
        }
        let (mine, theirs) = (&one.environment, &other.environment);
        let memory = (one.memory).difference(&mut self.pool, &other.memory, &mut |_, _, _| false);
        memory.is_none() && (Rc::ptr_eq(mine, theirs) || mine.same_unasked(theirs))
    }

    /// Whether two activations are not in the same state.
    pub(crate) fn frames_differ(
        &mut self,
        one: &Frame,
        other: &Frame,
        alike: ValuesAlike<'_>,
    ) -> bool {
        let same = (one.function, one.pc) == (other.function, other.pc)
            && (one.on_return, one.result) == (other.on_return, other.result)
            && one.varargs == other.varargs
            && one.allocas == other.allocas;
        !same || self.registers_differ(one, other, alike)
    }

    /// Whether registers of two activations at one instruction differ that may be read.
    pub(crate) fn registers_differ(
        &mut self,
        one: &Frame,
        other: &Frame,
        alike: ValuesAlike<'_>,
    ) -> bool {
        let Some(live) = self.readable(one) else {
            // `longjmp` may ask for this very activation.
            return one.serial != other.serial || one.regs != other.regs;
        };
        live.iter().any(|&reg| {
            let (mine, theirs) = (self.register_of(one, reg), self.register_of(other, reg));
            mine != theirs && !alike(&mut self.pool, mine, theirs)
        })
    }
}

//! Events in the middle of an instruction: what hooks only look at, and what they may replace.

use super::event::{Allocated, Decision, MemoryAccess, Split};
use super::view::View;
use crate::executor::Executor;
use crate::hook::Step;
use crate::state::State;
use plat_expr::{ExprId, ObjectId, Value};
use std::rc::Rc;

impl Executor<'_> {
    /// Shows hooks an access.
    pub(super) fn tell_watched_access(&mut self, state: &State, event: &MemoryAccess) {
        let bound = Rc::clone(&self.hooks.bound);
        for &(number, kinds) in &bound.watched_accesses {
            if kinds.include(event.kind) {
                self.with_hook(number, |exec, hook| {
                    hook.watch_access(&View { exec, state }, event);
                });
            }
        }
    }

    /// Shows hooks a split.
    pub(crate) fn tell_split(&mut self, state: &State, event: Split) {
        let bound = Rc::clone(&self.hooks.bound);
        for &number in &bound.watched_splits {
            self.with_hook(number, |exec, hook| {
                hook.watch_split(&View { exec, state }, &event);
            });
        }
    }

    /// What a path decides by, as hooks want it.
    #[inline]
    pub(crate) fn deciding(&mut self, state: &mut State, expr: ExprId) -> Step<ExprId> {
        match self.hooks.decisions {
            true => self.tell_decision(state, expr, false),
            false => Ok(expr),
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_decision(
        &mut self,
        state: &mut State,
        mut expr: ExprId,
        freezes: bool,
    ) -> Step<ExprId> {
        if self.pool.symbols(expr).iter().next().is_none() {
            return Ok(expr);
        }
        let bound = Rc::clone(&self.hooks.bound);
        for &number in &bound.decisions {
            let event = Decision { expr, freezes };
            let answer = self.ask(state, number, |hook, access| hook.decides(access, &event))?;
            // Of another width it cannot stand for what the program has.
            let fits = |answer: &ExprId| self.pool.width(*answer) == self.pool.width(expr);
            expr = answer.filter(fits).unwrap_or(expr);
        }
        Ok(expr)
    }

    /// What `freeze` makes of a value, as hooks want it.
    pub(crate) fn freezing(&mut self, state: &mut State, value: Value) -> Step<Value> {
        match value {
            Value::Expr(expr) if self.hooks.decisions => {
                let expr = self.tell_decision(state, expr, true)?;
                Ok(Value::from_expr(&self.pool, expr))
            }
            Value::Aggregate(parts) if self.hooks.decisions => {
                let mut parts = self.pool.aggregate_values(parts).to_vec();
                for part in &mut parts {
                    *part = self.freezing(state, *part)?;
                }
                Ok(Value::Aggregate(self.pool.aggregate(&parts)))
            }
            other => Ok(other),
        }
    }

    /// Tells hooks of a block that was made.
    pub(crate) fn allocated_block(&mut self, state: &mut State, object: ObjectId, size: u64) {
        if self.hooks.allocations {
            self.tell_allocation(state, Allocated { object, size });
        }
    }

    #[cold]
    #[inline(never)]
    fn tell_allocation(&mut self, state: &mut State, event: Allocated) {
        let bound = Rc::clone(&self.hooks.bound);
        for &number in &bound.allocations {
            // Asking cannot fail: there is no answer.
            let _ = self.ask(state, number, |hook, access| {
                hook.allocated(access, &event);
                Ok(())
            });
        }
    }
}

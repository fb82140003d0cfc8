//! Values that are not the same expression, and may be equal all the same: where a parser goes on by
//! the length of a part, and the length is 0, what it adds to its position is symbolic.
//!
//! Two expressions that have the same value under the path's model are noted, and at last the solver is
//! asked whether the path condition lets any of them differ.

use crate::executor::Executor;
use crate::hook::{ExprId, Pool, Value};
use crate::state::State;
use plat_expr::{Assignment, EvalMemo};

/// How many pairs may be noted in one comparison.
const MOST: usize = 16;

/// The pairs of expressions of one comparison.
pub(super) struct Pairs<'m> {
    model: &'m Assignment,
    memo: EvalMemo,
    noted: Vec<(ExprId, ExprId)>,
    /// Whether any may be noted.
    open: bool,
}

impl<'m> Pairs<'m> {
    /// None yet, of values under a model. If they are not `open`, nothing is noted.
    pub fn new(model: &'m Assignment, open: bool) -> Self {
        Pairs {
            model,
            memo: EvalMemo::default(),
            noted: Vec::new(),
            open,
        }
    }

    /// Whether two expressions of the same width may be equal on the path.
    pub fn alike(&mut self, pool: &mut Pool, now: ExprId, then: ExprId) -> bool {
        if !self.open || self.noted.len() >= MOST {
            return false;
        }
        let (now, then) = (pool.number(now), pool.number(then));
        let (mine, theirs) = (
            pool.eval(now, self.model, &mut self.memo),
            pool.eval(then, self.model, &mut self.memo),
        );
        let wide = pool.width(now) > 64;
        if mine == theirs && !wide && now != then {
            self.noted.push((now, then));
        }
        mine == theirs && !wide
    }

    /// The same for contents of registers.
    pub fn values_alike(&mut self, pool: &mut Pool, now: Value, then: Value) -> bool {
        let width = match (now, then) {
            (Value::Expr(now), Value::Expr(then)) if pool.width(now) != pool.width(then) => {
                return false;
            }
            (Value::Aggregate(_), _) | (_, Value::Aggregate(_)) => return false,
            (Value::Expr(expr), _) | (_, Value::Expr(expr)) => pool.width(expr),
            _ => return false,
        };
        let (now, then) = (now.to_expr(pool, width), then.to_expr(pool, width));
        self.alike(pool, now, then)
    }

    /// The pairs that were noted.
    pub fn noted(self) -> Vec<(ExprId, ExprId)> {
        self.noted
    }
}

/// Whether the path condition lets none of the pairs differ.
pub(super) fn are_equal(
    exec: &mut Executor<'_>,
    state: &mut State,
    pairs: &[(ExprId, ExprId)],
) -> bool {
    let mut all = exec.pool.bool(true);
    for &(now, then) in pairs {
        let same = exec.pool.eq(now, then);
        all = exec.pool.and_bool(all, same);
    }
    let differ = exec.pool.not(all);
    // Without an answer they may differ.
    matches!(exec.feasible(state, differ), Ok(None))
}

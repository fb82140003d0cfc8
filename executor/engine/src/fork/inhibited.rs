//! Forks that a limit forbids: one side goes on, and the others end.

use crate::api::outcome::{Limit, PathEnd};
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::Side;
use crate::state::trail::KEPT;
use plat_program::InstId;
use rustc_hash::FxHasher;
use std::hash::{Hash as _, Hasher as _};

impl Executor<'_> {
    /// Whether a fork of this state is forbidden, and by which limit.
    pub(super) fn fork_forbidden(&self, state: &State) -> Option<Limit> {
        let limits = &self.config.limits;
        if limits.depth.is_some_and(|most| state.history.depth >= most) {
            return Some(Limit::Depth);
        }
        if state.requests.forking_off
            || limits
                .forks
                .is_some_and(|most| self.counters.counts.total_forks() >= most)
        {
            return Some(Limit::Forks);
        }
        None
    }

    /// Lets only one of the sides live on, because of a limit.
    pub(super) fn inhibit(&mut self, state: &State, sides: &mut [(usize, Side)], limit: Limit) {
        let living = || sides.iter().filter(|(_, side)| side.end.is_none());
        let kept = match limit {
            Limit::Depth if state.input.seeds.is_empty() => {
                let which = chosen_by_path(state, self.place(state));
                which.checked_rem(living().count())
            }
            _ => {
                let guards: Vec<_> = living().map(|(_, side)| side.guard).collect();
                let taken = |guard: &_| self.model_takes(state, *guard);
                guards.iter().position(taken)
            }
        };
        let living = sides.iter_mut().filter(|(_, side)| side.end.is_none());
        for (order, (_, side)) in living.enumerate() {
            if Some(order) != kept {
                self.counters.counts.inhibited_forks += 1;
                side.end = Some(PathEnd::Limit(limit, format!("{} limit", limit.name())));
            }
        }
    }

    fn model_takes(&mut self, state: &State, guard: plat_expr::ExprId) -> bool {
        let guard = self.pool.number(guard);
        let mut memo = plat_expr::EvalMemo::default();
        self.pool.eval(guard, state.constraints.model(), &mut memo) == 1
    }
}

/// A number that the last decisions of a path, their count and its place decide. The values that its model has depend on
/// the queries that were asked, of which a run that goes on with another one asks fewer, and that run is to come to the
/// same paths. In a loop the last decisions are always the same, so that without their count it would never end.
fn chosen_by_path(state: &State, inst: Option<InstId>) -> usize {
    let mut hasher = FxHasher::default();
    state.history.trail.subpath(KEPT).hash(&mut hasher);
    state.history.depth.hash(&mut hasher);
    inst.hash(&mut hasher);
    (hasher.finish() >> 32) as usize
}

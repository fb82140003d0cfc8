//! Seeds that come while the run goes on, from a fuzzer beside it ([`crate::api::seeds::SeedSource`]).
//!
//! A late seed starts a path of its own at the beginning of the program. What lies beside that path
//! has mostly been explored, or will be by the run itself. So the other side of a decision becomes a
//! path only if no late seed before has come to that side by the same last decisions ([`Trail`]), and
//! only then the solver is asked whether it is possible. That is the loop of concolic executors beside
//! fuzzers (QSYM, SymCC), whose measure of new is a map of edges.
//!
//! Such a run can come to a path twice: by itself, and beside a seed. It loses none, as its own states
//! leave nothing out.

use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::Side;
use crate::state::trail::{KEPT, Trail};
use plat_expr::{EvalMemo, ExprId};
use plat_program::InstId;

/// A decision of a path that follows a late seed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Followed {
    inst: Option<InstId>,
    /// The value of the condition in the seed.
    pub value: bool,
    /// Whether the other side is known.
    pub known: bool,
    /// The other side, behind the decisions before it.
    other: u64,
}

/// The position of a side of a condition.
fn side(value: bool) -> u32 {
    u32::from(!value)
}

/// A side of a decision behind those before it.
fn behind(trail: &Trail, inst: Option<InstId>, side: u32) -> u64 {
    let mut trail = *trail;
    trail.push(inst, side);
    trail.subpath(KEPT)
}

impl Executor<'_> {
    /// Whether a condition holds under the model of a state, which is the seed that it follows.
    fn holds_in_model(&mut self, state: &State, condition: ExprId) -> bool {
        let condition = self.pool.number(condition);
        let model = state.constraints.model();
        self.pool.holds(condition, model, &mut EvalMemo::default())
    }

    /// The decision that a condition is, on a path that follows a late seed.
    #[inline]
    pub(super) fn decision(&mut self, state: &State, condition: ExprId) -> Option<Followed> {
        state.late()?;
        self.decision_of_seed(state, condition)
    }

    #[cold]
    fn decision_of_seed(&mut self, state: &State, condition: ExprId) -> Option<Followed> {
        let trail = state.late()?;
        let inst = self.place(state);
        let value = self.holds_in_model(state, condition);
        let other = behind(trail, inst, side(!value));
        Some(Followed {
            inst,
            value,
            known: self.late.knows(other),
            other,
        })
    }

    /// Goes the seed's way at a decision whose other side is known.
    pub(super) fn follow(&mut self, state: &mut State, decision: Followed, condition: ExprId) {
        let guard = match decision.value {
            true => condition,
            false => self.pool.not(condition),
        };
        let model = state.constraints.model().clone();
        self.assume(state, guard, &model);
        self.came_by(state, decision);
    }

    /// Notes a decision of a state that follows a late seed, and that its other side is known now.
    pub(super) fn came_by(&mut self, state: &mut State, decision: Followed) {
        self.late.add(decision.other);
        if let Some(trail) = &mut state.input.late {
            trail.push(decision.inst, side(decision.value));
        }
    }

    /// Of the sides of a split, those that a state which follows a late seed is split into: the
    /// seed's, which needs no query, and those that are new.
    #[cold]
    pub(super) fn new_sides(&mut self, state: &mut State, sides: Vec<Side>) -> Vec<(usize, Side)> {
        let inst = self.place(state);
        let taken = sides
            .iter()
            .position(|side| self.holds_in_model(state, side.guard));
        let mut kept = Vec::with_capacity(sides.len());
        for (at, mut side) in sides.into_iter().enumerate() {
            if taken == Some(at) {
                side.model = Some(state.constraints.model().clone());
                kept.push((at, side));
                continue;
            }
            let trail = state.late().filter(|_| taken.is_some());
            if trail.is_none_or(|trail| self.late.add(behind(trail, inst, at as u32))) {
                kept.push((at, side));
            }
        }
        if let (Some(taken), Some(trail)) = (taken, &mut state.input.late) {
            trail.push(inst, taken as u32);
        }
        kept
    }
}

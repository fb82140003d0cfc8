//! Jumps, branches, switches, and what is unreachable.

use crate::api::outcome::{FaultKind, PathEnd};
use crate::api::summary::ForkKind;
use crate::executor::Executor;
use crate::fork::{Own, Ways};
use crate::report::blame::place_text;
use crate::state::State;
use crate::state::stop::{Flow, Side, Step, fault};
use crate::step::fast::follow;
use crate::values;
use plat_expr::ExprId;
use plat_program::{EdgeId, Function, Inst, Operand, Span, TypeId};

impl Executor<'_> {
    /// Goes along an edge, with what may be poison.
    pub(crate) fn take_edge(&mut self, state: &mut State, function: &Function, edge: EdgeId) {
        may_panic!();
        if !state.aside.poison.is_empty() {
            self.move_poison(state, function, edge);
        }
        let decoded = self.decoded(function.id);
        let (exit, moves) = decoded.exit(edge);
        follow(&mut state.frame.regs, moves);
        state.frame.pc = exit.pc;
    }

    /// Notes which way the conditional branch goes at which the state stands.
    pub(super) fn note_branch(&mut self, state: &mut State, function: &Function, taken: bool) {
        let at = function.first_inst.index() + state.frame.pc as usize;
        let way = 1 << u8::from(taken);
        if let Some(ways) = self.counters.branches.get_mut(at)
            && *ways & way == 0
        {
            *ways |= way;
            self.cover_side(state);
        }
        if self.config.notes_branches() {
            if self.direction(state).is_some_and(|told| told != taken) {
                let inst = state.frame.inst(self.program);
                let place = place_text(&self.line_outside_libraries(inst));
                let place = place.unwrap_or_else(|| function.name.clone());
                let number = state.history.branches.len() + 1;
                self.events.warn_once(format!(
                    "a path does not go as --replay-path says from branch {number} on, at {place}"
                ));
            }
            state.history.branches.push(taken);
        }
    }

    /// The direction that the next conditional branch of a path is to take.
    fn direction(&self, state: &State) -> Option<bool> {
        let directions = &self.config.search.directions;
        directions.get(state.history.branches.len()).copied()
    }

    /// A branch on a symbolic condition.
    #[inline(never)]
    pub(super) fn branch(
        &mut self,
        state: &mut State,
        function: &Function,
        cond: Operand,
        then: EdgeId,
        otherwise: EdgeId,
    ) -> Step<Flow> {
        let cond = self.operand(state, cond);
        self.require_scalar(cond)?;
        let holds = values::condition(&mut self.pool, cond);
        let holds = self.deciding(state, holds)?;
        let fails = self.pool.not(holds);
        match self.ways(state, holds)? {
            Ways::Only(value) => {
                self.counters.counts.one_sided_branches += 1;
                self.note_branch(state, function, value);
                self.take_edge(state, function, if value { then } else { otherwise });
                Ok(Flow::Jumped)
            }
            Ways::Both {
                holds: with,
                fails: without,
            } => {
                if let Some(taken) = self.direction(state) {
                    let (condition, model) = match taken {
                        true => (holds, with),
                        false => (fails, without),
                    };
                    self.assume(state, condition, &model);
                    if let Some(left) = self.unseeded(state) {
                        return Err(left.into());
                    }
                    self.note_branch(state, function, taken);
                    self.take_edge(state, function, if taken { then } else { otherwise });
                    return Ok(Flow::Jumped);
                }
                let sides = vec![
                    Side {
                        guard: holds,
                        model: Some(with),
                        end: None,
                    },
                    Side {
                        guard: fails,
                        model: Some(without),
                        end: None,
                    },
                ];
                self.fork_to(state, function, ForkKind::Branch, sides, &[then, otherwise])
            }
            Ways::Unknown(value, reason) => {
                let cut = PathEnd::Limit(crate::api::outcome::Limit::Solver, reason);
                let model = state.constraints.model().clone();
                let side = |taken: bool, guard| Side {
                    guard,
                    model: taken.then(|| model.clone()),
                    end: (!taken).then(|| cut.clone()),
                };
                let sides = vec![side(value, holds), side(!value, fails)];
                self.fork_to(state, function, ForkKind::Branch, sides, &[then, otherwise])
            }
        }
    }

    /// Splits the state and sends each part along its edge.
    fn fork_to(
        &mut self,
        state: &mut State,
        function: &Function,
        kind: ForkKind,
        sides: Vec<Side>,
        edges: &[EdgeId],
    ) -> Step<Flow> {
        may_panic!();
        let (own, others) = self.split(state, kind, sides)?;
        let forked = !others.is_empty();
        self.complete(others, &mut |exec, at, other| {
            if kind == ForkKind::Branch {
                exec.note_branch(other, function, at == 0);
            }
            exec.take_edge(other, function, edges[at]);
        });
        match own {
            Own::Lives(own) => {
                if kind == ForkKind::Branch {
                    self.note_branch(state, function, own == 0);
                }
                self.take_edge(state, function, edges[own]);
            }
            Own::Ends(end) => return Err(end.into()),
        }
        Ok(if forked { Flow::Forked } else { Flow::Jumped })
    }

    /// A switch: cases with the same edge are one alternative, unless all are to be told apart.
    #[inline(never)]
    pub(super) fn switch(
        &mut self,
        state: &mut State,
        function: &Function,
        ty: TypeId,
        value: Operand,
        cases: Span,
        default: EdgeId,
    ) -> Step<Flow> {
        may_panic!();
        if let Some(word) = self.word(state, value) {
            let sorted = &self.code.functions[state.frame.function.index()].switch_cases;
            let sorted = &sorted[cases.range()];
            let found = sorted.binary_search_by_key(&word, |case| case.0);
            self.take_edge(state, function, found.map_or(default, |at| sorted[at].1));
            return Ok(Flow::Jumped);
        }
        let value = self.operand(state, value);
        self.require_scalar(value)?;
        let cases = &function.switch_cases[cases.range()];
        if let Some(number) = values::wide_number(&self.pool, value) {
            let found = cases.iter().find(|case| case.0 == number);
            self.take_edge(state, function, found.map_or(default, |case| case.1));
            return Ok(Flow::Jumped);
        }
        let bits = self.code.ty(ty).bits;
        let value = value.to_expr(&mut self.pool, bits);
        let value = self.deciding(state, value)?;
        let mut edges: Vec<EdgeId> = Vec::new();
        let mut guards: Vec<ExprId> = Vec::new();
        for &(number, edge) in cases {
            let number = self.pool.constant_u128(bits, number);
            let equal = self.pool.eq(value, number);
            if self.pool.is_false(equal) {
                continue;
            }
            let apart = self.config.search.split_cases;
            if edge == default && !apart {
                continue;
            }
            match edges.iter().position(|&known| known == edge && !apart) {
                Some(at) => guards[at] = self.pool.or(guards[at], equal),
                None => {
                    edges.push(edge);
                    guards.push(equal);
                }
            }
        }
        let mut listed = self.pool.bool(false);
        for &guard in &guards {
            listed = self.pool.or(listed, guard);
        }
        edges.push(default);
        guards.push(self.pool.not(listed));
        let mut sides = Vec::with_capacity(guards.len());
        let mut taken = Vec::with_capacity(guards.len());
        for (guard, edge) in guards.into_iter().zip(edges) {
            if let Some(model) = self.feasible(state, guard)? {
                sides.push(Side {
                    guard,
                    model: Some(model),
                    end: None,
                });
                taken.push(edge);
            }
        }
        self.fork_to(state, function, ForkKind::Switch, sides, &taken)
    }

    /// Control has reached what the compiler was told it never reaches.
    pub(super) fn unreachable(&mut self, state: &State, function: &Function) -> Step<Flow> {
        let before = (state.frame.pc as usize)
            .checked_sub(1)
            .map(|at| &function.insts[at]);
        let message = match before {
            Some(Inst::Call { .. }) => "reached unreachable code behind a call",
            _ => "reached unreachable code",
        };
        fault(FaultKind::Unreachable, message)
    }
}

//! Forking: the one place where a state becomes several, and where conditions are added.

mod inhibited;
pub(crate) mod late;
pub(crate) mod merge;
pub(crate) mod placing;
mod seeds;

use crate::api::observe::{Fork, Observer};
use crate::api::outcome::{Limit, PathEnd};
use crate::api::summary::ForkKind;
use crate::executor::{EndedPart, Executor, ForkPlace};
use crate::hook::{Forked, Split};
use crate::state::State;
use crate::state::stop::{Side, Step, Stop, solver_limit};
use placing::Placing;
use plat_expr::Assignment;
use plat_expr::{ExprId, Value};
use plat_solver::{Branch, Feasible};
use std::time::Instant;

/// Which way a condition can go, with what each way needs.
#[derive(Debug)]
pub enum Ways {
    /// Only one value is possible.
    Only(bool),
    /// Both are possible, with a model of each.
    Both {
        /// Satisfies the path condition and the condition.
        holds: Assignment,
        /// Satisfies the path condition and the negation.
        fails: Assignment,
    },
    /// One value is possible; about the other the solver has no answer, and why.
    Unknown(bool, String),
}

/// What a split makes of the state that is split.
#[derive(Debug)]
pub enum Own {
    /// It goes on as the side at this position.
    Lives(usize),
    /// It ends.
    Ends(PathEnd),
}

/// The number of the side of which it is not known whether it is possible, where an end is told from
/// what goes on.
const UNKNOWN: u32 = 2;

impl Executor<'_> {
    /// Adds a condition that `model` satisfies together with the path condition.
    pub fn assume(&mut self, state: &mut State, condition: ExprId, model: &Assignment) {
        may_panic!();
        let condition = self.pool.number(condition);
        if !self.pool.is_true(condition) {
            state.constraints.add(&mut self.pool, condition, model);
            if !state.input.seeds.is_empty() {
                self.filter_seeds(state, condition);
            }
        }
    }

    /// A part split off a state, with an identity of its own, at the same instruction.
    fn part_of(&mut self, state: &mut State, kind: ForkKind) -> State {
        may_panic!();
        let mut part = self.copy(state);
        part.id = self.next_state_id();
        part.history.novelty.covered = false;
        part.history.novelty.side = false;
        part.history.deferrals = 0;
        // What is led along a plan was counted when it happened first.
        if !state.is_led() {
            self.counters.counts.forks[kind as usize] += 1;
        }
        let inst = self.place(state);
        self.events.observer.forked(&Fork {
            parent: state.id,
            child: part.id,
            inst,
            kind,
        });
        let parent = state.id;
        self.note_fork(&mut part, Forked { parent, inst, kind });
        part
    }

    /// Leaves a part that has ended to the run.
    fn end_part(&mut self, has_model: bool, state: State, end: PathEnd) {
        self.batch.ended.push(EndedPart {
            state,
            end,
            has_model,
        });
    }

    /// Which way a condition can go. Costs at most one query. Without an answer a run whose time is
    /// over ends the path, as it ends those that it has not come to.
    pub fn ways(&mut self, state: &mut State, condition: ExprId) -> Step<Ways> {
        may_panic!();
        let place = self.place(state);
        let before = self
            .solving
            .begin_query(place, self.counters.counts.instructions);
        let answer = self
            .solving
            .oracle
            .branch(&mut self.pool, &state.constraints, condition);
        let answered = !matches!(answer, Branch::Unknown(_));
        self.solving.end_query(place, before, answered);
        self.asked(state, !matches!(answer, Branch::Both { .. }));
        let ways = match answer {
            Branch::True => Ways::Only(true),
            Branch::False => Ways::Only(false),
            Branch::Both { other, model_takes } => {
                let own = state.constraints.model().clone();
                if model_takes {
                    Ways::Both {
                        holds: own,
                        fails: other,
                    }
                } else {
                    Ways::Both {
                        holds: other,
                        fails: own,
                    }
                }
            }
            Branch::Unknown(reason) => {
                if self.overdue().is_some() || self.may_wait() {
                    return self.no_answer(reason);
                }
                let condition = self.pool.number(condition);
                let taken =
                    self.solving
                        .oracle
                        .value(&mut self.pool, &state.constraints, condition);
                Ways::Unknown(taken == 1, reason)
            }
        };
        Ok(ways)
    }

    /// A model of the path condition with one more condition, if there is one.
    pub fn feasible(&mut self, state: &mut State, condition: ExprId) -> Step<Option<Assignment>> {
        may_panic!();
        let place = self.place(state);
        let before = self
            .solving
            .begin_query(place, self.counters.counts.instructions);
        let answer = self
            .solving
            .oracle
            .feasible(&mut self.pool, &state.constraints, condition);
        let answered = !matches!(answer, Feasible::Unknown(_));
        self.solving.end_query(place, before, answered);
        self.asked(state, !matches!(answer, Feasible::Yes(_)));
        match answer {
            Feasible::Yes(model) => Ok(Some(model)),
            Feasible::No => Ok(None),
            Feasible::Unknown(reason) => self.no_answer(reason),
        }
    }

    /// What follows from a query without an answer: the path is deferred, if the query had a bound on its
    /// work, or ends.
    pub(crate) fn no_answer<T>(&self, reason: String) -> Step<T> {
        let replayed = self.solving.oracle.replayed_without_answer();
        let ends = !self.may_wait() || (self.overdue().is_some() && replayed.is_none());
        match ends {
            true => solver_limit(reason),
            false => Err(Box::new(Stop::Defer)),
        }
    }

    /// Whether the last query, which has no answer, had a bound on its work; where a replay says that it
    /// has none, what the path was told then.
    fn may_wait(&self) -> bool {
        let replayed = self.solving.oracle.replayed_without_answer();
        replayed.unwrap_or(!self.solving.effort.is_full())
    }

    /// The value of a condition on this path. When both values are possible the step stops and the
    /// path splits; asked again in either part, the answer is known.
    pub fn decide(&mut self, state: &mut State, kind: ForkKind, condition: ExprId) -> Step<bool> {
        may_panic!();
        if self.pool.is_true(condition) {
            return Ok(true);
        }
        if self.pool.is_false(condition) {
            return Ok(false);
        }
        let condition = self.deciding(state, condition)?;
        let followed = self.decision(state, condition);
        if let Some(decision) = followed.filter(|decision| decision.known) {
            self.follow(state, decision, condition);
            return Ok(decision.value);
        }
        match self.ways(state, condition)? {
            Ways::Only(value) => {
                if let Some(decision) = followed {
                    self.came_by(state, decision);
                }
                Ok(value)
            }
            Ways::Both { holds, fails } => {
                let negation = self.pool.not(condition);
                let side = |guard, model| Side {
                    guard,
                    model: Some(model),
                    end: None,
                };
                let sides = vec![side(condition, holds), side(negation, fails)];
                Err(Box::new(Stop::Split(kind, sides)))
            }
            Ways::Unknown(value, reason) => {
                let negation = self.pool.not(condition);
                let (known, other) = if value {
                    (condition, negation)
                } else {
                    (negation, condition)
                };
                let model = Some(state.constraints.model().clone());
                let cut = PathEnd::Limit(Limit::Solver, reason);
                let sides = vec![
                    Side {
                        guard: known,
                        model,
                        end: None,
                    },
                    Side {
                        guard: other,
                        model: None,
                        end: Some(cut),
                    },
                ];
                Err(Box::new(Stop::Split(kind, sides)))
            }
        }
    }

    /// The one number that a value has on this path; when there are several the path splits.
    pub fn concrete(
        &mut self,
        state: &mut State,
        kind: ForkKind,
        value: Value,
        bits: u32,
    ) -> Step<u64> {
        may_panic!();
        if let Some(number) = crate::values::number(&self.pool, value) {
            return Ok(number);
        }
        let expr = value.to_expr(&mut self.pool, bits);
        let expr = self.pool.number(expr);
        if let Some(number) = self.pool.as_u64(expr) {
            return Ok(number);
        }
        let expr = self.deciding(state, expr)?;
        let guess = self
            .solving
            .oracle
            .value(&mut self.pool, &state.constraints, expr);
        let constant = self.pool.constant(bits, guess);
        let equal = self.pool.eq(expr, constant);
        match self.decide(state, kind, equal) {
            Ok(true) => Ok(guess),
            // The model itself says that the guess is possible.
            Ok(false) => solver_limit("the solver contradicts its own model"),
            Err(stop) => {
                self.counters.counts.concretized += 1;
                Err(stop)
            }
        }
    }

    /// Excludes the inputs for which `condition` holds: if there are any, they end in a
    /// path of their own.
    pub fn end_if(
        &mut self,
        state: &mut State,
        kind: ForkKind,
        condition: ExprId,
        end: PathEnd,
    ) -> Step<()> {
        may_panic!();
        if self.pool.is_false(condition) {
            return Ok(());
        }
        if self.pool.is_true(condition) {
            return Err(end.into());
        }
        let condition = self.deciding(state, condition)?;
        if let Some(decision) = self.decision(state, condition) {
            if decision.known && !decision.value {
                self.follow(state, decision, condition);
                return Ok(());
            }
            self.came_by(state, decision);
        }
        match self.ways(state, condition)? {
            Ways::Only(false) => Ok(()),
            Ways::Only(true) => Err(end.into()),
            Ways::Both { holds, fails } => {
                let inst = self.place(state);
                let fork = self.decide_fork(state, kind, inst, vec![0, 1])?;
                if !fork.keeps(1) {
                    // All that goes on was explored.
                    state.history.fork(inst, 0);
                    fork.place(state, 0, 0);
                    self.assume(state, condition, &holds);
                    return Err(end.into());
                }
                if fork.keeps(0) {
                    self.part(state, kind, condition, &holds, end, &fork);
                }
                state.history.fork(inst, 1);
                fork.place(state, 1, 1);
                let negation = self.pool.not(condition);
                self.assume(state, negation, &fails);
                match self.unseeded(state) {
                    Some(left) => Err(left.into()),
                    None => Ok(()),
                }
            }
            Ways::Unknown(taken, reason) => {
                let model = state.constraints.model().clone();
                let inst = self.place(state);
                let fork = self.decide_fork(state, kind, inst, vec![UNKNOWN, 1])?;
                let unknown = PathEnd::Limit(Limit::Solver, reason);
                if !fork.keeps(1) {
                    fork.place(state, 0, UNKNOWN);
                    return Err(unknown.into());
                }
                if fork.keeps(UNKNOWN) {
                    let mut cut = self.part_of(state, kind);
                    fork.place(&mut cut, 0, UNKNOWN);
                    self.end_part(false, cut, unknown);
                }
                fork.place(state, 1, 1);
                let side = if taken {
                    condition
                } else {
                    self.pool.not(condition)
                };
                self.assume(state, side, &model);
                if taken { Err(end.into()) } else { Ok(()) }
            }
        }
    }

    /// Ends, in a copy of the state, the inputs for which `condition` holds.
    fn part(
        &mut self,
        state: &mut State,
        kind: ForkKind,
        condition: ExprId,
        model: &Assignment,
        end: PathEnd,
        fork: &Placing,
    ) {
        let started = Instant::now();
        let mut copy = self.part_of(state, kind);
        let inst = self.place(state);
        copy.history.fork(inst, 0);
        fork.place(&mut copy, 0, 0);
        let side = Side {
            guard: condition,
            model: Some(model.clone()),
            end: Some(end),
        };
        let ended = self.enter_part(&mut copy, side);
        self.counters.counts.fork_wall += started.elapsed();
        if let Some((end, has_model)) = ended {
            self.end_part(has_model, copy, end);
        }
    }

    /// Adds its condition to a part that was just made. The end of the part, if it ends at once, and
    /// whether its path condition has a model then. A panic is the part's.
    fn enter_part(&mut self, part: &mut State, side: Side) -> Option<(PathEnd, bool)> {
        let Side { guard, model, end } = side;
        let left = self.guarded(|exec| {
            may_panic!();
            if let Some(model) = &model {
                exec.assume(part, guard, model);
            }
            exec.unseeded(part)
        });
        match left {
            Ok(None) => end.map(|end| (end, model.is_some())),
            Ok(Some(left)) => Some((left, false)),
            Err(text) => Some((PathEnd::internal(text), true)),
        }
    }

    /// The sides that are possible, each with a model or, where the solver has no answer, an end.
    /// When the run's time is over before all are known, the state is not split: it ends.
    fn possible(&mut self, state: &mut State, sides: Vec<Side>) -> Step<Vec<(usize, Side)>> {
        may_panic!();
        let mut possible = Vec::with_capacity(sides.len());
        let sides: Vec<(usize, Side)> = match state.late() {
            Some(_) => self.new_sides(state, sides),
            None => sides.into_iter().enumerate().collect(),
        };
        for (at, mut side) in sides {
            let unknown = matches!(side.end, Some(PathEnd::Limit(Limit::Solver, _)));
            if side.model.is_none() && !unknown {
                match self.feasible(state, side.guard) {
                    Ok(None) => continue,
                    Ok(model) => side.model = model,
                    Err(stop) if matches!(*stop, Stop::Defer) => return Err(stop),
                    Err(_) => {
                        let why = "no answer at a fork".into();
                        side.end = Some(PathEnd::Limit(Limit::Solver, why));
                        if self.overdue().is_some() {
                            side.guard = plat_expr::TRUE;
                            side.model = Some(state.constraints.model().clone());
                            return Ok(vec![(at, side)]);
                        }
                    }
                }
            }
            possible.push((at, side));
        }
        Ok(possible)
    }

    /// Makes one state per possible side, the given state one of them: the first that lives on,
    /// or the last if all end. Sides of other states that end are ended. Returns what becomes of
    /// the given state, and the others that live on, each with the position of its side. Nothing has
    /// happened to the state if it is deferred instead.
    pub fn split(
        &mut self,
        state: &mut State,
        kind: ForkKind,
        sides: Vec<Side>,
    ) -> Step<(Own, Vec<(usize, State)>)> {
        may_panic!();
        let mut possible = self.possible(state, sides)?;
        let started = Instant::now();
        let many = possible.len() > 1;
        let inst = self.place(state);
        let fork = match many {
            true => {
                let sides = possible.iter().map(|(at, _)| *at as u32).collect();
                self.decide_fork(state, kind, inst, sides)?
            }
            false => Placing::Unkept,
        };
        if many
            && !fork.is_planned()
            && let Some(limit) = self
                .fork_forbidden(state)
                .or_else(|| self.has_forked_enough(state, inst).then_some(Limit::Forks))
        {
            self.inhibit(state, &mut possible, limit);
        }
        self.batch.fork = match kind {
            ForkKind::Branch | ForkKind::Switch => inst.map(|inst| ForkPlace::of(state, inst)),
            _ => None,
        };
        if many && !self.hooks.bound.watched_splits.is_empty() {
            let parts = possible.len();
            self.tell_split(state, Split { inst, kind, parts });
        }
        let kept = |(at, _): &(usize, Side)| fork.keeps(*at as u32);
        let lives = |one: &(usize, Side)| kept(one) && one.1.end.is_none();
        let own = possible.iter().position(lives);
        let own = own.or_else(|| possible.iter().rposition(kept));
        may_panic!();
        let mut own_side = None;
        for (order, (at, side)) in possible.into_iter().enumerate() {
            if Some(order) == own {
                own_side = Some((order, at, side));
                continue;
            }
            if !fork.keeps(at as u32) {
                continue;
            }
            let mut copy = self.part_of(state, kind);
            copy.history.fork(inst, at as u32);
            fork.place(&mut copy, order, at as u32);
            match self.enter_part(&mut copy, side) {
                None => self.batch.parts.push((at, copy)),
                Some((end, has_model)) => self.end_part(has_model, copy, end),
            }
        }
        may_panic!();
        let Some((order, at, side)) = own_side else {
            let end = PathEnd::internal("no part of a split is possible");
            return Ok((Own::Ends(end), std::mem::take(&mut self.batch.parts)));
        };
        if many {
            state.history.fork(inst, at as u32);
            fork.place(state, order, at as u32);
        }
        if let Some(model) = &side.model {
            self.assume(state, side.guard, model);
        }
        may_panic!();
        let left = self.unseeded(state);
        // Without a test, what it has covered is another's to show.
        if left.is_some()
            && let Some((_, other)) = self.batch.parts.first_mut()
        {
            other.history.novelty.covered |= std::mem::take(&mut state.history.novelty.covered);
            other.history.novelty.side |= std::mem::take(&mut state.history.novelty.side);
        }
        let end = left.or(side.end);
        self.counters.counts.fork_wall += started.elapsed();
        let others = std::mem::take(&mut self.batch.parts);
        Ok((end.map_or(Own::Lives(at), Own::Ends), others))
    }

    /// Completes the instruction in each part that a split has made. One in which that panics ends.
    pub(crate) fn complete(
        &mut self,
        parts: Vec<(usize, State)>,
        work: &mut dyn FnMut(&mut Self, usize, &mut State),
    ) {
        for (at, mut part) in parts {
            match self.guarded(|exec| work(exec, at, &mut part)) {
                Ok(()) => self.batch.forked.push(part),
                Err(text) => self.end_part(true, part, PathEnd::internal(text)),
            }
        }
    }
}

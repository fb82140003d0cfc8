//! The loop: the searcher picks a state, the state runs for a batch of instructions, until all paths
//! have ended or a limit is met.

use super::Run;
use crate::api::id::StateId;
use crate::api::outcome::{Limit, PathEnd};
use crate::api::summary::StopReason;
use crate::state::State;
use crate::state::merging::OpenMerge;
use crate::step::Batch;
use crate::workers::{Forked, Workers};
use plat_solver::Effort;
use std::rc::Rc;

impl Run<'_> {
    /// Explores until no state is left or a limit is met.
    pub(crate) fn explore_all(&mut self) -> StopReason {
        loop {
            let counts = &mut self.exec.counters.counts;
            counts.max_states = counts.max_states.max(self.frontier.live());
            if self.frontier.nothing_to_choose() {
                self.resume_deferred();
            }
            let awaited = self.release_merged();
            if self.frontier.nothing_to_choose() {
                return (self.ends.cut_short).map_or(StopReason::Finished, StopReason::Limit);
            }
            if let Some(limit) = self.limit_met() {
                self.halt(limit);
                return StopReason::Limit(limit);
            }
            self.take_late_seeds();
            self.collect_if_due();
            let mut states = self.frontier.states.values();
            if self.exec.config.search.seeds.only_seed
                && states.all(|state| state.input.seeds.is_empty())
            {
                self.halt(Limit::Seeds);
                return StopReason::Limit(Limit::Seeds);
            }
            let first = awaited.or_else(|| self.next_of_meetings());
            let id = first.unwrap_or_else(|| self.frontier.select());
            let state = self.frontier.states.remove(&id);
            let Some(state) = state.or_else(|| self.warm(id)) else {
                // A searcher that names a state that is gone would be asked for ever.
                self.exec.counters.counts.internal_errors += 1;
                let what = "internal: the searcher chose a state that has ended";
                self.exec.events.warn_once(what);
                self.frontier.removed(id);
                continue;
            };
            if self.frontier.last != Some(id) {
                let last = self.frontier.last.take();
                if let Some(state) = last.and_then(|last| self.frontier.states.remove(&last)) {
                    self.wait(state);
                }
            }
            self.run_one(state);
            self.refresh_distances();
            let live = self.frontier.runnable();
            // What a process and its fork write to is there twice.
            let may_fork = |workers: &Workers| workers.may_fork(live);
            if self.workers.as_deref().is_some_and(may_fork)
                && self.frontier.pressure.searcher().is_none()
            {
                self.share();
            }
        }
    }

    /// Gives some of the states to another process, if one may be made.
    fn share(&mut self) {
        let deferred = self.frontier.deferred.values().map(|state| state.id);
        let live = self
            .frontier
            .states
            .keys()
            .copied()
            .chain(deferred)
            .collect();
        match self.fork_worker(live) {
            Forked::No => {}
            Forked::Parent(given) => {
                for id in given {
                    self.frontier.take(id);
                }
            }
            Forked::Child(others) => self.work(|run| {
                // They are the other's too.
                for id in std::mem::take(&mut run.frontier.cold).into_keys() {
                    run.frontier.removed(id);
                }
                for id in others {
                    // Its destructor would write to memory that is shared, to no end.
                    std::mem::forget(run.frontier.take(id));
                }
                run.explore_all()
            }),
        }
    }

    /// Adds a state that has not run, or has not been known to the searcher for a while.
    pub(super) fn add(&mut self, state: Box<State>) {
        let summary = self.guidance.summary(&self.exec, &state);
        self.frontier.added(None, &[summary]);
        self.frontier.states.insert(state.id, state);
    }

    /// Runs one state for a batch and puts back what has become of it.
    fn run_one(&mut self, mut state: Box<State>) {
        let id = state.id;
        self.begin_batch(&state);
        self.begin_leg(id);
        let led = state.is_led();
        let batch = loop {
            let batch = self.run_guarded(&mut state);
            self.note_targets(Some(&state));
            for part in std::mem::take(&mut self.exec.batch.ended) {
                if !part.state.constraints.has_diverged() {
                    self.finish_safely(part.state, part.end, part.has_model);
                }
            }
            // What the solver had no answer for at first comes by again at once.
            let again = matches!(batch, Batch::Deferred) && led && state.is_led();
            if led && state.constraints.has_diverged() {
                break batch;
            }
            // What is led comes to its place at once.
            let walks = matches!(batch, Batch::Goes)
                && led
                && self.exec.batch.forked.is_empty()
                && state.is_led()
                && self.exec.overdue().is_none()
                && !self.exec.has_executed_all();
            if walks {
                self.begin_batch(&state);
                continue;
            }
            if !matches!(batch, Batch::PartsEnded) && !again {
                break batch;
            }
        };
        self.end_leg();
        if led
            && (state.constraints.has_diverged()
                || (matches!(batch, Batch::Ended(_)) && state.is_led()))
        {
            self.exec
                .batch
                .forked
                .retain(|part| !part.constraints.has_diverged());
            self.take_forked(id);
            return self.diverged(*state);
        }
        if matches!(batch, Batch::Goes) {
            let parts = self.exec.batch.forked.iter().map(|part| part.id);
            let parts: Vec<StateId> = parts.collect();
            self.meet_behind_fork(&state, &parts);
        }
        self.take_forked(id);
        match batch {
            Batch::Deferred => {
                self.frontier.removed(id);
                state.history.deferrals += 1;
                self.exec.counters.counts.order.deferred += 1;
                let key = (state.history.deferrals, id);
                if let Some(state) = self.compacted(state) {
                    self.frontier.deferred.insert(key, state);
                }
            }
            Batch::Ended(end) => {
                self.frontier.removed(id);
                self.finish_safely(*state, end, true);
            }
            Batch::Goes | Batch::PartsEnded => match state.history.merging.closing.clone() {
                Some(opened) => {
                    self.frontier.removed(id);
                    state.history.merging.closing = None;
                    self.close_merge(&opened, state);
                }
                None => {
                    state.history.deferrals = 0;
                    let summary = self.guidance.summary(&self.exec, &state);
                    self.frontier.updated(&summary);
                    self.frontier.states.insert(id, state);
                    self.frontier.last = Some(id);
                }
            },
        }
    }

    /// Says how long the batch of a state may be, and how much work its queries may take.
    fn begin_batch(&mut self, state: &State) {
        let alone = self.frontier.nothing_to_choose() && self.frontier.deferred.is_empty();
        self.exec.solving.effort = self.effort_of(state, alone);
        self.exec.solving.first =
            state.history.deferrals == 0 && !self.exec.solving.effort.is_full();
        // What is behind the instruction that it was deferred at has the usual effort again.
        let mut batch = match state.history.deferrals {
            0 => self.exec.config.search.batch_instructions.max(1),
            _ => 1,
        };
        if let Some(most) = self.exec.most_instructions() {
            let done = self.exec.counters.counts.instructions;
            batch = batch.min(most.saturating_sub(done).max(1));
        }
        let spent = self.exec.solving.oracle.spent();
        let work_end = spent.saturating_add(Effort::price(0));
        self.exec.batch.begin(state.instructions + batch, work_end);
    }

    /// Runs a state. A panic ends it, and leaves nothing behind for others.
    fn run_guarded(&mut self, state: &mut State) -> Batch {
        let before = state.instructions;
        let led = state.is_led();
        // What the solver has done between batches is nobody's.
        self.exec.charge(None);
        let run = self.exec.guarded(|exec| {
            exec.expand(&mut state.frame);
            exec.run_batch(state)
        });
        let executed = state.instructions - before;
        self.exec.counters.counts.instructions += executed;
        if led {
            self.exec.counters.counts.trie.instructions += executed;
        }
        self.guidance.executed(&self.exec, state, executed);
        run.unwrap_or_else(|text| {
            self.exec.batch.keep_parts();
            Batch::Ended(PathEnd::internal(text))
        })
    }

    /// Lets a state that does not run for now keep only the registers that matter. None if that has
    /// ended it.
    pub(super) fn compacted(&mut self, mut state: Box<State>) -> Option<Box<State>> {
        match self.exec.guarded(|exec| exec.compact(&mut state.frame)) {
            Ok(()) => Some(state),
            Err(text) => {
                self.finish_safely(*state, PathEnd::internal(text), true);
                None
            }
        }
    }

    /// Puts back a state that the searcher knows and that does not run for now.
    fn wait(&mut self, state: Box<State>) {
        let id = state.id;
        match self.compacted(state) {
            Some(state) => {
                self.frontier.states.insert(id, state);
            }
            None => self.frontier.removed(id),
        }
    }

    /// Adds the states that a batch of a state has split off.
    fn take_forked(&mut self, parent: StateId) {
        let mut forked = std::mem::take(&mut self.exec.batch.forked);
        if forked.is_empty() {
            return;
        }
        forked.sort_by_key(|state| state.id);
        let summaries = forked.iter();
        let summaries = summaries.map(|state| self.guidance.summary(&self.exec, state));
        let summaries: Vec<_> = summaries.collect();
        self.frontier.added(Some(parent), &summaries);
        for state in forked {
            self.wait(Box::new(state));
        }
    }

    /// A path has closed a merge: it becomes part of one that waits there, or waits itself.
    fn close_merge(&mut self, opened: &Rc<OpenMerge>, state: Box<State>) {
        let groups = &mut self.frontier.merges;
        let closed = (self.exec).guarded(|exec| exec.merge_into(groups, opened, &state));
        match closed {
            Ok(None) => groups.wait(opened, *state),
            Ok(Some(merged)) => {
                groups.arrived(opened, &state);
                if let Some(covering) = merged.covering {
                    self.cover_before_merge(*covering);
                }
                self.finish_safely(*state, PathEnd::Merged, true);
            }
            Err(text) => self.finish_safely(*state, PathEnd::internal(text), true),
        }
    }

    /// How much work a query of a state may take: more each time that it was deferred, and whatever
    /// it takes if no other state can go on. What seeds lead to is not put off.
    fn effort_of(&self, state: &State, alone: bool) -> Effort {
        match alone || !state.input.seeds.is_empty() {
            true => Effort::FULL,
            false => Effort::rung(state.history.deferrals, self.exec.config.solver.time_limit),
        }
    }

    /// Lets the deferred state go on that has waited the fewest times.
    fn resume_deferred(&mut self) {
        if let Some((_, state)) = self.frontier.deferred.pop_first() {
            self.add(state);
        }
    }

    /// Lets states go on that have waited for others to be merged with. Says which state others
    /// wait for, if that is to be the next one.
    fn release_merged(&mut self) -> Option<StateId> {
        if self.frontier.merges.is_empty() {
            return None;
        }
        let merging = self.exec.config.search.merging;
        let groups = &mut self.frontier.merges;
        let (awaited, released) = groups.released(merging, &self.frontier.states);
        for state in released {
            self.add(Box::new(state));
        }
        awaited
    }
}

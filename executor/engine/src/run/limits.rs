//! The limits of a run, and the end of its live states when one is met.

use super::grace::Grace;
use super::{Run, TICK};
use crate::api::observe::{Observer, Progress};
use crate::api::outcome::Limit;
use crate::executor::Executor;
use crate::executor::resident::{give_back, resident_memory};
use crate::search::Summary;
use crate::state::State;
use crate::trie::{Left, Next};
use std::time::Instant;

impl Executor<'_> {
    /// How many instructions there may be over all paths.
    pub(super) fn most_instructions(&self) -> Option<u64> {
        let bounds = [self.config.limits.instructions, self.counters.bound];
        bounds.into_iter().flatten().min()
    }

    /// Whether the instructions of the run are used up.
    pub(super) fn has_executed_all(&self) -> bool {
        let most = self.most_instructions();
        most.is_some_and(|most| self.counters.counts.instructions >= most)
    }
}

impl Run<'_> {
    /// The first limit that is met.
    pub(super) fn limit_met(&mut self) -> Option<Limit> {
        if let Some(limit) = self.exec.overdue() {
            return Some(limit);
        }
        if self.exec.clock.is_stopped() {
            return Some(Limit::Hook);
        }
        if let Some(limit) = self.ends.stop {
            return Some(limit);
        }
        if self.exec.has_executed_all() {
            return Some(Limit::Instructions);
        }
        let forks = self.exec.counters.counts.total_forks();
        let now = Instant::now();
        if now < self.next_tick {
            return match self.frontier.pressure.due(forks) && self.workers.is_none() {
                true => self.weigh(resident_memory()),
                false => None,
            };
        }
        self.next_tick = now + TICK;
        self.note_pool();
        if let Some(limit) = self.tick_workers(self.frontier.runnable()) {
            return Some(limit);
        }
        let resident = resident_memory();
        self.show_progress(self.frontier.live(), resident);
        let everywhere = self
            .workers
            .as_ref()
            .map_or(0, |workers| workers.resident());
        self.weigh(resident.max(everywhere))
    }

    /// Compares the memory in use with its bound: near it, paths are ended before others are begun.
    fn weigh(&mut self, mut used: u64) -> Option<Limit> {
        // This process gives back its own memory, not that of other workers.
        let others = used.saturating_sub(resident_memory());
        let given_back = || {
            give_back();
            others + resident_memory()
        };
        self.frontier
            .pressure
            .looked(self.exec.counters.counts.total_forks());
        if self.frontier.pressure.is_scarce(used) && self.collect_in_need() {
            used = given_back();
        }
        let cooled = self.frontier.pressure.is_very_scarce(used) && self.cool();
        if cooled {
            self.collect_in_need();
        }
        if cooled || self.frontier.pressure.exhausted(used) {
            used = given_back();
        }
        if self.frontier.pressure.begins(used) {
            self.exec.events.warn_once(
                "memory is scarce (three quarters of --max-memory): the deepest paths go first \
                 until it is not",
            );
            let states = self.frontier.states.values();
            let summaries: Vec<Summary> = states
                .map(|state| self.guidance.summary(&self.exec, state))
                .chain(self.frontier.cold.values().map(|cold| cold.summary))
                .collect();
            self.frontier.pressure.begin(&summaries);
        }
        self.frontier.pressure.end(used);
        // While states can be kept as their decisions, memory is not at its end.
        (self.frontier.pressure.exhausted(used) && !cooled).then_some(Limit::Memory)
    }

    /// Tells the observer how far the run is.
    pub(crate) fn show_progress(&mut self, states: usize, resident: u64) {
        self.exec.note_listeners_panics();
        let solver = self.solver_stats();
        let progress = Progress {
            elapsed: self.exec.clock.started.elapsed(),
            states,
            deferred: self.frontier.deferred.len(),
            counts: &self.exec.counters.counts,
            solver: &solver,
            memory: &self.exec.memory.stats,
            resident,
            pool: self.exec.pool.bytes(),
            covered: self.exec.counters.covered,
            executed: &self.exec.counters.executed.counts(),
            branches: &self.exec.counters.branches,
            indirect_calls: &self.exec.counters.indirect_calls.counts(),
        };
        self.exec.events.observer.progress(&progress);
    }

    /// Ends all live states because of a limit. When the time is over, their tests have a little
    /// more ([`Grace`]). States that were the first to cover something come first, and all of them
    /// have a test.
    pub(super) fn halt(&mut self, limit: Limit) {
        self.pass_on_interrupt();
        let mut grace = Grace::default();
        let cold = self.frontier.cold.len();
        self.leave_cold(limit);
        let mut states: Vec<Box<State>> = self
            .frontier
            .states
            .drain()
            .map(|(_, state)| state)
            .collect();
        states.extend(std::mem::take(&mut self.frontier.deferred).into_values());
        states.extend(self.frontier.merges.all().into_iter().map(Box::new));
        states.sort_by_key(|state| (!state.history.covers_new(), state.id));
        if limit == Limit::Memory && self.exec.config.start.as_klee {
            let (count, used) = (states.len() + cold, resident_memory() >> 20);
            self.exec.events.warn(format!(
                "killing {count} states (over memory cap: {used}MB)"
            ));
        }
        let counts =
            self.exec.config.tests.of_live_states && !self.exec.config.tests.only_covering_new;
        let mut beyond = 0u64;
        for state in states {
            if state.is_led() {
                // Its leaves are in the trie already.
                self.finish_at_halt(*state, limit, false);
                continue;
            }
            self.leave(&state);
            let in_time = grace.lasts(&mut self.exec);
            let granted = state.history.covers_new() || self.take_halt_test();
            let has_test = granted && (in_time || state.history.covers_new());
            beyond += u64::from(counts && !granted);
            self.exec.counters.counts.late += u64::from(counts && granted && !has_test);
            self.finish_at_halt(*state, limit, has_test);
            let due = Instant::now() >= self.next_tick;
            if due {
                self.next_tick = Instant::now() + TICK;
            }
            self.exchange(due);
        }
        if beyond > 0 {
            self.exec.events.warn_once(format!(
                "{beyond} of the live paths have no test: more than --max-halt-tests"
            ));
        }
    }

    /// Tells where a path is in the trie that goes on when the run does.
    fn leave(&mut self, state: &State) {
        if let Some(node) = state.leaf() {
            let answers = state.constraints.answers();
            self.exec.events.observer.left(&Left { node, answers });
        }
    }

    /// Tells where the cold paths are in the trie. They have no tests.
    fn leave_cold(&mut self, limit: Limit) {
        let cold = std::mem::take(&mut self.frontier.cold);
        if cold.is_empty() {
            return;
        }
        for one in cold.values() {
            if let Next::Open(answers) = one.next() {
                let (node, answers) = (one.node.id, answers.clone());
                self.exec.events.observer.left(&Left { node, answers });
            }
        }
        let counts = &mut self.exec.counters.counts;
        *counts.limited.entry(limit).or_default() += cold.len() as u64;
        self.exec.events.warn_once(format!(
            "{} of the live paths were kept as decisions and have no test: plat resume goes on with \
             them",
            cold.len()
        ));
    }

    /// Takes one of the tests of live paths that have covered nothing new.
    fn take_halt_test(&mut self) -> bool {
        let Some(most) = self.exec.config.tests.most_of_live_states else {
            return true;
        };
        match &self.workers {
            Some(workers) => workers.take_halt_test(most),
            None => {
                self.ends.halt_tests += 1;
                self.ends.halt_tests <= most
            }
        }
    }
}

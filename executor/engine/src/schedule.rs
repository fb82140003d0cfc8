//! The run loop: a searcher picks a state, the state runs for a batch of instructions, until all
//! paths have ended or a limit is met.

use crate::engine::Engine;
use crate::grace::Grace;
use crate::merge::Groups;
use crate::observe::Progress;
use crate::outcome::{Limit, PathEnd};
use crate::scarcity::Scarcity;
use crate::search::{Searcher, StateId, Summary};
use crate::state::State;
use crate::step::Batch;
use crate::summary::StopReason;
use crate::workers::{Division, Workers};
use plat_solver::Effort;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// How often the clock's limits and the observer's progress are looked at.
const TICK: Duration = Duration::from_millis(100);

/// The live states and what chooses among them.
struct Schedule {
    states: FxHashMap<StateId, Box<State>>,
    searcher: Box<dyn Searcher>,
    /// What chooses instead while memory is scarce.
    scarcity: Scarcity,
    /// The state that ran last, if it goes on: it is ready to.
    last: Option<StateId>,
    /// States that wait for others to be merged with; the searcher knows nothing of them.
    merges: Groups,
    /// States that wait with a question, until nothing cheaper is left: those that have waited the
    /// fewest times first. The searcher knows nothing of them.
    parked: BTreeMap<(u32, StateId), Box<State>>,
    next_tick: Instant,
}

impl Schedule {
    /// States that have not ended.
    fn live(&self) -> usize {
        self.states.len() + self.parked.len() + self.merges.waiting()
    }

    fn added(&mut self, parent: Option<StateId>, states: &[Summary]) {
        self.searcher.added(parent, states);
        if let Some(deepest) = self.scarcity.searcher() {
            deepest.added(parent, states);
        }
    }

    fn removed(&mut self, state: StateId) {
        self.searcher.removed(state);
        if let Some(deepest) = self.scarcity.searcher() {
            deepest.removed(state);
        }
    }

    /// Takes a state out, parked or not.
    fn take(&mut self, id: StateId) -> Option<Box<State>> {
        if let Some(state) = self.states.remove(&id) {
            self.removed(id);
            return Some(state);
        }
        let key = self
            .parked
            .keys()
            .find(|(_, parked)| *parked == id)
            .copied();
        key.and_then(|key| self.parked.remove(&key))
    }

    fn updated(&mut self, summary: &Summary) {
        self.searcher.updated(summary);
        if let Some(deepest) = self.scarcity.searcher() {
            deepest.updated(summary);
        }
    }

    fn select(&mut self) -> StateId {
        match self.scarcity.searcher() {
            Some(deepest) => deepest.select(),
            None => self.searcher.select(),
        }
    }
}

impl Engine<'_> {
    /// Explores from the given states until nothing is left or a limit is met.
    pub fn explore(&mut self, initial: Vec<State>, searcher: Box<dyn Searcher>) -> StopReason {
        let mut schedule = Schedule {
            states: FxHashMap::default(),
            searcher,
            scarcity: Scarcity::new(self.config.limits.memory),
            last: None,
            merges: Groups::default(),
            parked: BTreeMap::new(),
            next_tick: Instant::now() + TICK,
        };
        self.show_progress(initial.len(), resident_memory());
        for state in initial {
            schedule.added(None, &[self.summary_of(&state)]);
            schedule.states.insert(state.id, Box::new(state));
        }
        self.start_workers();
        let reason = self.explore_all(&mut schedule);
        let reason = self.await_workers(reason);
        let late = self.counts.late;
        if late > 0 {
            self.warn_once(format!(
                "{late} of the live paths have no test: the time for them was over (a twentieth of \
                 --max-time, 1 to 30 s)"
            ));
        }
        reason
    }

    /// Explores until no state is left or a limit is met.
    fn explore_all(&mut self, schedule: &mut Schedule) -> StopReason {
        loop {
            self.counts.max_states = self.counts.max_states.max(schedule.live());
            if schedule.states.is_empty() {
                self.unpark(schedule);
            }
            let awaited = match schedule.merges.is_empty() {
                true => None,
                false => self.release_merged(schedule),
            };
            if schedule.states.is_empty() {
                return (self.cut_short).map_or(StopReason::Finished, StopReason::Limit);
            }
            self.waiting = schedule.parked.len();
            if let Some(limit) = self.limit_met(schedule) {
                self.halt(schedule, limit);
                return StopReason::Limit(limit);
            }
            if self.config.seeds.only_seed
                && schedule.states.values().all(|state| state.seeds.is_empty())
            {
                self.halt(schedule, Limit::Seeds);
                return StopReason::Limit(Limit::Seeds);
            }
            let id = awaited.unwrap_or_else(|| schedule.select());
            let Some(state) = schedule.states.remove(&id) else {
                // A searcher that names a state that is gone would be asked for ever.
                self.counts.internal_errors += 1;
                self.warn_once("internal: the searcher chose a state that has ended");
                schedule.removed(id);
                continue;
            };
            if schedule.last != Some(id) {
                let last = schedule.last.take();
                if let Some(last) = last.and_then(|last| schedule.states.get_mut(&last)) {
                    self.park(&mut last.frame);
                }
            }
            self.run_one(schedule, state);
            self.refresh_distances(schedule);
            let live = schedule.states.len() + schedule.parked.len();
            // What a process and its fork write to is there twice.
            let may_fork = |workers: &Workers| workers.may_fork(live);
            if self.workers.as_deref().is_some_and(may_fork)
                && schedule.scarcity.searcher().is_none()
            {
                self.share(schedule);
            }
        }
    }

    /// Gives some of the states to another process, if one may be made.
    fn share(&mut self, schedule: &mut Schedule) {
        let parked = schedule.parked.values().map(|state| state.id);
        let live = schedule.states.keys().copied().chain(parked).collect();
        match self.divide(live) {
            Division::None => {}
            Division::Gave(given) => {
                for id in given {
                    schedule.take(id);
                }
            }
            Division::New(others) => self.work(|engine| {
                for id in others {
                    // Its destructor would write to memory that is shared, to no end.
                    std::mem::forget(schedule.take(id));
                }
                engine.explore_all(schedule)
            }),
        }
    }

    /// Runs one state for a batch and puts back what has become of it.
    fn run_one(&mut self, schedule: &mut Schedule, mut state: Box<State>) {
        let id = state.id;
        let before = state.instructions;
        let alone = schedule.states.is_empty() && schedule.parked.is_empty();
        self.effort = self.effort_of(&state, alone);
        // What is behind the instruction that it was parked at has the usual effort again.
        let batch = match state.parked {
            0 => self.config.batch_instructions.max(1),
            _ => 1,
        };
        let mut until = before + batch;
        if let Some(most) = self.config.limits.instructions {
            until = until.min(before + most.saturating_sub(self.counts.instructions).max(1));
        }
        let run = catch_unwind(AssertUnwindSafe(|| {
            self.ready(&mut state.frame);
            self.run_batch(&mut state, until)
        }));
        self.counts.instructions += state.instructions - before;
        if let Some(paths) = &mut self.call_paths {
            *paths.entry(state.call_path(self.program)).or_default() += state.instructions - before;
        }
        let batch = run.unwrap_or_else(|panic| {
            self.recover();
            let text = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("panic");
            Batch::Ended(PathEnd::Unsupported(format!("internal: {text}")))
        });
        let mut forked = std::mem::take(&mut self.forked);
        if !forked.is_empty() {
            forked.sort_by_key(|state| state.id);
            let summaries: Vec<Summary> =
                forked.iter().map(|state| self.summary_of(state)).collect();
            schedule.added(Some(id), &summaries);
            for mut state in forked.drain(..) {
                self.park(&mut state.frame);
                schedule.states.insert(state.id, Box::new(state));
            }
        }
        self.forked = forked;
        match batch {
            Batch::Parked => {
                schedule.removed(id);
                self.park(&mut state.frame);
                state.parked += 1;
                self.counts.parked += 1;
                schedule.parked.insert((state.parked, id), state);
            }
            Batch::Goes if state.closing.is_some() => {
                schedule.removed(id);
                if let Some(opened) = state.closing.take() {
                    self.close_merge(&mut schedule.merges, opened, *state);
                }
            }
            Batch::Goes => {
                state.parked = 0;
                schedule.updated(&self.summary_of(&state));
                schedule.states.insert(id, state);
                schedule.last = Some(id);
            }
            Batch::Ended(end) => {
                schedule.removed(id);
                self.finish_safely(*state, end);
            }
        }
    }

    /// How much work a question of a state may take: more each time that it was parked, and whatever
    /// it takes if no other state can go on. What seeds lead to is not put off.
    fn effort_of(&self, state: &State, alone: bool) -> Effort {
        match alone || !state.seeds.is_empty() {
            true => Effort::FULL,
            false => Effort::rung(state.parked, self.config.solver.time_limit),
        }
    }

    /// Lets the parked state go on that has waited the fewest times.
    fn unpark(&mut self, schedule: &mut Schedule) {
        if let Some((_, state)) = schedule.parked.pop_first() {
            schedule.added(None, &[self.summary_of(&state)]);
            schedule.states.insert(state.id, state);
        }
    }

    /// Lets states go on that have waited for others to be merged with. Says which state others
    /// wait for, if that is to be the next one.
    fn release_merged(&mut self, schedule: &mut Schedule) -> Option<StateId> {
        let (awaited, released) = self.released(&mut schedule.merges, &schedule.states);
        for state in released {
            schedule.added(None, &[self.summary_of(&state)]);
            schedule.states.insert(state.id, Box::new(state));
        }
        awaited
    }

    /// Ends a path; an internal error in doing so costs its record only.
    pub(crate) fn finish_safely(&mut self, state: State, end: PathEnd) {
        let done = catch_unwind(AssertUnwindSafe(|| self.finish(state, end)));
        if done.is_err() {
            self.recover();
            self.counts.internal_errors += 1;
            self.warn_once("internal: the record of a path could not be made");
        }
    }

    fn summary_of(&self, state: &State) -> Summary {
        let inst = state.frame.inst(self.program).index();
        let mut summary = state.summary(self.executed.count(inst));
        if let Some(paths) = &self.call_paths {
            let path = state.call_path(self.program);
            summary.call_path_count = paths.get(&path).copied().unwrap_or(0);
        }
        if let Some(distances) = &self.distances {
            summary.distance = distances.of(self.program, state);
        }
        summary
    }

    /// Looks whether distances are due to be computed again, and tells the searcher the new ones.
    fn refresh_distances(&mut self, schedule: &mut Schedule) {
        let Some(distances) = &mut self.distances else {
            return;
        };
        // There is nothing to choose from.
        if schedule.states.len() < 2 {
            return;
        }
        let (instructions, covered) = (self.counts.instructions, self.covered);
        if !distances.refresh(self.program, &self.executed, instructions, covered) {
            return;
        }
        let mut ids: Vec<StateId> = schedule.states.keys().copied().collect();
        ids.sort();
        for id in ids {
            if let Some(state) = schedule.states.get(&id) {
                schedule.updated(&self.summary_of(state));
            }
        }
    }

    /// The first limit that is met.
    fn limit_met(&mut self, schedule: &mut Schedule) -> Option<Limit> {
        if let Some(limit) = self.overdue() {
            return Some(limit);
        }
        if let Some(limit) = self.stop {
            return Some(limit);
        }
        let limits = &self.config.limits;
        if limits
            .instructions
            .is_some_and(|most| self.counts.instructions >= most)
        {
            return Some(Limit::Instructions);
        }
        let forks = self.counts.total_forks();
        let now = Instant::now();
        if now < schedule.next_tick {
            return match schedule.scarcity.due(forks) && self.workers.is_none() {
                true => self.weigh(schedule, resident_memory()),
                false => None,
            };
        }
        schedule.next_tick = now + TICK;
        if let Some(limit) = self.tick_workers(schedule.states.len() + schedule.parked.len()) {
            return Some(limit);
        }
        let resident = resident_memory();
        self.show_progress(schedule.live(), resident);
        let everywhere = self
            .workers
            .as_ref()
            .map_or(0, |workers| workers.resident());
        self.weigh(schedule, resident.max(everywhere))
    }

    /// Compares the memory in use with its bound: near it, paths are ended before others are begun.
    fn weigh(&mut self, schedule: &mut Schedule, used: u64) -> Option<Limit> {
        schedule.scarcity.looked(self.counts.total_forks());
        if schedule.scarcity.begins(used) {
            self.warn_once(
                "memory is scarce (three quarters of --max-memory): the deepest paths go first \
                 until it is not",
            );
            let states = schedule.states.values();
            let summaries: Vec<Summary> = states.map(|state| self.summary_of(state)).collect();
            schedule.scarcity.begin(&summaries);
        }
        schedule.scarcity.end(used);
        schedule.scarcity.exhausted(used).then_some(Limit::Memory)
    }

    /// Tells the observer how far the run is.
    pub(crate) fn show_progress(&mut self, states: usize, resident: u64) {
        let solver = self.solver_stats();
        let progress = Progress {
            elapsed: self.started.elapsed(),
            states,
            parked: self.waiting,
            counts: &self.counts,
            solver: &solver,
            memory: &self.memory_stats,
            resident,
            covered: self.covered,
            executed: &self.executed.counts(),
            branches: &self.branches,
            indirect_calls: &self.indirect_calls.counts(),
        };
        self.observer.progress(&progress);
    }

    /// Ends all live states because of a limit. When the time is over, their tests have a little
    /// more ([`Grace`]). States that were the first to cover something come first, and all of them
    /// have a test.
    fn halt(&mut self, schedule: &mut Schedule, limit: Limit) {
        self.pass_on_interrupt();
        let mut grace = Grace::default();
        let mut states: Vec<Box<State>> = schedule.states.drain().map(|(_, state)| state).collect();
        states.extend(std::mem::take(&mut schedule.parked).into_values());
        states.extend(schedule.merges.all().into_iter().map(Box::new));
        states.sort_by_key(|state| (!state.covered_new, state.id));
        let counts = self.config.dump_states_on_halt && !self.config.only_covering_new;
        let mut beyond = 0u64;
        for state in states {
            let in_time = grace.lasts(self);
            let granted = state.covered_new || self.take_halt_test();
            let has_test = granted && (in_time || state.covered_new);
            beyond += u64::from(counts && !granted);
            self.counts.late += u64::from(counts && granted && !has_test);
            self.finish_at_halt(*state, limit, has_test);
            let due = Instant::now() >= schedule.next_tick;
            if due {
                schedule.next_tick = Instant::now() + TICK;
            }
            self.exchange(due);
        }
        if beyond > 0 {
            self.warn_once(format!(
                "{beyond} of the live paths have no test: more than --max-halt-tests"
            ));
        }
    }

    /// Takes one of the tests of live paths that have covered nothing new.
    fn take_halt_test(&mut self) -> bool {
        let Some(most) = self.config.halt_tests else {
            return true;
        };
        match &self.workers {
            Some(workers) => workers.take_halt_test(most),
            None => {
                self.halt_tests += 1;
                self.halt_tests <= most
            }
        }
    }
}

/// Resident memory of this process in bytes; 0 if the system does not tell.
pub(crate) fn resident_memory() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|text| text.split_whitespace().nth(1)?.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}

//! Paths that differ in nothing but their conditions are put last.
//!
//! A fork over a byte of input often has no consequence: a character is one of those that need no
//! quotes, and both sides go on with the same memory. Where the sides of a fork meet again
//! ([`MeetingPoints`]), paths in the same state execute the same code from then on, as far as their
//! conditions let them. One of them goes on; the others are subsumed: they wait among the deferred, until
//! nothing else is left. No path is lost, so a run to its end has the same paths. (Boonstoppel, Cadar and
//! Engler, "RWset", TACAS 2008, drop such paths.)
//!
//! To be compared they have to be there at the same time. So a fork at a branch or switch makes a
//! [`Meeting`]: its sides, and what they split into, are run first, until they stand where the sides meet,
//! or have taken too long. Meetings nest. Where hardly any path was found to be in the state of another
//! one, few further meetings are made.

use super::Run;
use crate::api::id::StateId;
use crate::api::outcome::PathEnd;
use crate::code::meeting::MeetingPoints;
use crate::executor::ForkPlace;
use crate::state::State;
use plat_program::InstId;
use rustc_hash::FxHashMap;

/// Instructions that a path may execute from a fork to where the sides meet.
const LONGEST: u64 = 2000;

/// Live paths between a fork and where its sides meet, beyond which they are not waited for.
const MOST_PATHS: usize = 24;

/// Meetings within one another.
const MOST_MEETINGS: usize = 8;

/// Paths of a meeting with which the others are compared.
const MOST_COMPARED: usize = 6;

/// Meetings of a place before it is known whether they find anything.
const TRIALS: u32 = 8;

/// Of so many meetings of a place one has to find something.
const WORTHWHILE: u32 = 4;

/// For how many meetings one counts that has become too large.
const COST_OF_CROWD: u32 = 4;

/// Forks at a place without use until the next trial, at most.
const MOST_PASSED: u32 = 64;

/// What is known of the meetings of forks at one place.
#[derive(Clone, Copy, Default)]
struct Record {
    /// How many there were, the large ones several times.
    held: u32,
    /// How many have found paths in the same state.
    found: u32,
    /// Forks without a meeting since the last one.
    passed: u32,
}

impl Record {
    /// Whether a fork at the place is to have a meeting.
    fn is_worth_it(&mut self) -> bool {
        if self.held < TRIALS || self.found.saturating_mul(WORTHWHILE) >= self.held {
            return true;
        }
        self.passed += 1;
        let again = self.passed >= self.held.min(MOST_PASSED);
        if again {
            self.passed = 0;
        }
        again
    }
}

/// The sides of one fork, on their way to where they meet.
struct Meeting {
    fork: ForkPlace,
    /// Where they meet.
    block: InstId,
    /// Who has executed so many instructions is not waited for.
    end: u64,
    /// The paths on their way; the last one runs.
    running: Vec<StateId>,
    /// Those that are there.
    arrived: Vec<StateId>,
}

impl Meeting {
    fn is_crowded(&self) -> bool {
        self.running.len() + self.arrived.len() > MOST_PATHS
    }

    /// Whether a path stands where the sides meet, in the activation that has forked: where its batch ends.
    fn has(&self, run: &Run<'_>, state: &State) -> bool {
        state.frame.serial == self.fork.serial && state.frame.inst(run.exec.program) == self.block
    }

    /// Whether a path is not waited for any longer.
    fn leaves(&self, state: &State) -> bool {
        state.instructions >= self.end || state.frames() < self.fork.frames
    }
}

/// The meetings of a run.
#[derive(Default)]
pub(super) struct Subsumption {
    /// Those that are held, each within the one before.
    held: Vec<Meeting>,
    records: FxHashMap<InstId, Record>,
    points: MeetingPoints,
}

impl Run<'_> {
    /// Whether the paths of this run are put last where another one is in the same state.
    fn subsumes(&mut self) -> bool {
        self.guidance.subsumes && self.frontier.pressure.searcher().is_none()
    }

    /// A batch begins: if its path is on its way to a meeting, it ends there at the latest.
    pub(super) fn begin_leg(&mut self, id: StateId) {
        let meeting = self.subsumption.held.last();
        let Some(meeting) = meeting.filter(|meeting| meeting.running.last() == Some(&id)) else {
            return;
        };
        let batch = &mut self.exec.batch;
        batch.end = batch.end.min(meeting.end);
        batch.stop = Some((meeting.block, meeting.fork.serial));
        self.exec.counters.executed.watch(meeting.block.index());
    }

    /// The batch is over.
    pub(super) fn end_leg(&mut self) {
        if let Some((block, _)) = self.exec.batch.stop.take() {
            self.exec.counters.executed.unwatch(block.index());
        }
    }

    /// A path has forked: its parts are on their way to the same meetings, and may have one of their own.
    pub(super) fn meet_behind_fork(&mut self, state: &State, parts: &[StateId]) {
        let fork = self.exec.batch.fork.take();
        if parts.is_empty() || !self.subsumes() {
            return;
        }
        let held = &mut self.subsumption.held;
        let innermost = held.last();
        if innermost.is_some_and(|meeting| meeting.running.last() != Some(&state.id)) {
            return;
        }
        for meeting in held.iter_mut() {
            meeting.running.extend_from_slice(parts);
            if meeting.is_crowded() {
                let record = self.subsumption.records.entry(meeting.fork.inst);
                record.or_default().held += COST_OF_CROWD;
            }
        }
        held.retain(|meeting| !meeting.is_crowded());
        if let Some(fork) = fork {
            self.call_meeting(state, fork, parts);
        }
    }

    /// Has the sides of a fork meet, if that may be of use.
    fn call_meeting(&mut self, state: &State, fork: ForkPlace, parts: &[StateId]) {
        let plain = !state.is_led()
            && state.input.seeds.is_empty()
            && state.others.threads.is_none()
            && state.others.processes.is_none();
        let subsumption = &mut self.subsumption;
        if !plain || subsumption.held.len() >= MOST_MEETINGS {
            return;
        }
        let record = subsumption.records.entry(fork.inst).or_default();
        if !record.is_worth_it() {
            return;
        }
        let Some(block) = (subsumption.points).behind(self.exec.program, fork.inst) else {
            return;
        };
        let place = (block, fork.serial);
        let mut held = subsumption.held.iter();
        if held.any(|meeting| (meeting.block, meeting.fork.serial) == place) {
            return;
        }
        let mut running = vec![state.id];
        running.extend_from_slice(parts);
        subsumption.held.push(Meeting {
            fork,
            block,
            end: state.instructions + LONGEST,
            running,
            arrived: Vec::new(),
        });
    }

    /// The path that others are compared with next, if there is one; it is to run. Those of meetings
    /// that are complete are compared.
    pub(super) fn next_of_meetings(&mut self) -> Option<StateId> {
        while let Some(mut meeting) = self.subsumption.held.pop() {
            if let Some(id) = self.on_its_way(&mut meeting) {
                self.subsumption.held.push(meeting);
                return Some(id);
            }
            self.compare(&meeting);
        }
        None
    }

    fn on_its_way(&self, meeting: &mut Meeting) -> Option<StateId> {
        while let Some(&id) = meeting.running.last() {
            // It may have ended, wait for an answer, be subsumed, or be another process's. What is led runs
            // until it comes to its place.
            let state = self.frontier.states.get(&id);
            if let Some(state) = state.filter(|state| !state.is_led()) {
                if meeting.has(self, state) {
                    meeting.arrived.push(id);
                } else if !meeting.leaves(state) {
                    return Some(id);
                }
            }
            meeting.running.pop();
        }
        None
    }

    /// Puts those paths last that are in the state of another one.
    fn compare(&mut self, meeting: &Meeting) {
        let mut distinct: Vec<StateId> = Vec::new();
        let mut found = false;
        for &id in &meeting.arrived {
            match self.is_as_one_of(id, &distinct) {
                Ok(true) => {
                    found = true;
                    self.put_last(id);
                }
                Ok(false) if distinct.len() < MOST_COMPARED => distinct.push(id),
                Ok(false) => {}
                Err(text) => {
                    if let Some(state) = self.frontier.take(id) {
                        self.finish_safely(*state, PathEnd::internal(text), true);
                    }
                }
            }
        }
        let record = self.subsumption.records.entry(meeting.fork.inst);
        let record = record.or_default();
        record.held += 1;
        record.found += u32::from(found);
    }

    /// Whether a path is in the state of one of others.
    ///
    /// # Errors
    /// The text of a panic.
    fn is_as_one_of(&mut self, id: StateId, others: &[StateId]) -> Result<bool, String> {
        let states = &self.frontier.states;
        let Some(state) = states.get(&id) else {
            return Ok(false);
        };
        let mut others = others.iter().filter_map(|other| states.get(other));
        let exec = &mut self.exec;
        exec.guarded(|exec| others.any(|other| exec.is_same_but_for_conditions(state, other)))
    }

    fn put_last(&mut self, id: StateId) {
        if self.frontier.last == Some(id) {
            self.frontier.last = None;
        }
        let state = self.frontier.take(id);
        if let Some(state) = state.and_then(|state| self.compacted(state)) {
            self.exec.counters.counts.order.subsumed += 1;
            self.frontier.deferred.insert((0, id), state);
        }
    }
}

//! Merging paths where the program asks for it (`klee_open_merge`, `klee_close_merge`; Kuznetsov
//! and others, "Efficient State Merging in Symbolic Execution", for the idea).
//!
//! A path that closes a merge waits there for the others that have come from the path that opened
//! it. When it arrives where one waits already, the two go on as one if they differ in values only:
//! the same calls on their stacks, the same objects, the same inputs and files. Their condition is
//! that of one or of the other, and a value that differs is an if-then-else of the two by the
//! condition of the first. Paths that cannot be merged go on apart: nothing is dropped. When all
//! paths of a merge have closed it or ended, those that wait go on.

use crate::config::Merging;
use crate::engine::Engine;
use crate::frame::{Callers, Frame};
use crate::outcome::PathEnd;
use crate::search::StateId;
use crate::state::State;
use plat_expr::{ExprId, TRUE, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A merge, shared by the paths that have come from the one that opened it and are to close it.
#[derive(Debug)]
pub struct Opened {
    /// Its number in the run.
    pub number: u64,
    /// Instructions on the path before it.
    pub since: u64,
}

/// Slow paths are not waited for when they have executed this many times the mean of those that
/// have closed the merge.
const PATIENCE: u64 = 2;

/// The paths that have closed one merge.
struct Group {
    opened: Rc<Opened>,
    waiting: Vec<State>,
    /// How many have closed it, and the instructions that they took.
    closed: u64,
    instructions: u64,
}

/// The merges that paths wait at, by number.
#[derive(Default)]
pub(crate) struct Groups(BTreeMap<u64, Group>);

impl Groups {
    /// Whether no path waits.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many paths wait.
    pub fn waiting(&self) -> usize {
        self.0.values().map(|group| group.waiting.len()).sum()
    }

    /// Takes the paths that have nobody to wait for.
    pub fn complete(&mut self) -> Vec<State> {
        let done = |group: &Group| Rc::strong_count(&group.opened) == 1;
        let done: Vec<u64> = (self.0.iter())
            .filter_map(|(number, group)| done(group).then_some(*number))
            .collect();
        done.into_iter().flat_map(|one| self.release(one)).collect()
    }

    /// Takes all paths that wait.
    pub fn all(&mut self) -> Vec<State> {
        let groups = std::mem::take(&mut self.0).into_values();
        groups.flat_map(|group| group.waiting).collect()
    }

    fn release(&mut self, number: u64) -> Vec<State> {
        let group = self.0.remove(&number);
        group.map(|group| group.waiting).unwrap_or_default()
    }

    /// A path that others wait for and that is not too slow; takes the paths of merges that only
    /// wait for slow ones.
    pub fn awaited(
        &mut self,
        states: &FxHashMap<StateId, Box<State>>,
    ) -> (Option<StateId>, Vec<State>) {
        let mut left = Vec::new();
        for (&number, group) in &self.0 {
            let most = PATIENCE * group.instructions / group.closed.max(1);
            let within = |state: &State| state.instructions - group.opened.since <= most;
            let holds = |state: &State| state.merges.iter().any(|one| one.number == number);
            let open = states
                .values()
                .filter(|state| holds(state) && within(state));
            match open.map(|state| state.id).min() {
                Some(found) => return (Some(found), Vec::new()),
                None => left.push(number),
            }
        }
        let left = left.into_iter().flat_map(|one| self.release(one));
        (None, left.collect())
    }
}

impl Engine<'_> {
    /// A path has closed a merge: it becomes part of one that waits there, or waits itself.
    pub(crate) fn close_merge(&mut self, groups: &mut Groups, opened: Rc<Opened>, state: State) {
        let group = groups.0.entry(opened.number).or_insert_with(|| Group {
            opened: Rc::clone(&opened),
            waiting: Vec::new(),
            closed: 0,
            instructions: 0,
        });
        group.closed += 1;
        group.instructions += state.instructions - opened.since;
        for waiting in &mut group.waiting {
            if self.merge(waiting, &state) {
                self.finish_safely(state, PathEnd::Merged);
                return;
            }
        }
        group.waiting.push(state);
    }

    /// Which paths may go on although they were to wait.
    pub(crate) fn released(
        &self,
        groups: &mut Groups,
        states: &FxHashMap<StateId, Box<State>>,
    ) -> (Option<StateId>, Vec<State>) {
        let complete = groups.complete();
        if !complete.is_empty() || groups.is_empty() {
            return (None, complete);
        }
        if states.is_empty() {
            return (None, groups.all());
        }
        match self.config.merging {
            Merging::Incomplete => groups.awaited(states),
            Merging::Complete | Merging::Off => (None, complete),
        }
    }

    /// Makes `state` stand for `other` too, if they differ in values only. Says whether it does.
    fn merge(&mut self, state: &mut State, other: &State) -> bool {
        if !may_merge(state, other) {
            return false;
        }
        let (constraints, guard) = state.constraints.join(&mut self.pool, &other.constraints);
        if guard == TRUE {
            return false;
        }
        let Some(frame) = self.merged_frame(&state.frame, &other.frame, guard) else {
            return false;
        };
        let Some(callers) = self.merged_callers(&state.callers, &other.callers, guard) else {
            return false;
        };
        // A test of both takes one of the two ways here. The other one has its test as it ends.
        if state.covered_new {
            self.cover_before_merge(state.clone());
            state.covered_new = false;
        }
        let (memory, mut cx) = self.memory(state);
        memory.merge(&mut cx, &other.memory, guard);
        (state.frame, state.callers, state.constraints) = (frame, callers, constraints);
        state.instructions = state.instructions.max(other.instructions);
        state.last_new = state.last_new.max(other.last_new);
        state.depth = state.depth.max(other.depth);
        state.queries += other.queries;
        state.next_serial = state.next_serial.max(other.next_serial);
        for &wish in &other.preferences {
            if !state.preferences.contains(&wish) {
                state.preferences.push(wish);
            }
        }
        for &(from, to) in &other.distances {
            self.note_distance(state, from, to);
        }
        true
    }

    fn merged_callers(
        &mut self,
        mine: &Callers,
        theirs: &Callers,
        guard: ExprId,
    ) -> Option<Callers> {
        let (mut mine, mut theirs) = (mine.clone(), theirs.clone());
        let mut merged = Vec::new();
        while !mine.same(&theirs) {
            let (one, other) = (mine.pop()?, theirs.pop()?);
            merged.push(self.merged_frame(&one, &other, guard)?);
        }
        for frame in merged.into_iter().rev() {
            mine.push(frame);
        }
        Some(mine)
    }

    /// A frame with values of both; registers that are not written before they are read again may
    /// hold anything.
    fn merged_frame(&mut self, mine: &Frame, theirs: &Frame, guard: ExprId) -> Option<Frame> {
        let same = (mine.function, mine.pc, mine.serial)
            == (theirs.function, theirs.pc, theirs.serial)
            && mine.allocas == theirs.allocas
            && mine.varargs == theirs.varargs
            && mine.on_return == theirs.on_return
            && mine.result == theirs.result
            && mine.regs.len() == theirs.regs.len();
        if !same {
            return None;
        }
        let types = &self.program.function(mine.function).reg_types;
        let mut merged = mine.clone();
        let values = merged.regs.iter_mut().zip(&theirs.regs).zip(types);
        for ((mine, theirs), &ty) in values {
            if mine != theirs {
                let choice = self.select_value(ty, Value::Expr(guard), *mine, *theirs);
                *mine = choice.ok()?;
            }
        }
        Some(merged)
    }
}

/// Whether two paths are at one place and differ in values only, but for their call stacks.
fn may_merge(one: &State, other: &State) -> bool {
    let symbols = |state: &State| -> Vec<_> {
        let objects = state.symbolics.iter();
        objects.map(|object| object.symbol).collect()
    };
    let merges =
        |state: &State| -> Vec<u64> { state.merges.iter().map(|one| one.number).collect() };
    let plain = |state: &State| {
        state.seeds.is_empty() && state.poison.is_empty() && state.exceptions.none()
    };
    plain(one)
        && plain(other)
        && one.callers.len() == other.callers.len()
        && one.forking_off == other.forking_off
        && one.float == other.float
        && one.aliases == other.aliases
        && symbols(one) == symbols(other)
        && merges(one) == merges(other)
        && one.environment == other.environment
        && one.memory.can_merge(&other.memory)
}

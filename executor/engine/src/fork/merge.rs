//! Merging paths where the program asks for it (`klee_open_merge`, `klee_close_merge`; Kuznetsov
//! and others, "Efficient State Merging in Symbolic Execution", for the idea).
//!
//! A path that closes a merge waits there for the others that have come from the path that opened
//! it. When it arrives where one waits already, the two go on as one if they differ in values only:
//! the same calls on their stacks, the same objects, the same inputs and files. Their condition is
//! that of one or of the other, and a value that differs is an if-then-else of the two by the
//! condition of the first. Paths that cannot be merged go on apart: nothing is dropped. When all
//! paths of a merge have closed it or ended, those that wait go on.

use crate::api::config::Merging;
use crate::api::id::StateId;
use crate::executor::Executor;
use crate::state::State;
use crate::state::frame::{Callers, Frame};
use crate::state::merging::OpenMerge;
use plat_expr::{ExprId, TRUE, Value};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Slow paths are not waited for when they have executed this many times the mean of those that
/// have closed the merge.
const PATIENCE: u64 = 2;

/// The paths that have closed one merge.
struct Group {
    opened: Rc<OpenMerge>,
    waiting: Vec<State>,
    /// How many have closed it, and the instructions that they took.
    closed: u64,
    instructions: u64,
}

/// The merges that paths wait at, by number.
#[derive(Default)]
pub(crate) struct Groups {
    by_number: BTreeMap<u64, Group>,
}

plat_expr::holder!(Group { waiting } plain { opened, closed, instructions });
plat_expr::holder!(Groups { by_number });

impl Groups {
    /// Whether no path waits.
    pub fn is_empty(&self) -> bool {
        self.by_number.is_empty()
    }

    /// How many paths wait.
    pub fn waiting(&self) -> usize {
        self.by_number
            .values()
            .map(|group| group.waiting.len())
            .sum()
    }

    /// Takes the paths of merges that are complete.
    pub fn complete(&mut self) -> Vec<State> {
        let done = |group: &Group| Rc::strong_count(&group.opened) == 1;
        let done: Vec<u64> = (self.by_number.iter())
            .filter_map(|(number, group)| done(group).then_some(*number))
            .collect();
        done.into_iter().flat_map(|one| self.release(one)).collect()
    }

    /// Takes all paths that wait.
    pub fn all(&mut self) -> Vec<State> {
        let groups = std::mem::take(&mut self.by_number).into_values();
        groups.flat_map(|group| group.waiting).collect()
    }

    /// Counts a path that has closed a merge.
    pub fn arrived(&mut self, opened: &Rc<OpenMerge>, state: &State) {
        let group = self
            .by_number
            .entry(opened.number)
            .or_insert_with(|| Group {
                opened: Rc::clone(opened),
                waiting: Vec::new(),
                closed: 0,
                instructions: 0,
            });
        group.closed += 1;
        group.instructions += state.instructions - opened.since;
    }

    /// Lets a path that has closed a merge wait for others.
    pub fn wait(&mut self, opened: &Rc<OpenMerge>, state: State) {
        self.arrived(opened, &state);
        if let Some(group) = self.by_number.get_mut(&opened.number) {
            group.waiting.push(state);
        }
    }

    fn release(&mut self, number: u64) -> Vec<State> {
        let group = self.by_number.remove(&number);
        group.map(|group| group.waiting).unwrap_or_default()
    }

    /// A path that others wait for and that is not too slow; takes the paths of merges whose missing
    /// paths are all too slow.
    pub fn awaited(
        &mut self,
        states: &FxHashMap<StateId, Box<State>>,
    ) -> (Option<StateId>, Vec<State>) {
        let mut left = Vec::new();
        for (&number, group) in &self.by_number {
            let most = PATIENCE * group.instructions / group.closed.max(1);
            let within = |state: &State| state.instructions - group.opened.since <= most;
            let holds = |state: &State| {
                state
                    .history
                    .merging
                    .open
                    .iter()
                    .any(|one| one.number == number)
            };
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

/// A path has become part of one that waits.
pub(crate) struct Merged {
    /// The waiting path before, if it was the first to cover something.
    pub covering: Option<Box<State>>,
}

impl Groups {
    /// Which paths may go on although they were to wait.
    pub fn released(
        &mut self,
        merging: Merging,
        states: &FxHashMap<StateId, Box<State>>,
    ) -> (Option<StateId>, Vec<State>) {
        let complete = self.complete();
        if !complete.is_empty() || self.is_empty() {
            return (None, complete);
        }
        if states.is_empty() {
            return (None, self.all());
        }
        match merging {
            Merging::Incomplete => self.awaited(states),
            Merging::Complete | Merging::Off => (None, complete),
        }
    }
}

impl Executor<'_> {
    /// Makes a path that has closed a merge part of one that waits there, if one fits.
    pub(crate) fn merge_into(
        &mut self,
        groups: &mut Groups,
        opened: &OpenMerge,
        state: &State,
    ) -> Option<Merged> {
        may_panic!();
        let group = groups.by_number.get_mut(&opened.number)?;
        group.waiting.iter_mut().find_map(|waiting| {
            let mut merged = self.merged(waiting, state)?;
            std::mem::swap(waiting, &mut merged);
            let before = merged;
            // A test of both takes one of the two ways here. The other one has its test as it ends.
            let wanted = before.history.novelty.covered && self.config.tests.of_merged;
            let covering = wanted.then(|| Box::new(before));
            Some(Merged { covering })
        })
    }

    /// A state that stands for two, if they differ in values only. The two stay as they are: a panic
    /// in the middle leaves the one that waits alone.
    fn merged(&mut self, waiting: &State, other: &State) -> Option<State> {
        if !may_merge(waiting, other) {
            return None;
        }
        let (constraints, guard) = (waiting.constraints).join(&mut self.pool, &other.constraints);
        if guard == TRUE {
            return None;
        }
        let frame = self.merged_frame(&waiting.frame, &other.frame, guard)?;
        let callers = self.merged_callers(&waiting.callers, &other.callers, guard)?;
        let mut state = waiting.clone();
        let covered = waiting.history.novelty.covered || other.history.novelty.covered;
        state.history.novelty.covered = covered && !self.config.tests.of_merged;
        state.history.novelty.side |= other.history.novelty.side;
        let (memory, mut cx) = self.memory(&mut state);
        memory.merge(&mut cx, &other.memory, guard);
        may_panic!();
        (state.frame, state.callers, state.constraints) = (frame, callers, constraints);
        state.instructions = state.instructions.max(other.instructions);
        state.history.last_new = state.history.last_new.max(other.history.last_new);
        state.history.depth = state.history.depth.max(other.history.depth);
        state.history.queries += other.history.queries;
        state.callers.next_serial = state.callers.next_serial.max(other.callers.next_serial);
        for &wish in other.input.preferences.iter() {
            if !state.input.preferences.contains(&wish) {
                state.input.preferences.push(wish);
            }
        }
        for (from, to) in other.distances.iter() {
            self.note_distance(&mut state, from, to);
        }
        Some(state)
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
        may_panic!();
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
        let objects = state.input.symbolics.iter();
        objects.map(|object| object.symbol).collect()
    };
    let merges = |state: &State| -> Vec<u64> {
        state
            .history
            .merging
            .open
            .iter()
            .map(|one| one.number)
            .collect()
    };
    let plain = |state: &State| {
        state.input.seeds.is_empty()
            && state.aside.is_empty()
            && state.exceptions.none()
            && state.others.threads.is_none()
            && state.others.processes.is_none()
    };
    plain(one)
        && plain(other)
        && one.callers.len() == other.callers.len()
        && one.requests.forking_off == other.requests.forking_off
        && one.float == other.float
        && one.requests.aliases == other.requests.aliases
        && symbols(one) == symbols(other)
        && merges(one) == merges(other)
        && one.environment == other.environment
        && one.memory.can_merge(&other.memory)
}

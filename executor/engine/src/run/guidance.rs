//! The summaries of states that searchers work with.

use super::Run;
use super::targets::Targets;
use crate::api::id::StateId;
use crate::executor::Executor;
use crate::search::distance::Distances;
use crate::search::{SUBPATHS, Summary};
use crate::state::State;
use plat_program::FuncId;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher as _;

/// What is kept up to date for searchers that ask for it.
pub(super) struct Guidance {
    /// Instructions executed under each call stack, as of the ends of batches.
    pub call_paths: Option<FxHashMap<u64, u64>>,
    /// Distances to uncovered code.
    pub distances: Option<Distances>,
    /// Places that are to be reached, and the distances to them.
    pub targets: Targets,
    /// Whether it is to be known where states stand.
    pub places: bool,
    /// Whether paths in the state of another one are put last.
    pub subsumes: bool,
}

impl Guidance {
    /// Counts instructions that a state has executed in a batch.
    pub fn executed(&mut self, exec: &Executor<'_>, state: &State, instructions: u64) {
        if let Some(paths) = &mut self.call_paths {
            *paths.entry(state.call_path(exec.program)).or_default() += instructions;
        }
    }

    /// What the searcher may know of a state.
    pub fn summary(&self, exec: &Executor<'_>, state: &State) -> Summary {
        let inst = state.frame.inst(exec.program).index();
        let last_new = state.history.last_new;
        let paths = self.call_paths.as_ref();
        let call_path = paths.and_then(|paths| paths.get(&state.call_path(exec.program)));
        let distances = self.distances.as_ref();
        let toward = self.targets.toward.as_ref();
        Summary {
            id: state.id,
            depth: state.history.depth,
            instructions: state.instructions,
            since_new: last_new.map(|at| state.instructions.saturating_sub(at.get())),
            distance: distances.and_then(|distances| distances.of(exec.program, state)),
            target: toward.and_then(|toward| toward.of(exec.program, state)),
            location_count: exec.counters.executed.count(inst),
            call_path_count: call_path.copied().unwrap_or(0),
            queries: state.history.queries,
            subpaths: state.history.trail.subpaths(SUBPATHS),
            fork: state.history.trail.last(state.frame.serial),
            discovery: state.history.novelty.discovery,
            place: match self.places {
                true => place(exec, state),
                false => 0,
            },
            seeded: !state.input.seeds.is_empty(),
        }
    }
}

/// A hash of where a state stands in the program's own code, and of the calls on the way.
fn place(exec: &Executor<'_>, state: &State) -> u64 {
    let mut hasher = FxHasher::default();
    let library = |function: FuncId| exec.code.functions[function.index()].library;
    let own = state.stack().filter(|frame| !library(frame.function));
    for frame in own {
        hasher.write_u32(frame.inst(exec.program).0);
    }
    hasher.finish()
}

impl Run<'_> {
    /// Computes distances again if that is due, and tells the searcher the new ones.
    pub(super) fn refresh_distances(&mut self) {
        let Some(distances) = &mut self.guidance.distances else {
            return;
        };
        // There is nothing to choose from.
        if self.frontier.states.len() < 2 {
            return;
        }
        let counters = &self.exec.counters;
        let (instructions, covered) = (counters.counts.instructions, counters.covered);
        let program = self.exec.program;
        if !distances.refresh(program, &counters.executed, instructions, covered) {
            return;
        }
        self.tell_summaries();
    }

    /// Tells the searcher of all states anew.
    pub(super) fn tell_summaries(&mut self) {
        let mut ids: Vec<StateId> = self.frontier.states.keys().copied().collect();
        ids.sort();
        for id in ids {
            if let Some(state) = self.frontier.states.get(&id) {
                let summary = self.guidance.summary(&self.exec, state);
                self.frontier.updated(&summary);
            }
        }
    }
}

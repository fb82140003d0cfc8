//! Cold states: paths of which only their decisions are kept while memory is scarce.
//!
//! A cold state is its place in the trie, what it was answered since its last split, and its summary.
//! The searcher does not know which states are cold: the one that it chooses is led to its place
//! again from the initial state, without a question to the solver, and goes on.

use super::Run;
use super::led::along;
use crate::api::id::StateId;
use crate::search::Summary;
use crate::state::{Novelty, State};
use crate::trie::{Next, Node};
use std::num::NonZeroU64;
use std::rc::Rc;
use std::sync::Arc;

/// So many states stay as they are, whatever they take.
const KEPT: usize = 64;

/// A path that waits without its state.
pub(super) struct Cold {
    /// Its last decision.
    pub node: Rc<Node>,
    /// What comes behind it.
    next: Next,
    /// What the searcher was told last.
    pub summary: Summary,
    last_new: Option<NonZeroU64>,
    novelty: Novelty,
}

impl Cold {
    /// Where it goes on.
    pub fn next(&self) -> &Next {
        &self.next
    }
}

impl Run<'_> {
    /// Keeps only the decisions of half of the states: of those with the fewest forks, which are the last
    /// to run while memory is scarce. States that were the first to cover something stay: they are
    /// promised a test. Whether there were any.
    pub(super) fn cool(&mut self) -> bool {
        let states = self.frontier.states.values().map(Box::as_ref);
        let able = |state: &&State| {
            state.history.node.is_some()
                && !state.history.covers_new()
                && Some(state.id) != self.frontier.last
        };
        let mut able: Vec<(u32, StateId)> = (states.filter(able))
            .map(|state| (state.history.depth, state.id))
            .collect();
        if able.len() < KEPT {
            return false;
        }
        able.sort_unstable();
        able.truncate(able.len() / 2);
        for &(_, id) in &able {
            if let Some(state) = self.frontier.states.remove(&id)
                && let Some(node) = state.history.node.clone()
            {
                let cold = Cold {
                    node,
                    next: state.behind(),
                    summary: self.guidance.summary(&self.exec, &state),
                    last_new: state.history.last_new,
                    novelty: state.history.novelty,
                };
                self.frontier.cold.insert(id, cold);
            }
        }
        self.exec.counters.counts.trie.cooled += able.len() as u64;
        self.exec.events.warn_once(
            "memory is very scarce (seven eighths of --max-memory): paths that run last are kept as \
             their decisions until it is their turn",
        );
        true
    }

    /// Leads an initial state to where a cold one was.
    pub(super) fn warm(&mut self, id: StateId) -> Option<Box<State>> {
        let cold = self.frontier.cold.remove(&id)?;
        let (plan, number) = cold.node.plan(cold.next);
        let root = self.frontier.roots.get(number as usize)?.clone();
        let mut state = along(root, &Arc::new(plan), number);
        state.id = id;
        state.history.last_new = cold.last_new;
        state.history.novelty = cold.novelty;
        self.exec.counters.counts.trie.warmed += 1;
        Some(Box::new(state))
    }
}

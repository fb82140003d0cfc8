//! Stays with a chosen state for a while: switching costs caches, in the solver above all.

use super::{Searcher, StateId, Summary};

/// Repeats the inner searcher's choice until the state ends or has run `batch` instructions.
pub struct Batching {
    inner: Box<dyn Searcher>,
    batch: u64,
    current: Option<Turn>,
}

/// The state whose turn it is.
struct Turn {
    state: StateId,
    /// Its instruction count when its turn began, once known.
    start: Option<u64>,
    over: bool,
}

impl Batching {
    /// Wraps a searcher; a turn lasts `batch` instructions.
    pub fn new(inner: Box<dyn Searcher>, batch: u64) -> Self {
        Batching {
            inner,
            batch,
            current: None,
        }
    }
}

impl Searcher for Batching {
    fn select(&mut self) -> StateId {
        match &self.current {
            Some(turn) if !turn.over => turn.state,
            _ => {
                let state = self.inner.select();
                self.current = Some(Turn {
                    state,
                    start: None,
                    over: false,
                });
                state
            }
        }
    }

    fn added(&mut self, parent: Option<StateId>, states: &[Summary]) {
        self.inner.added(parent, states);
    }

    fn removed(&mut self, state: StateId) {
        if self
            .current
            .as_ref()
            .is_some_and(|turn| turn.state == state)
        {
            self.current = None;
        }
        self.inner.removed(state);
    }

    fn updated(&mut self, summary: &Summary) {
        if let Some(turn) = self
            .current
            .as_mut()
            .filter(|turn| turn.state == summary.id)
        {
            let start = *turn.start.get_or_insert(summary.instructions);
            turn.over = summary.instructions.saturating_sub(start) >= self.batch;
        }
        self.inner.updated(summary);
    }

    fn gone(&mut self, subpath: u64, times: u64) {
        self.inner.gone(subpath, times);
    }
}

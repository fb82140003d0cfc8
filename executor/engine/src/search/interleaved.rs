//! Several searchers in turn over the same states: round robin, one selection each.

use super::{Searcher, StateId, Summary};

/// Asks its searchers one after the other.
pub struct Interleaved {
    searchers: Vec<Box<dyn Searcher>>,
    next: usize,
}

impl Interleaved {
    /// Interleaves at least one searcher; the first is asked first.
    pub fn new(searchers: Vec<Box<dyn Searcher>>) -> Self {
        assert!(!searchers.is_empty(), "at least one searcher");
        Interleaved { searchers, next: 0 }
    }
}

impl Searcher for Interleaved {
    fn select(&mut self) -> StateId {
        let at = self.next;
        self.next = (at + 1) % self.searchers.len();
        self.searchers[at].select()
    }

    fn added(&mut self, parent: Option<StateId>, states: &[Summary]) {
        for searcher in &mut self.searchers {
            searcher.added(parent, states);
        }
    }

    fn removed(&mut self, state: StateId) {
        for searcher in &mut self.searchers {
            searcher.removed(state);
        }
    }

    fn updated(&mut self, summary: &Summary) {
        for searcher in &mut self.searchers {
            searcher.updated(summary);
        }
    }

    fn gone(&mut self, subpath: u64, times: u64) {
        for searcher in &mut self.searchers {
            searcher.gone(subpath, times);
        }
    }
}

//! Memory pressure: near its bound on memory, a run ends paths before it begins others.
//!
//! Above three quarters of the bound the [`Deepest`] path runs in place of the searcher's choice,
//! until the use has fallen below five eighths; the searcher hears of everything and goes on where
//! the other stops. Above seven eighths half of the states are kept as their decisions (`cold.rs`). No path is lost: a run that meets its bound all the same, by what no end of a
//! path gives back, ends as by any limit.

use crate::search::{Deepest, Searcher, Summary};

/// Forks between two looks at the memory in use, at most.
const FORKS: u64 = 1_000;

/// The bound on memory, and what chooses while memory is scarce.
pub(crate) struct MemoryPressure {
    most: u64,
    looked: u64,
    deepest: Option<Deepest>,
}

impl MemoryPressure {
    /// Plenty, under a bound in bytes.
    pub fn new(most: Option<u64>) -> Self {
        MemoryPressure {
            most: most.unwrap_or(u64::MAX),
            looked: 0,
            deepest: None,
        }
    }

    /// What chooses, while memory is scarce.
    pub fn searcher(&mut self) -> Option<&mut Deepest> {
        self.deepest.as_mut()
    }

    /// Whether it is time for a look at the memory in use, after so many forks.
    pub fn due(&self, forks: u64) -> bool {
        forks >= self.looked + FORKS
    }

    /// Notes such a look.
    pub fn looked(&mut self, forks: u64) {
        self.looked = forks;
    }

    /// Whether memory is scarce.
    pub fn is_scarce(&self, used: u64) -> bool {
        used >= self.most / 4 * 3
    }

    /// Whether it is even while the deepest paths run: they do not give back enough.
    pub fn is_very_scarce(&self, used: u64) -> bool {
        used >= self.most / 8 * 7
    }

    /// Whether memory has become scarce.
    pub fn begins(&self, used: u64) -> bool {
        self.deepest.is_none() && self.is_scarce(used)
    }

    /// Lets the deepest of these states run, which are all, until [`MemoryPressure::end`].
    pub fn begin(&mut self, states: &[Summary]) {
        let mut deepest = Deepest::default();
        deepest.added(None, states);
        self.deepest = Some(deepest);
    }

    /// Leaves the choice to the searcher again if there is enough.
    pub fn end(&mut self, used: u64) {
        if used < self.most / 8 * 5 {
            self.deepest = None;
        }
    }

    /// Whether nothing is left.
    pub fn exhausted(&self, used: u64) -> bool {
        used >= self.most
    }
}

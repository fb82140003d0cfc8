//! What late seeds have come to, see `fork/late.rs`.

use rustc_hash::FxHashSet;

/// Sides of decisions, each with the last decisions before it, by hash.
#[derive(Clone, Default, Debug)]
pub struct Decisions {
    known: FxHashSet<u64>,
}

impl Decisions {
    /// Whether a late seed has come to a side, or beside it.
    pub fn knows(&self, side: u64) -> bool {
        self.known.contains(&side)
    }

    /// Notes a side; whether it is new.
    pub fn add(&mut self, side: u64) -> bool {
        self.known.insert(side)
    }
}

//! How often calls through pointers have led where.

use plat_program::{FuncId, InstId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A call, and a function that it has reached.
type Way = (InstId, FuncId);

/// The numbers, by a number for each way, so that a call that remembers its way counts without a
/// search.
#[derive(Default, Debug)]
pub struct IndirectCalls {
    ways: FxHashMap<Way, u32>,
    counts: Vec<u64>,
}

impl IndirectCalls {
    /// Whether a call has led to a function before.
    pub fn knows(&self, way: Way) -> bool {
        self.ways.contains_key(&way)
    }

    /// Counts more calls; the number of their way.
    pub fn add(&mut self, way: Way, times: u64) -> u32 {
        let fresh = self.counts.len() as u32;
        let number = *self.ways.entry(way).or_insert(fresh);
        if number == fresh {
            self.counts.push(0);
        }
        self.counts[number as usize] += times;
        number
    }

    /// Counts one more call along a way.
    #[inline(always)]
    pub fn again(&mut self, number: u32) {
        self.counts[number as usize] += 1;
    }

    /// How often it was which way.
    pub fn counts(&self) -> BTreeMap<Way, u64> {
        let ways = self.ways.iter();
        ways.map(|(&way, &number)| (way, self.counts[number as usize]))
            .collect()
    }
}

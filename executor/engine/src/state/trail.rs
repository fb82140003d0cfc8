//! The last decisions of a path: its subpath, for searchers ("Steering symbolic execution to less
//! traveled paths", Li, Su, Wang, Li, OOPSLA 2013).

use plat_program::InstId;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// How many decisions are kept.
pub const KEPT: usize = 8;

/// The last decisions of a path, each a hash of its place and the side taken.
#[derive(Clone, Copy, Default, Debug)]
pub struct Trail {
    decisions: [u32; KEPT],
    /// Decisions so far; the last one stands at this position less 1.
    count: u32,
    /// The instruction of the last one, from 1.
    last: u32,
}

impl Trail {
    /// A single decision.
    pub fn of(inst: Option<InstId>, side: u32) -> Self {
        let mut trail = Trail::default();
        trail.push(inst, side);
        trail
    }

    /// Notes the side taken at a fork.
    pub fn push(&mut self, inst: Option<InstId>, side: u32) {
        let mut hasher = FxHasher::default();
        self.last = inst.map_or(0, |inst| inst.index() as u32 + 1);
        hasher.write_u32(self.last);
        hasher.write_u32(side);
        let hash = hasher.finish();
        self.decisions[self.count as usize % KEPT] = (hash ^ hash >> 32) as u32;
        self.count = self.count.wrapping_add(1);
    }

    /// A hash of the place of the last decision, in an activation.
    pub fn last(&self, activation: u64) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write_u32(self.last);
        hasher.write_u64(activation);
        hasher.finish()
    }

    /// A hash of the last `length` decisions (at most [`KEPT`]), in their order.
    pub fn subpath(&self, length: usize) -> u64 {
        self.subpaths([length])[0]
    }

    /// Hashes of the last decisions, in their order: as many as `lengths` say (ascending, at most
    /// [`KEPT`]).
    pub fn subpaths<const N: usize>(&self, lengths: [usize; N]) -> [u64; N] {
        let mut hasher = FxHasher::default();
        let mut back = 0;
        let mut hashes = [0; N];
        for (hash, length) in hashes.iter_mut().zip(lengths) {
            while back < length.min(self.count as usize) {
                back += 1;
                hasher.write_u32(self.decisions[(self.count as usize - back) % KEPT]);
            }
            *hash = hasher.finish();
        }
        hashes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subpath_depends_on_the_last_decisions_alone() {
        let decisions = |all: &[(usize, u32)]| {
            let mut trail = Trail::default();
            for &(inst, side) in all {
                trail.push(Some(InstId::new(inst)), side);
            }
            trail
        };
        let long: Vec<(usize, u32)> = (0..30).map(|at| (at, at as u32 & 1)).collect();
        let short = &long[22..];
        for length in [1, 4, 8] {
            let (long, short) = (decisions(&long), decisions(short));
            assert_eq!(long.subpath(length), short.subpath(length));
        }
        let other = decisions(&[(1, 0), (2, 1)]);
        assert_ne!(other.subpath(4), decisions(&[(2, 1), (1, 0)]).subpath(4));
        assert_ne!(other.subpath(4), decisions(&[(1, 0), (2, 0)]).subpath(4));
        assert_ne!(other.subpath(4), Trail::default().subpath(4));
        assert_eq!(other.subpath(1), decisions(&[(9, 9), (2, 1)]).subpath(1));
        for all in [&long[..3], &long[..5], &long] {
            let trail = decisions(all);
            let each = [1, 4, 8].map(|length| trail.subpath(length));
            assert_eq!(trail.subpaths([1, 4, 8]), each);
        }
    }
}

//! When a leaf of a trie is open again.

use plat_engine::{Leaf, Limit, Limits};

/// Which leaves that a limit has cut off are explored further, under other limits.
#[derive(Clone, Copy, Debug)]
pub struct Reopen {
    depth: u32,
    forks: bool,
}

impl Reopen {
    /// None of them.
    pub const NONE: Self = Reopen {
        depth: 0,
        forks: false,
    };

    /// Those that these limits let go on.
    pub fn under(limits: &Limits) -> Self {
        Reopen {
            depth: limits.depth.unwrap_or(u32::MAX),
            forks: limits.forks.is_none(),
        }
    }

    /// Whether a leaf that was split off at this depth goes on.
    pub fn opens(self, leaf: Leaf, depth: u32) -> bool {
        match leaf {
            Leaf::Limit(Limit::Depth) => depth < self.depth,
            Leaf::Limit(Limit::Forks) => self.forks,
            _ => false,
        }
    }
}

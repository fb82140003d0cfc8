//! A random walk from the root of the fork tree that prefers subtrees in which something was discovered
//! lately, and takes the rounds of a loop for one fork.
//!
//! `random-path` halves its chance at each fork. A loop that leaves by a symbolic condition (`strchr`
//! over the letters of the options, with a letter that is not known) makes a comb: the last exit has as
//! many forks above it as the loop has rounds, and the walk comes to the twentieth option once in a
//! million turns. Here a fork at the place of one that is a few forks above, in the same activation,
//! becomes part of that one: each exit is as likely as any other.
//!
//! And `random-path` gives a subtree of a hundred thousand paths that quote a name for a message as many
//! turns as one that has just begun. Here a branch is taken with a chance that falls with the walks through
//! it since the last discovery below.

use super::fork_tree::ForkTree;
use super::random::Random;
use super::{Entry, Needs, Searcher, StateId, Summary};

/// Its entry in the list.
pub const ENTRY: Entry = Entry {
    name: "covnew-path",
    help: "a random walk down the fork tree, first where new code was covered",
    needs: Needs::SUBSUMPTION,
    make: |seed| Box::new(CovnewPath::new(seed)),
};

/// How many forks above a state its loop is looked for: as many conditions as a short loop has.
pub(super) const LOOP: usize = 4;

/// After so many walks without a discovery below, a branch has half of its chance.
const PATIENCE: u32 = 10;

struct CovnewPath {
    tree: ForkTree,
    random: Random,
    /// The last discovery: they are numbered.
    last: u32,
}

impl CovnewPath {
    fn new(seed: u64) -> Self {
        CovnewPath {
            tree: ForkTree::new(LOOP),
            random: Random::new(seed),
            last: 0,
        }
    }

    fn note(&mut self, state: &Summary) {
        if state.discovery > self.last {
            self.last = state.discovery;
            self.tree.discovered(state.id);
        }
    }
}

impl Searcher for CovnewPath {
    fn select(&mut self) -> StateId {
        self.tree.walk(&mut self.random, |random, idle| {
            let idle = f64::from(idle);
            random.unit() * (f64::from(PATIENCE) + idle) < f64::from(PATIENCE)
        })
    }

    fn added(&mut self, parent: Option<StateId>, states: &[Summary]) {
        for state in states {
            self.tree.add(parent, state.id, state.fork);
            self.note(state);
        }
    }

    fn removed(&mut self, state: StateId) {
        self.tree.remove(state);
    }

    fn updated(&mut self, state: &Summary) {
        self.note(state);
    }
}

//! Pauses: a hook says where on a path it wants to be asked next, and is asked there.
//!
//! Other interests are bound before the run. A pause belongs to a path and changes as the path goes:
//! after so many instructions, at the beginning of one block, or of every block. The block is watched
//! by the counts of what was executed, which the fast paths look at anyway where a block begins: so
//! pauses cost nothing where there are none.

use plat_program::InstId;

/// Where a path is to pause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pause {
    /// When it has executed so many instructions, or more.
    pub at: u64,
    /// Where it comes to the first instruction of this block, by its number in the program.
    pub block: Option<InstId>,
    /// At the beginning of every block. All instructions take the slow way then.
    pub blocks: bool,
}

impl Default for Pause {
    /// Nowhere.
    fn default() -> Self {
        Pause {
            at: u64::MAX,
            block: None,
            blocks: false,
        }
    }
}

/// The pauses of the running batch.
#[derive(Clone, Default, Debug)]
pub(crate) struct Pausing {
    /// What hooks have asked for of its state: of all of them together.
    pub pause: Pause,
    /// Where the batch ends if there is no pause.
    pub end: u64,
}

impl Pausing {
    /// Whether every block pauses.
    #[inline]
    pub fn everywhere(&self) -> bool {
        self.pause.blocks
    }
}

plat_expr::plain!(Pausing);

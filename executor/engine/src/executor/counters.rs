//! What a run counts.

use super::executed::Executed;
use super::fork_shares::SpreadForks;
use super::indirect_calls::IndirectCalls;
use crate::api::summary::Counts;
use plat_program::Program;

/// Counters over all paths, and what is computed from them.
pub struct Counters {
    /// Events.
    pub counts: Counts,
    /// How often each instruction was executed.
    pub executed: Executed,
    /// How many instructions were executed at least once.
    pub covered: usize,
    /// For each conditional branch, by its instruction: bit 0 if it was ever not taken, bit 1 if it
    /// was taken.
    pub branches: Vec<u8>,
    /// Discoveries so far, see [`crate::state::Novelty`].
    pub discoveries: u32,
    /// How often a call through a pointer has led to a function.
    pub indirect_calls: IndirectCalls,
    /// How forks are spread, if their shares are bounded.
    pub(super) spread_forks: SpreadForks,
    /// How many instructions there may be until the test ends that is executed by itself.
    pub bound: Option<u64>,
}

impl Counters {
    /// Nothing has happened.
    pub(crate) fn new(program: &Program) -> Self {
        Counters {
            counts: Counts::default(),
            executed: Executed::new(program.inst_count(), block_starts(program)),
            covered: 0,
            branches: vec![0; program.inst_count()],
            discoveries: 0,
            indirect_calls: IndirectCalls::default(),
            spread_forks: SpreadForks::default(),
            bound: None,
        }
    }
}

/// The first instructions of all blocks.
fn block_starts(program: &Program) -> impl Iterator<Item = usize> {
    program.functions.iter().flat_map(|function| {
        let blocks = function.blocks.iter();
        blocks.map(|block| function.first_inst.index() + block.first as usize)
    })
}

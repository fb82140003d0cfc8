//! What memory operations need besides the memory itself.

use crate::objects::Objects;
use crate::stats::MemoryStats;
use plat_expr::Pool;
use plat_program::InstId;
use plat_solver::{Oracle, PathCondition};

/// The run-wide tables, and the path condition of the state whose memory it is.
pub struct Cx<'a> {
    /// Expressions.
    pub pool: &'a mut Pool,
    /// Answers about the path condition.
    pub oracle: &'a mut Oracle,
    /// What is known to hold on this path.
    pub pc: &'a PathCondition,
    /// The objects of the run.
    pub objects: &'a mut Objects,
    /// The instruction that makes a resolution, if it is known.
    pub at: Option<InstId>,
    /// Counters.
    pub stats: &'a mut MemoryStats,
}

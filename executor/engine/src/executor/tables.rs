//! Tables about the memory of all paths.

use crate::memory::contexts::Contexts;
use plat_memory::{Memory, MemoryStats, Objects};

/// What all paths share about their memory.
pub struct MemoryTables {
    /// Memory objects of all paths.
    pub objects: Objects,
    /// Memory's counters.
    pub stats: MemoryStats,
    /// Bytes that operations on ranges have touched since the run last looked at its memory.
    pub(crate) touched: u64,
    /// Allocation contexts.
    pub(crate) contexts: Contexts,
    /// Memory with the globals in it, for further initial states.
    pub(crate) initial: Option<Memory>,
}

plat_expr::holder!(MemoryTables { initial } plain { objects, stats, touched, contexts });

impl MemoryTables {
    /// No objects.
    pub(crate) fn new(contexts: Contexts) -> Self {
        MemoryTables {
            objects: Objects::new(),
            stats: MemoryStats::default(),
            touched: 0,
            contexts,
            initial: None,
        }
    }
}

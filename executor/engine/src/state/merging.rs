//! The merges that a path has opened (`klee_open_merge`).

use std::rc::Rc;

/// A merge, shared by the paths that have come from the one that opened it and are to close it.
#[derive(Debug)]
pub struct OpenMerge {
    /// Its number in the run.
    pub number: u64,
    /// Instructions on the path before it.
    pub since: u64,
}

/// Where a path stands with its merges.
#[derive(Clone, Default, Debug)]
pub struct Merging {
    /// Opened and not closed, the innermost last.
    pub open: Vec<Rc<OpenMerge>>,
    /// The merge that it has just closed.
    pub closing: Option<Rc<OpenMerge>>,
}

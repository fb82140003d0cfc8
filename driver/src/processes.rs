//! Which work is done in a process of its own, and the command that starts that process.
//!
//! LLVM and Z3 are written in C++ and trust what they read: on damaged bitcode LLVM may end the
//! process or take all memory, and Z3 may ignore its time limit. In a process of its own, each takes
//! nobody with it. A library cannot know which executable to start, so by default both work in the
//! caller's process. [`Processes::of`] is for who has the command `plat` at hand.

use std::ffi::OsString;
use std::path::Path;

/// The sub-command of `plat` that calls [`crate::llvm::serve`].
pub const LLVM: &str = "llvm-process";
/// The sub-command of `plat` that calls [`plat_solver::serve`].
pub const SOLVER: &str = "solver-process";
/// The sub-command of `plat` that serves the page of a run.
pub const PAGE: &str = "page-process";
/// The sub-command of `plat` that calls `plat_external::helper::serve`.
pub const EXTERNAL: &str = "external-helper";

/// How helper processes are started. An empty command stands for none.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Processes {
    /// Reads and rewrites bitcode. Default: the calling process does.
    pub llvm: Vec<OsString>,
    /// Asks Z3. Default: the calling process does.
    pub solver: Vec<OsString>,
    /// Makes external calls. There are none without it.
    pub external: Vec<OsString>,
}

impl Processes {
    /// Everything in the calling process.
    pub fn none() -> Self {
        Processes::default()
    }

    /// Those of the command `plat`.
    pub fn of(plat: &Path) -> Self {
        let command = |name: &str| vec![plat.into(), name.into()];
        Processes {
            llvm: command(LLVM),
            solver: command(SOLVER),
            external: command(EXTERNAL),
        }
    }
}

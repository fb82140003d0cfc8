//! Coverage of source files: what a run has covered by the engine's own count, and what its tests
//! cover on a native build.
//!
//! - [`SourceCoverage`]: lines, branches and functions of files, whoever has counted them;
//! - [`of_run`]: the engine's count;
//! - [`native::replay`]: a suite on the user's own build with gcov's or LLVM's counters;
//! - [`lcov`]: the format in which other tools read and write coverage.

pub(crate) mod counters;
pub mod gcov;
pub mod lcov;
pub mod native;
mod own;
mod places;
mod source;
mod tools;

pub use own::of_run;
pub use places::{Line, Places, own_functions};
pub use source::{FileCoverage, Function, SourceCoverage, Total};

/// The name of the executor's own count in a run's directory.
pub const FILE: &str = "run.lcov";

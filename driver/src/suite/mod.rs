//! The tests of runs, to be listed, shown, extracted and replayed.
//!
//! A run keeps all of its tests in one file of its directory, [`FILE`]: a store
//! ([`plat_store`]) that grows while the run goes on and can be read meanwhile. A `.ktest` file and
//! what stands beside it are made from it, for some tests by the run itself and for any on request.
//!
//! - [`Container`]: that file, by the numbers of tests;
//! - [`Case`]: one test case from wherever tests are: a file, a directory of files, a container;
//! - [`Selection`]: which tests are meant; [`extract`] makes their files;
//! - [`SuiteCoverage`]: what each test covers, and the fewest that cover everything.

mod case;
mod container;
mod coverage;
mod extract;
mod merge;
mod minimise;
mod saved;
mod select;
mod stored;

pub use case::{Case, Cases, number_of, stem};
pub use container::Container;
pub(crate) use container::failed;
pub use coverage::{SuiteCoverage, names};
pub use extract::extract;
pub use merge::{Merged, merge};
pub use minimise::smallest;
pub(crate) use saved::ktest;
pub use saved::{Entry, FILE, RunInfo, SavedTest};
pub use select::{Selection, line, range};

//! Regression: a run of a new version of a program that takes over from a run of the old version what
//! the change has not touched (`plat regress`).
//!
//! 1. The blocks of both versions are matched by content ([`Matched`]).
//! 2. [`crate::Prepared::take_over`] writes a run directory with the decisions of the old run, and no ends of
//!    paths. The run goes on with it as a resumed one does ([`crate::trie`]): its paths are led along the
//!    decisions, without a question to the solver, until they come to a changed block ([`Comparison`]).
//! 3. [`Comparison::report`] says what both versions do with the tests of all other paths, old and new ones.
//!
//! After the regression part of "Memoise" (Yang, Păsăreanu, Khurshid, ICSE 2012), where a comparison of
//! control-flow graphs says which nodes of the trie a change may reach. Departing from it, the paths say
//! themselves what they execute, when they are walked again.

mod behaviour;
mod blocks;
mod comparison;
mod earlier;
mod names;
mod observed;
mod outcomes;
mod report;
mod words;

pub use behaviour::{Behaviour, Ending, FaultEnd};
pub use blocks::Matched;
pub use comparison::Comparison;
pub use earlier::Earlier;
pub use report::{Difference, NewFault, Paths, Report, Tested, Version};

//! Regression: a run of a new version of a program that takes over from a run of the old version what
//! the change has not touched (`plat regress`).
//!
//! 1. The blocks of both versions are matched by content ([`Matched`]).
//! 2. The tests of the old run are executed on both versions; a path is taken over if that shows that
//!    it is the same in both ([`Comparison`]).
//! 3. [`crate::Prepared::take_over`] writes a run directory with these paths and the decisions on the
//!    way to them. Every other side of these decisions is open: the run goes on there as a resumed one
//!    does ([`crate::trie`]).
//! 4. [`Comparison::report`] executes the new tests on both versions, too, and says what differs.
//!
//! After the regression part of "Memoise" (Yang, Păsăreanu, Khurshid, ICSE 2012), where a comparison of
//! control-flow graphs says which nodes of the trie a change may reach. Departing from it, the paths say
//! themselves what they execute, when their tests are executed again.

mod behaviour;
mod blocks;
mod comparison;
mod earlier;
mod names;
mod report;
mod words;

pub use behaviour::{Behaviour, Ending, FaultEnd};
pub use blocks::Matched;
pub use comparison::Comparison;
pub use earlier::Earlier;
pub use report::{Affected, Difference, NewFault, Paths, Report, Tested, Version};

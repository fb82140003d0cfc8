//! What the analysis is defined to find: the least solution of the constraints, once in loops
//! ([`naive`]), once in Datalog rules ([`datalog`]). [`compare`] holds the solver to it.
//!
//! [`widening`] is the part that keeps the solution finite: what pointers become that a loop moves.

pub mod compare;
#[cfg(test)]
mod compare_tests;
pub mod datalog;
pub mod naive;
pub(crate) mod solution;
pub mod widening;

pub use solution::Solution;

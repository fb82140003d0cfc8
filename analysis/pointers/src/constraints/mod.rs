//! Constraints: the inclusion problem that a program is turned into, as plain data.
//!
//! A *node* is a variable of the analysis (a register of one function instance, a constant, a
//! result); an *object* is an abstract memory object; a *location* is an object with an
//! [`Offset`]. A node's points-to set is a set of locations. Memory is not made of nodes: the
//! solvers keep, for every object, what was written to each slot class (see [`touched`]), and a
//! read of a slot class sees everything written to an overlapping one. All rules are monotone
//! and the set of locations is finite, so there is one least solution (`naive` computes it word
//! for word).
//!
//! Papers: Pereira and Berlin (CGO 2009) for the constraint kinds; offsets instead of field
//! numbers, overlapping slots, block copies and calls by value are ours.

#[cfg(test)]
mod block_tests;
mod blocks;
mod constraint;
mod ids;
mod location;
mod offset;
mod system;

pub use crate::program::interfaces::Kinds;
pub use blocks::BlockCopy;
pub use constraint::Constraint;
pub use ids::{Callable, Node, Object};
pub use location::{Displacement, Location, Passage};
pub(crate) use offset::gcd;
pub use offset::{Offset, SLOT, touched};
pub use system::{Call, Extent, Fresh, Parameter, Signature, System};

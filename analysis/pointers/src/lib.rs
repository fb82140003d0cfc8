//! Whole-program points-to analysis: which objects can a pointer point to?
//!
//! Flow-insensitive and inclusion-based (Andersen), with fields by byte offset, functions cloned
//! per call site where that separates heap objects, and a call graph found on the fly. The stages
//! are plain data to plain data: a [`plat_program::Program`] is turned into a
//! [`constraints::System`] by [`extract`], solved by [`wave`] (or by its definition, which
//! [`naive`] states in loops and [`datalog`] in rules), and reported as a [`PointsTo`]. [`check`]
//! accepts or refuses any solution independently; [`compare`] holds the solvers against each other.

pub mod analyze;
pub mod binding;
pub mod calls;
pub mod cells;
pub mod check;
pub mod claims;
pub mod clones;
pub mod compare;
pub mod config;
mod connected;
pub mod constraints;
pub mod cycles;
pub mod datalog;
pub mod externals;
pub mod extract;
pub mod file;
pub mod fingerprint;
pub mod hubs;
pub mod interfaces;
pub mod location;
pub mod naive;
pub mod objects;
pub mod offline;
pub mod offset;
pub mod operands;
pub mod passing;
pub mod points_to;
pub mod precision;
pub mod set;
pub mod solution;
pub mod solved;
pub mod stages;
pub mod statistics;
pub mod targets;
pub mod text;
pub mod wave;
mod ways;
pub mod widening;
pub mod wrappers;

#[cfg(test)]
mod block_tests;
#[cfg(test)]
mod compare_tests;
#[cfg(test)]
mod testing;

pub use analyze::{analyze, analyze_checked};
pub use config::{Algorithm, Config};
pub use file::FileError;
pub use objects::{AbstractObject, CallSite};
pub use points_to::PointsTo;
pub use precision::Precision;
pub use statistics::Statistics;

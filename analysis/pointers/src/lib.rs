//! Whole-program points-to analysis: which objects can a pointer point to?
//!
//! Flow-insensitive and inclusion-based (Andersen), with fields by byte offset, functions cloned
//! per call site where that separates heap objects, and a call graph found on the fly.
//!
//! | module | contents |
//! |---|---|
//! | [`analyze`] | the stage: a [`plat_program::Program`] in, a [`PointsTo`] out, within a budget |
//! | [`program`] | what is read off a program: interfaces of functions, effects of library functions |
//! | [`cloning`] | which functions are analysed once per call string |
//! | [`extract`] | from a program to constraints |
//! | [`constraints`] | the constraint system, locations, offsets |
//! | [`solver`] | wave propagation, points-to sets, what makes it fast |
//! | [`definition`] | the least solution in loops and in Datalog rules, and the comparison with it |
//! | [`check`] | accepts or refuses a solution, independently of the solvers |
//! | [`report`] | the result, its file and its text |
//! | [`claims`] | what a program says of its own pointers, for test suites |

#![forbid(unsafe_code)]

pub mod analyze;
pub mod check;
pub mod claims;
pub mod cloning;
pub mod config;
pub mod constraints;
pub mod definition;
pub mod extract;
pub mod program;
pub mod report;
pub mod solver;

pub use analyze::{Precision, analyze, analyze_checked};
pub use config::{Algorithm, PointsToConfig};
pub use report::{AbstractObject, CallSite, FileError, PointsTo, Statistics};

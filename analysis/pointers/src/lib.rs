//! Whole-program points-to analysis: which objects can a pointer point to?
//!
//! Flow-insensitive and inclusion-based (Andersen), with fields by byte offset, functions cloned
//! per call site where that separates heap objects, and a call graph found on the fly. The stages
//! are plain data to plain data: a [`plat_program::Program`] is turned into a
//! [`constraints::System`] by `extract`, solved by `wave` (or by its definition, `naive`), and
//! reported as a `PointsTo`. `check` accepts or refuses any solution independently.

pub mod cells;
pub mod constraints;
pub mod cycles;
pub mod naive;
pub mod offset;
pub mod set;
pub mod solution;
pub mod solved;
#[cfg(test)]
pub mod testing;
pub mod wave;

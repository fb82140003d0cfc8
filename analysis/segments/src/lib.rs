//! Memory segments: which heap allocations can be confused with one another.
//!
//! Algorithm 3 of "A Segmented Memory Model for Symbolic Execution" (ESEC/FSE 2019): intersecting
//! points-to sets are united until all are disjoint; each union is a group (the paper's segment).
//! The input is a [`plat_pointers::PointsTo`], the result a [`SegmentMap`]; [`verify`] checks it.

#![forbid(unsafe_code)]

mod draw;
pub mod explain;
mod file;
mod map;
mod partition;
mod text;
mod unions;

pub use file::MapError;
pub use map::{Context, FORMAT, SegmentMap, Site, Unify, VERSION};
pub use partition::{partition, verify};
pub use unions::Union;

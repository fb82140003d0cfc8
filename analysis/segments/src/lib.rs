//! Memory segments: which heap allocations can be confused with one another?
//!
//! Algorithm 3 of "A Segmented Memory Model for Symbolic Execution" (ESEC/FSE 2019): points-to
//! sets that intersect are united until the rest is disjoint; each union is a segment. A
//! [`plat_pointers::PointsTo`] goes in, a [`SegmentMap`] comes out; [`verify`] checks one against
//! the other.

mod draw;
pub mod explain;
mod file;
mod map;
mod partition;
mod text;

pub use file::MapError;
pub use map::{Context, FORMAT, SegmentMap, Site, Unify, VERSION};
pub use partition::{partition, verify};

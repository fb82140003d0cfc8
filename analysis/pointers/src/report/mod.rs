//! The result: points-to sets of the program's registers and memory accesses, with names for
//! objects, a file and a text.

pub(crate) mod call_graph;
mod file;
mod fingerprint;
pub(crate) mod objects;
pub(crate) mod points_to;
pub(crate) mod statistics;
pub mod text;

pub use file::FileError;
pub use fingerprint::fingerprint;
pub use objects::{AbstractObject, CallSite};
pub use points_to::{FORMAT, PointsTo, RegisterSets, VERSION, renumber};
pub use statistics::Statistics;

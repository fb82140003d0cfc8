//! Memory objects, their contents, and the memory models.
//!
//! - [`objects`]: the run-wide table of objects; an object's number (address) never changes.
//! - [`memory`]: the memory of a state: which objects live, and the accesses whose target is
//!   known. Cloning it is forking it, and copies next to nothing.
//! - [`storage`]: the contents of a segment: bytes, whole pointers, symbolic words.
//! - [`resolve`]: where a symbolic pointer leads: bounds and lifetime per object, candidates read
//!   off the expression.
//! - [`moves`]: how objects come into the segments of others after they were made; [`join`] is what
//!   the model says of it.
//! - [`model`]: where contents are placed and how candidates are divided among paths; `ALL` is
//!   the list of models.
//!
//! Models follow "A Segmented Memory Model for Symbolic Execution" (section 2); each file says
//! which algorithm it is and where it differs.

#![forbid(unsafe_code)]

mod access;
mod addresses;
mod alike;
mod bound;
mod bulk;
pub mod cx;
mod difference;
mod direct;
pub mod fault;
mod isolation;
pub mod join;
pub mod memory;
mod merge;
pub mod model;
pub mod moves;
pub mod objects;
pub mod paged;
pub mod request;
pub mod resolution;
pub mod resolve;
pub mod segments;
pub mod shared;
pub mod space;
mod stack;
pub mod state;
pub mod stats;
pub mod storage;

pub use alike::Alike;
pub use cx::Cx;
pub use difference::Difference;
pub use fault::{Fault, FaultKind};
pub use memory::{AllocFailure, Memory};
pub use model::{Join, MemoryModel, ModelConfig};
pub use objects::{CallString, Kind, ObjectInfo, Objects, Site};
pub use request::Request;
pub use resolution::{AccessKind, Outcome, Resolution, SegmentIndex, Stop, Target};
pub use stack::StackPlan;
pub use state::{ObjectState, Place};
pub use stats::{Followed, MemoryStats};
pub use storage::page::{Stored, Word};
pub use storage::{SHORT, SMALL};

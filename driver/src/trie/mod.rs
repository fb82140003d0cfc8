//! The trie of decisions of a run: what its file holds, the tree in memory, and what is made of it.
//!
//! The engine tells of every split and every ended path ([`plat_engine::Decision`]); the file
//! `run.trie` of a run has them as records ([`record`]). [`Trie::read`] puts the tree together,
//! [`Trie::plan`] makes of it what a run is led along. After "Memoise" (Yang, Păsăreanu, Khurshid,
//! ICSE 2012).

mod compress;
mod coverage;
pub mod diff;
mod divide;
mod figures;
pub mod header;
pub mod html;
pub mod leaf;
mod merge;
pub mod plan;
pub mod record;
pub mod stats;
pub mod text;
mod times;
mod tree;
mod write;

pub use coverage::Coverage;
pub use divide::{Piece, partition};
pub use figures::{coverage, faults};
pub use leaf::Reopen;
pub use merge::{Conflict, merge};
pub use plat_engine::{Answers, ForkKind, Leaf};
pub use times::Timed;
pub use tree::{Inner, Node, Place, Trie};

/// The name of the file in the directory of a run.
pub const FILE: &str = "run.trie";

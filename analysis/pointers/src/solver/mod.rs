//! The solver: wave propagation, and what keeps it fast on large programs.
//!
//! [`wave`] has the algorithm. Before it, `substitution` makes nodes one that have equal sets in
//! every solution. `cells` has the nodes for memory. Pointers that point to the same objects
//! share the edges of their accesses ([`shared_accesses`]) and of their calls ([`shared_calls`]).

pub(crate) mod bindings;
mod block_shapes;
pub(crate) mod cells;
pub(crate) mod cycles;
pub(crate) mod set;
pub mod shared_accesses;
pub mod shared_calls;
pub(crate) mod solved;
pub(crate) mod substitution;
pub mod wave;

pub use cells::Cells;
pub use set::Set;
pub use solved::{Measures, Solved};
pub use wave::Limits;

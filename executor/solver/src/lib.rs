//! Deciding conditions under a path condition: layers that answer cheaply, stacked on a back end
//! that decides bit-vector constraints.
//!
//! [`Oracle`] is what the executor asks. It reads conditions by number, keeps to the constraints
//! that share input bytes with the question ([`PathCondition`]), takes the side of a branch that
//! the state's model satisfies for free, and sends the rest down a chain of [`Solver`]s.

mod answer;
pub mod backend;
pub mod chain;
mod config;
mod deadline;
mod effort;
mod join;
pub mod layer;
mod least;
mod memo;
mod oracle;
mod path;
mod stats;

pub use answer::{Answer, Query, Solver, Unknown};
pub use backend::BACKENDS;
pub use backend::apart::serve;
pub use chain::{LAYERS, chain};
pub use config::{Config, LogSink};
pub use deadline::{Deadline, Interrupt};
pub use effort::Effort;
pub use layer::log::{Logged, read_log};
pub use oracle::{Branch, Feasible, Oracle};
pub use path::PathCondition;
pub use stats::{LayerStats, SolverStats};

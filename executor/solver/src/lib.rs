//! Decides conditions under a path condition, by a chain of cheap layers on top of a back end for
//! bit-vector constraints.
//!
//! The executor calls [`Oracle`]. It replaces the bases in a condition by their numbers, keeps the
//! constraints that share input bytes with it ([`PathCondition`]), answers from the state's model
//! what that decides, and sends the rest down the chain of [`Solver`]s.

#![forbid(unsafe_code)]

mod answer;
pub mod backend;
pub mod chain;
mod config;
mod deadline;
mod effort;
mod evaluation;
mod feasible;
mod join;
pub mod layer;
mod least_model;
mod memo;
mod oracle;
mod path;
mod stats;
mod tape;
mod watched;

pub use answer::{Answer, Query, Solver, Unknown};
pub use backend::z3::{panic_text, version as z3_version};
pub use backend::z3_process::serve;
pub use backend::{BACKENDS, BackEndChoice};
pub use chain::{LAYERS, chain};
pub use config::{LogSink, QueryLanguage, SolverConfig, WriteQuery};
pub use deadline::{Deadline, Interrupt};
pub use effort::Effort;
pub use feasible::Feasible;
pub use layer::log::{Logged, read_log};
pub use oracle::{Branch, Oracle};
pub use path::PathCondition;
pub use stats::{LayerStats, SolverStats, WrongAnswers};
pub use tape::Answers;
pub use watched::{LongQuery, Longest};

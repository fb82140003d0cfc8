//! Layers: solvers that answer some queries and pass the others to the solver below.

pub mod affine;
pub mod byte_domain;
pub mod byte_ranges;
pub(crate) mod byte_tables;
pub mod cross_check;
pub mod decide;
pub mod enumeration;
pub mod float_guess;
pub mod independence;
pub mod intervals;
mod known_bytes;
pub mod log;
pub mod model_reuse;
pub mod query_cache;
pub mod tables;
pub mod term_domain;
pub mod timing;

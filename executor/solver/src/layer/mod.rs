//! Layers: solvers that answer what they can and pass the rest to the solver below.

pub mod affine;
pub mod byte_domain;
pub mod byte_ranges;
pub(crate) mod byte_tables;
pub mod cross_check;
pub mod decide;
pub mod few_inputs;
pub mod float_guess;
pub mod independence;
pub mod intervals;
pub mod log;
pub mod model_reuse;
pub mod query_cache;
pub mod term_domain;
pub mod timing;
mod trial;

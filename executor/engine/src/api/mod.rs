//! Input and output of a run as data: configuration, events, ends of paths, the summary.

pub mod config;
pub mod id;
pub mod observe;
pub mod outcome;
pub mod seeds;
pub mod sharing;
pub mod start_error;
pub mod summary;
pub mod target;

//! (module head to come)

pub mod search;

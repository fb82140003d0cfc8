//! The packages and sources of this repository, as the rules see them.
#![forbid(unsafe_code)]

pub mod imports;
pub mod scan;
pub mod workspace;

//! What is read off a program before there are constraints.

pub(crate) mod connected;
pub mod externals;
pub mod interfaces;

//! A state's memory as steps use it: accesses through pointers, ranges of bytes, symbolic sizes.

pub(crate) mod access;
pub(crate) mod bytes;
pub(crate) mod contexts;
mod globals;
pub(crate) mod runs;
pub(crate) mod sizes;

//! Processes: one of a path's runs, and runs until none of its threads can.
//!
//! A new process is a copy of the one that makes it: memory, the running thread, descriptors. It shares
//! open files, and the bytes of shared mappings, which are carried over when another process runs.
//! Who runs is decided as among threads: the next one in the ring that can.

mod calls;
mod switch;

pub(crate) use switch::Next;

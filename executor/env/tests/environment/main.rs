//! The environment as programs see it: against the kernel, with symbolic data, and when calls stop.

mod devices;
mod fake;
mod input;
mod ipc;
mod kernel;
mod random;
mod script;
mod stops;
mod threads;

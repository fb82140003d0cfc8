//! The engine on C programs and on textual IR.

mod concrete;
mod deferred;
mod faults;
mod hooks;
mod panics;
mod poison;
mod remainder;
mod restored;
mod symbolic;
mod unwritten;

//! Tests of whole runs inside the engine.

mod led;
mod memory;
mod panics;

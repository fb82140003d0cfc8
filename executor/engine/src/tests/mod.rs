//! Tests of whole runs inside the engine.

mod panics;

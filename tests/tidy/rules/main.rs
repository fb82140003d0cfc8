//! The rules of ARCHITECTURE.md and CONTRIBUTING.md that a machine can check.
//!
//! Sources are parsed, so that comments, strings and unit tests are no code. Each rule has a test
//! that it refuses a bad example.

mod crates;
mod documents;
mod effects;
mod files;

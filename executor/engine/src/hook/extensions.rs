//! What is registered for a run.

use super::Hook;
use super::native::Native;
use crate::api::seeds::SeedSource;

/// Code from outside that takes part in a run.
#[derive(Default)]
pub struct Extensions<'a> {
    /// Hooks, asked in this order.
    pub hooks: Vec<Box<dyn Hook + 'a>>,
    /// Native functions, one for a name.
    pub natives: Vec<Native<'a>>,
    /// Where further seeds come from. The run stays in one process then.
    pub seeds: Option<Box<dyn SeedSource + 'a>>,
}

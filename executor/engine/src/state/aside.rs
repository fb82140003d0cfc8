//! What few activations have beside their registers, by the activation: which of these may be poison, and
//! what inline assembly has pushed on the stack and not popped yet.

use super::poison::Poison;
use plat_expr::{Rare, Value};

/// Of all activations of a thread.
#[derive(Clone, Default, Debug)]
pub struct Aside {
    /// Registers that may be poison.
    pub poison: Rare<Vec<Poison>>,
    /// What was pushed, the latest last.
    pub pushed: Rare<Vec<Pushed>>,
}

impl Aside {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.poison.is_empty() && self.pushed.is_empty()
    }
}

plat_expr::holder!(Aside { poison, pushed });

/// A pushed word.
#[derive(Clone, Copy, Debug)]
pub struct Pushed {
    /// The activation, by its serial number.
    pub frame: u64,
    /// What was pushed.
    pub word: Value,
    /// How many of its eight bytes are known: an operand may be shorter than what the instruction reads.
    pub bytes: u32,
}

plat_expr::holder!(Pushed { word } plain { frame, bytes });

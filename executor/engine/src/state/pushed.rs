//! What inline assembly has pushed on the stack and not popped yet, by the activation that did.

use plat_expr::Value;

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

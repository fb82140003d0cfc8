//! Registers of a path that may be poison.

use plat_expr::ExprId;
use plat_program::{InstId, Reg};

/// A register that may be poison.
#[derive(Clone, Copy, Debug)]
pub struct Poison {
    /// The activation, by its serial number.
    pub frame: u64,
    pub reg: Reg,
    /// The lane that is, if it is a vector.
    pub lane: Option<u32>,
    /// When it is.
    pub when: ExprId,
    /// The shift that made it so.
    pub shift: InstId,
}

plat_expr::holder!(Poison { when } plain { frame, reg, lane, shift });

impl Poison {
    pub fn place(&self) -> (u64, Reg, Option<u32>) {
        (self.frame, self.reg, self.lane)
    }
}

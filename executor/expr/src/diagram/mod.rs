//! What depends on few bytes of input is a table.
//!
//! An expression of one input byte has 256 values, numbers or pointers; one of two bytes has 65,536,
//! mostly few different ones. Such an expression has a [`Diagram`]: all of its values, computed from
//! the diagrams of its operands, once for each expression. Questions about it are look-ups then: its
//! value for an input, for which inputs a condition holds, which values are left under a condition.
//! None of them walks the expression.
//!
//! Diagrams are made when they are asked for. How much work one may take is bounded, and so is the
//! memory of all; beyond these bounds an expression has none, and the caller does without. Callers that
//! have a cheaper way bound the work on many expressions together ([`Pool::diagram_within`]).

mod apply;
mod derive;
mod evaluate;
mod flatten;
mod known;
mod questions;
mod store;
#[cfg(test)]
mod tests;

use crate::ids::ExprId;
use crate::pool::Pool;
pub(crate) use known::Diagrams;
use known::Known;
pub use questions::Input;
pub use store::{Diagram, Leaf};

/// Expressions of more bytes have no diagram.
pub(crate) const BYTES: usize = 2;
/// How many steps an expression of two bytes may take that has few different values: enough for
/// comparisons of characters.
pub(crate) const QUICK: usize = 1 << 11;
/// How many steps an expression may take: enough for all values of two bytes.
pub const THOROUGH: usize = 1 << 19;
/// Of an allowance, what must be left for one more expression of two bytes and many values: such has
/// 65,536.
const WORTHWHILE: usize = 1 << 16;

impl Pool {
    /// The diagram of `e`, if it depends on at most two input bytes and none of its parts takes more
    /// than that many steps. What is not computed yet is computed. Ids of diagrams are valid until
    /// the next collection.
    pub fn diagram(&self, e: ExprId, steps: usize) -> Option<Diagram> {
        let mut unlimited = usize::MAX;
        self.diagram_of(e, steps, &mut unlimited)
    }

    /// The same with at most [`THOROUGH`] steps for a part. Those beyond [`QUICK`] that parts of two
    /// bytes take are taken from `allowance`, and none if little is left of it.
    pub fn diagram_within(&self, e: ExprId, allowance: &mut usize) -> Option<Diagram> {
        self.diagram_of(e, THOROUGH, allowance)
    }

    fn diagram_of(&self, e: ExprId, steps: usize, allowance: &mut usize) -> Option<Diagram> {
        if self.sets.len_of(self.symbol_set_id(e)) > BYTES || self.width(e) > 64 {
            return None;
        }
        let mut diagrams = self.diagrams.borrow_mut();
        if let Some(value) = self.as_u64(e) {
            return Some(diagrams.store.number(value));
        }
        let affordable = self.affordable(e, steps, *allowance);
        match diagrams.known.get(&e) {
            Some(&Known::Diagram(diagram)) => Some(diagram),
            Some(&Known::Beyond(limit)) if limit >= affordable => None,
            _ => self.derive(&mut diagrams, e, steps, allowance),
        }
    }

    /// How many of `steps` an expression may take. One of one byte is worth them all.
    fn affordable(&self, e: ExprId, steps: usize, allowance: usize) -> usize {
        match self.sets.len_of(self.symbol_set_id(e)) {
            BYTES if allowance < WORTHWHILE => steps.min(QUICK),
            BYTES => steps.min(allowance.saturating_add(QUICK)),
            _ => steps,
        }
    }

    /// Makes the diagram of an expression of one byte, so that evaluation finds it.
    pub fn tabulate(&self, e: ExprId) {
        if self.sets.len_of(self.symbol_set_id(e)) == 1 {
            self.diagram(e, THOROUGH);
        }
    }
}

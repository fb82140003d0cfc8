//! The diagram of an expression of two bytes and many values, from its value for each input.
//!
//! A hash mixes its bytes in dozens of operations, and each result has up to 65,536 values. Making
//! the diagrams of all these results takes a look-up for each value of each; straight-line code
//! takes a nanosecond for each, and only the last result is kept.

use super::known::Diagrams;
use super::store::{Byte, Diagram};
use super::{BYTES, Known, WORTHWHILE};
use crate::ids::ExprId;
use crate::pool::Pool;

/// With fewer operations than this above diagrams that are known, these are the better way.
const OPERATIONS: usize = 4;
/// More operations than this are not put into code.
const MOST_OPERATIONS: usize = 1 << 10;

impl Pool {
    /// Computes the diagram of `root` without those of its parts. `None` if it is no number, or too
    /// little or too much is to be computed.
    pub(super) fn evaluated(&self, diagrams: &mut Diagrams, root: ExprId) -> Option<Diagram> {
        let bytes: Vec<Byte> = self.symbols(root).iter().collect();
        let &[first, second] = &bytes[..] else {
            return None;
        };
        let (first, second) = (first.min(second), first.max(second));
        if self.has_base(root) || !self.has_unknown_parts(diagrams, root) {
            return None;
        }
        let mut code =
            self.straight_in_stages(&[root], &[first, second], &[0, 1], MOST_OPERATIONS)?;
        let store = &mut diagrams.store;
        let all = store.all_values();
        let mut rows = Vec::with_capacity(256);
        for high in 0..=u8::MAX {
            code.run_stage(0, &[high, 0]);
            let mut row = Vec::with_capacity(256);
            for low in 0..=u8::MAX {
                code.run_stage(1, &[high, low]);
                row.push(store.number(code.value_of(0)));
            }
            rows.push(store.node(second, all, row));
        }
        Some(store.node(first, all, rows))
    }

    /// Whether there are several parts of as many bytes as `root` has whose diagrams are not known.
    fn has_unknown_parts(&self, diagrams: &Diagrams, root: ExprId) -> bool {
        let (mut stack, mut unknown) = (vec![root], rustc_hash::FxHashSet::default());
        while let Some(e) = stack.pop() {
            let known = matches!(diagrams.known.get(&e), Some(Known::Diagram(_)));
            if known || self.sets.len_of(self.symbol_set_id(e)) < BYTES || !unknown.insert(e) {
                continue;
            }
            if unknown.len() >= OPERATIONS {
                return true;
            }
            self.node(e).for_each_operand(|operand| stack.push(operand));
        }
        false
    }
}

/// What such a diagram takes, in steps.
pub(super) const STEPS: usize = WORTHWHILE;

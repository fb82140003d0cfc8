//! Operations on reads of constant tables are reads of tables of results.
//!
//! A pointer that was read from a table at a symbolic index, its place, its size, the bytes behind
//! it: all are functions of that one index. Computing them element by element keeps them so: a read
//! through a read is one read of a table as long as the inner one, and a bounds check on it is a few
//! comparisons of the index, or none. This is what keeps the cost of a segment independent of its
//! size: what reaches the solver is as long as the table that the program indexed first.

use std::sync::Arc;

use crate::ids::{ExprId, TableId};
use crate::node::Node;
use crate::pool::Pool;
use crate::simplify::slices::LONG_TABLE;
use crate::table::{Derivation, Lifted, Operand};

/// Longest table on which arithmetic is done element by element: beyond it, a loop that adds to
/// what it read would cost more than the expression it saves.
const SHORT_TABLE: usize = 256;

impl Pool {
    /// An operation on two reads of constant tables at one index, or on such a read and a
    /// constant, as one read.
    pub(crate) fn lift(&mut self, op: Lifted, a: ExprId, b: ExprId) -> Option<ExprId> {
        let ((a, i), (b, j)) = (self.lift_operand(a)?, self.lift_operand(b)?);
        let index = match (i, j) {
            (Some(i), Some(j)) if i != j => return None,
            (Some(i), _) | (None, Some(i)) => i,
            (None, None) => return None,
        };
        self.lift_at(op, a, b, index)
    }

    /// The same for one operand.
    pub(crate) fn lift_unary(&mut self, op: Lifted, a: ExprId) -> Option<ExprId> {
        let (a, index) = self.lift_operand(a)?;
        self.lift_at(op, a, a, index?)
    }

    fn lift_at(&mut self, op: Lifted, a: Operand, b: Operand, index: ExprId) -> Option<ExprId> {
        let limit = match op {
            Lifted::Compare(_) => LONG_TABLE,
            _ => SHORT_TABLE,
        };
        let (of_a, of_b) = (self.lift_elements(a), self.lift_elements(b));
        let len = of_a.len().max(of_b.len());
        if len > limit {
            return None;
        }
        let lifted = self.derived(Derivation::Lift { op, a, b }, |pool| {
            let at = |elements: &[ExprId], at: usize| elements[at.min(elements.len() - 1)];
            (0..len)
                .map(|i| pool.lift_element(op, at(&of_a, i), at(&of_b, i)))
                .collect()
        })?;
        Some(self.read(lifted, index))
    }

    fn lift_element(&mut self, op: Lifted, a: ExprId, b: ExprId) -> Option<ExprId> {
        match op {
            Lifted::Binary(op) => self.fold_binary(op, a, b),
            Lifted::Compare(op) => self.fold_compare(op, a, b),
            Lifted::Concat => Some(self.concat(a, b)),
            Lifted::ZExt(width) => Some(self.zext(a, width)),
            Lifted::SExt(width) => Some(self.sext(a, width)),
            Lifted::Not => Some(self.not(a)),
        }
    }

    fn lift_operand(&self, e: ExprId) -> Option<(Operand, Option<ExprId>)> {
        match self.node(e) {
            Node::Const(_) | Node::Wide(_) => Some((Operand::Constant(e), None)),
            Node::Read(table, index) if self.table_is_constant(table) => {
                Some((Operand::Table(table), Some(index)))
            }
            _ => None,
        }
    }

    fn lift_elements(&self, operand: Operand) -> Arc<[ExprId]> {
        match operand {
            Operand::Constant(e) => Arc::new([e]),
            Operand::Table(table) => self.shared_elements(table),
        }
    }

    /// A read whose index was itself read from a table of constants: one read, of the elements
    /// that the inner table leads to.
    pub(crate) fn compose(&mut self, outer: TableId, index: ExprId) -> Option<ExprId> {
        let Node::Read(inner, index) = self.node(index) else {
            return None;
        };
        if !self.table_is_constant(inner) || self.table_elements(inner).len() > LONG_TABLE {
            return None;
        }
        let composed = self.derived(Derivation::Compose { outer, inner }, |pool| {
            let (outer, inner) = (pool.shared_elements(outer), pool.shared_elements(inner));
            let last = outer.len() as u64 - 1;
            inner
                .iter()
                .map(|&at| Some(outer[pool.as_u64(at)?.min(last) as usize]))
                .collect()
        })?;
        Some(self.read(composed, index))
    }
}

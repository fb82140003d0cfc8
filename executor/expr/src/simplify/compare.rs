//! Orders. `Ult` and `Slt` only, with operands as narrow as they can be and, against a constant,
//! the constant on the right; so that a condition and its negation are recognised as such.

use crate::flags::{IS_SEXT, PLAIN, compared_as_they_are};
use crate::ids::ExprId;
use crate::node::{CompareOp, Node};
use crate::pool::{FALSE, Pool, TRUE};

impl Pool {
    /// `a < b`, unsigned, 1 bit wide. Bases compare by number.
    pub fn ult(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let (a, b) = (self.number(a), self.number(b));
        if a == b {
            return FALSE;
        }
        if let Some(folded) = self.fold_or_hoist_compare(CompareOp::Ult, a, b) {
            return folded;
        }
        let width = self.width(a);
        if width == 1 {
            let not_a = self.not(a);
            return self.and(not_a, b);
        }
        let (of_a, of_b) = (self.flags(a), self.flags(b));
        // A range that is not plain is needed on both sides, or a constant, which is met below.
        if (of_a | of_b) & PLAIN == 0 {
            let (x, y) = (self.range(a), self.range(b));
            if x.1 < y.0 {
                return TRUE;
            }
            if x.0 >= y.1 {
                return FALSE;
            }
        }
        if compared_as_they_are(of_a, of_b) {
            return self.intern(Node::Compare(CompareOp::Ult, a, b), 1);
        }
        if self.is_constant(b) {
            return self.ult_constant(a, b);
        }
        if self.is_constant(a) {
            // c < x is the negation of x < c + 1.
            if self.is_all_ones(a) {
                return FALSE;
            }
            let one = self.constant(width, 1);
            let bound = self.add(a, one);
            let below = self.ult(b, bound);
            return self.not(below);
        }
        match (self.node(a), self.node(b)) {
            (Node::ZExt(x), Node::ZExt(y)) => {
                let width = self.width(x).max(self.width(y));
                let (x, y) = (self.zext(x, width), self.zext(y, width));
                self.ult(x, y)
            }
            (Node::SExt(x), Node::SExt(y)) if self.width(x) == self.width(y) => self.ult(x, y),
            (Node::Concat(h, l), Node::Concat(i, m)) if l == m => self.ult(h, i),
            (Node::Concat(h, l), Node::Concat(i, m))
                if h == i && self.width(l) == self.width(m) =>
            {
                self.ult(l, m)
            }
            (Node::Not(x), Node::Not(y)) => self.ult(y, x),
            _ => self.intern(Node::Compare(CompareOp::Ult, a, b), 1),
        }
    }

    /// `a < c` for a constant `c`.
    fn ult_constant(&mut self, a: ExprId, c: ExprId) -> ExprId {
        let width = self.width(a);
        if self.is_zero(c) {
            return FALSE;
        }
        if self.log2(c) == Some(0) {
            let zero = self.zero(width);
            return self.eq(a, zero);
        }
        if self.is_all_ones(c) {
            return self.ne(a, c);
        }
        let plain = Node::Compare(CompareOp::Ult, a, c);
        match self.node(a) {
            Node::ZExt(x) => {
                let narrow = self.extract(c, 0, self.width(x));
                if self.zext(narrow, width) == c {
                    self.ult(x, narrow)
                } else {
                    TRUE
                }
            }
            Node::Not(x) => {
                let c = self.not(c);
                self.ult(c, x)
            }
            Node::Concat(high, low) if self.is_constant(low) => {
                let seam = self.width(low);
                let c_high = self.extract(c, seam, self.width(high));
                let c_low = self.extract(c, 0, seam);
                // Equal high parts are enough when the low part is smaller.
                if self.ult(low, c_low) == TRUE {
                    self.ule(high, c_high)
                } else {
                    self.ult(high, c_high)
                }
            }
            Node::Concat(high, low) if self.fits(c, self.width(low)) && self.enter() => {
                // The bytes of a small number are bounded one by one, which solvers need not see.
                let zero = self.zero(self.width(high));
                let c_low = self.extract(c, 0, self.width(low));
                let (high, low) = (self.eq(high, zero), self.ult(low, c_low));
                self.leave();
                self.and(high, low)
            }
            Node::Ite(d, x, y) if (self.is_constant(x) || self.is_constant(y)) && self.enter() => {
                let (x, y) = (self.ult(x, c), self.ult(y, c));
                self.leave();
                self.ite(d, x, y)
            }
            Node::Read(table, index) if width <= 64 && self.table_is_constant(table) => {
                let found = self
                    .as_u64(c)
                    .and_then(|c| self.table_predicate(table, index, |value| value < c));
                found.unwrap_or_else(|| self.intern(plain, 1))
            }
            _ => self.intern(plain, 1),
        }
    }

    /// `a < b`, signed, 1 bit wide. Bases compare by number.
    pub fn slt(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let (a, b) = (self.number(a), self.number(b));
        if a == b {
            return FALSE;
        }
        if let Some(folded) = self.fold_or_hoist_compare(CompareOp::Slt, a, b) {
            return folded;
        }
        let width = self.width(a);
        if width == 1 {
            let not_b = self.not(b);
            return self.and(a, not_b);
        }
        let (of_a, of_b) = (self.flags(a), self.flags(b));
        let unknown = of_a & of_b & PLAIN != 0 && (of_a | of_b) & IS_SEXT == 0;
        if unknown && compared_as_they_are(of_a, of_b) {
            return self.intern(Node::Compare(CompareOp::Slt, a, b), 1);
        }
        if width <= 64 {
            let (x, y) = (self.signed_range(a), self.signed_range(b));
            if x.1 < y.0 {
                return TRUE;
            }
            if x.0 >= y.1 {
                return FALSE;
            }
            if (x.0 >= 0 && y.0 >= 0) || (x.1 < 0 && y.1 < 0) {
                return self.ult(a, b);
            }
        } else if self.not_negative(a) && self.not_negative(b) {
            return self.ult(a, b);
        }
        if self.is_zero(b) {
            return self.extract(a, width - 1, 1);
        }
        if self.is_constant(a) {
            // c < x is the negation of x < c + 1; c is not the largest value (by its range, or
            // checked here when it is wider).
            let one = self.constant(width, 1);
            let bound = self.add(a, one);
            if self.slt(a, bound) == FALSE {
                return FALSE;
            }
            let below = self.slt(b, bound);
            return self.not(below);
        }
        match (self.node(a), self.node(b)) {
            (Node::SExt(x), Node::SExt(y)) if self.width(x) == self.width(y) => self.slt(x, y),
            (Node::SExt(x), _) if self.is_constant(b) => {
                let narrow = self.extract(b, 0, self.width(x));
                if self.sext(narrow, width) == b {
                    self.slt(x, narrow)
                } else {
                    self.intern(Node::Compare(CompareOp::Slt, a, b), 1)
                }
            }
            (Node::Not(x), Node::Not(y)) => self.slt(y, x),
            (Node::Ite(d, x, y), _)
                if self.is_constant(b)
                    && (self.is_constant(x) || self.is_constant(y))
                    && self.enter() =>
            {
                let (x, y) = (self.slt(x, b), self.slt(y, b));
                self.leave();
                self.ite(d, x, y)
            }
            _ => self.intern(Node::Compare(CompareOp::Slt, a, b), 1),
        }
    }

    /// Whether the constant `c` is less than 2^bits.
    fn fits(&mut self, c: ExprId, bits: u32) -> bool {
        let high = self.extract(c, bits, self.width(c) - bits);
        self.is_zero(high)
    }
}

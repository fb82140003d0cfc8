//! Equality. What is done to both sides alike is undone; against a constant, the operation is
//! inverted until the bare operand is compared.

use crate::flags::{HAS_BASE, IS_DIFFERENCE, IS_SUM, IS_XOR, PLAIN, compared_as_they_are};
use crate::ids::ExprId;
use crate::node::{BinaryOp, CompareOp, Node};
use crate::pool::{FALSE, Pool, TRUE};

impl Pool {
    /// `a == b`, 1 bit wide. Bases compare by number.
    pub fn eq(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if a == b {
            return TRUE;
        }
        if (self.flags(a) | self.flags(b)) & HAS_BASE != 0 {
            let (a, b) = self.cancel_base(a, b);
            return self.eq(a, b);
        }
        if let Some(folded) = self.fold_or_hoist_compare(CompareOp::Eq, a, b) {
            return folded;
        }
        if self.width(a) == 1 {
            let differ = self.xor(a, b);
            return self.not(differ);
        }
        let (of_a, of_b) = (self.flags(a), self.flags(b));
        if (of_a | of_b) & PLAIN == 0 && self.never_equal(a, b) {
            return FALSE;
        }
        let (a, b) = self.ordered(a, b);
        let sums = (of_a | of_b) & (IS_SUM | IS_DIFFERENCE | IS_XOR);
        if sums == 0 && compared_as_they_are(of_a, of_b) {
            return self.intern(Node::Compare(CompareOp::Eq, a, b), 1);
        }
        if self.is_constant(b) {
            return self.eq_constant(a, b);
        }
        if let Some((x, y)) = self.peel_equal(a, b) {
            return self.eq(x, y);
        }
        self.intern(Node::Compare(CompareOp::Eq, a, b), 1)
    }

    /// Whether the facts exclude equality.
    fn never_equal(&self, a: ExprId, b: ExprId) -> bool {
        if self.width(a) > 64 {
            return false;
        }
        let (x, y) = (self.facts(a), self.facts(b));
        x.hi < y.lo
            || y.hi < x.lo
            || x.bits.ones & y.bits.zeros != 0
            || x.bits.zeros & y.bits.ones != 0
    }

    /// Simpler operands that are equal exactly when `a` and `b` are.
    fn peel_equal(&mut self, a: ExprId, b: ExprId) -> Option<(ExprId, ExprId)> {
        match (self.node(a), self.node(b)) {
            (Node::Not(x), Node::Not(y)) => return Some((x, y)),
            (Node::ZExt(x), Node::ZExt(y)) | (Node::SExt(x), Node::SExt(y)) => {
                let (from_x, from_y) = (self.width(x), self.width(y));
                if from_x == from_y {
                    return Some((x, y));
                }
                if let Node::ZExt(_) = self.node(a) {
                    let width = from_x.max(from_y);
                    return Some((self.zext(x, width), self.zext(y, width)));
                }
            }
            (Node::Concat(h, l), Node::Concat(i, m)) if h == i || l == m => {
                if h == i && self.width(l) == self.width(m) {
                    return Some((l, m));
                }
                if l == m {
                    return Some((h, i));
                }
            }
            _ => {}
        }
        if let ((x, Some(c)), (y, other)) | ((y, other), (x, Some(c))) =
            (self.split_sum(a), self.split_sum(b))
        {
            // x + c == y + d: the constants on one side.
            let zero = self.zero(self.width(a));
            let difference = self.sub(c, other.unwrap_or(zero));
            if self.is_zero(difference) {
                return Some((x, y));
            }
            if x == y {
                return Some((difference, zero));
            }
            if other.is_some() {
                return Some((self.add(x, difference), y));
            }
        }
        for (x, y) in [(a, b), (b, a)] {
            if let Node::Binary(op, p, q) = self.node(x) {
                let rest = match op {
                    BinaryOp::Add | BinaryOp::Xor if p == y => Some(q),
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Xor if q == y => {
                        if op == BinaryOp::Sub { None } else { Some(p) }
                    }
                    BinaryOp::Sub if p == y => Some(q),
                    _ => None,
                };
                if let Some(rest) = rest {
                    return Some((rest, self.zero(self.width(a))));
                }
            }
        }
        None
    }

    /// `a == c` for a constant `c`.
    fn eq_constant(&mut self, a: ExprId, c: ExprId) -> ExprId {
        let plain = Node::Compare(CompareOp::Eq, a, c);
        match self.node(a) {
            Node::Binary(BinaryOp::Add, x, d) if self.is_constant(d) => {
                let c = self.sub(c, d);
                self.eq(x, c)
            }
            Node::Binary(BinaryOp::Sub, d, x) if self.is_constant(d) => {
                let c = self.sub(d, c);
                self.eq(x, c)
            }
            Node::Binary(BinaryOp::Sub | BinaryOp::Xor, x, y) if self.is_zero(c) => self.eq(x, y),
            Node::Binary(BinaryOp::Xor, x, d) if self.is_constant(d) => {
                let c = self.xor(c, d);
                self.eq(x, c)
            }
            Node::Binary(BinaryOp::Or, x, y) if self.is_zero(c) && self.enter() => {
                let (x, y) = (self.eq(x, c), self.eq(y, c));
                self.leave();
                self.and(x, y)
            }
            Node::Binary(BinaryOp::And, x, y) if self.is_all_ones(c) && self.enter() => {
                let (x, y) = (self.eq(x, c), self.eq(y, c));
                self.leave();
                self.and(x, y)
            }
            Node::Binary(BinaryOp::Mul, x, d) => match (self.as_u64(d), self.as_u64(c)) {
                (Some(factor), Some(product)) if factor % 2 == 1 => {
                    let value = product.wrapping_mul(inverse(factor));
                    let c = self.constant(self.width(a), value);
                    self.eq(x, c)
                }
                _ => self.intern(plain, 1),
            },
            Node::Not(x) => {
                let c = self.not(c);
                self.eq(x, c)
            }
            Node::ZExt(x) => {
                let narrow = self.extract(c, 0, self.width(x));
                if self.zext(narrow, self.width(a)) == c {
                    self.eq(x, narrow)
                } else {
                    FALSE
                }
            }
            Node::SExt(x) => {
                let narrow = self.extract(c, 0, self.width(x));
                if self.sext(narrow, self.width(a)) == c {
                    self.eq(x, narrow)
                } else {
                    FALSE
                }
            }
            Node::Concat(high, low) if self.splits_against_constant(high, low) && self.enter() => {
                let seam = self.width(low);
                let c_high = self.extract(c, seam, self.width(high));
                let c_low = self.extract(c, 0, seam);
                let (high, low) = (self.eq(high, c_high), self.eq(low, c_low));
                self.leave();
                self.and(high, low)
            }
            Node::Ite(d, x, y) if (self.is_constant(x) || self.is_constant(y)) && self.enter() => {
                let (x, y) = (self.eq(x, c), self.eq(y, c));
                self.leave();
                self.ite(d, x, y)
            }
            Node::Read(table, index) if self.width(a) <= 64 && self.table_is_constant(table) => {
                let found = self
                    .as_u64(c)
                    .and_then(|c| self.table_predicate(table, index, |value| value == c));
                found.unwrap_or_else(|| self.intern(plain, 1))
            }
            _ => self.intern(plain, 1),
        }
    }

    /// Whether comparing a concatenation piece by piece gets rid of a piece.
    fn splits_against_constant(&self, high: ExprId, low: ExprId) -> bool {
        let decided =
            |e| self.is_constant(e) || matches!(self.node(e), Node::ZExt(_) | Node::SExt(_));
        let rest = match self.node(low) {
            Node::Concat(next, _) => next,
            _ => low,
        };
        decided(high) || decided(low) || decided(rest)
    }
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration.
const fn inverse(odd: u64) -> u64 {
    let mut x = odd; // correct to 3 bits; each step doubles that
    let mut step = 0;
    while step < 5 {
        x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
        step += 1;
    }
    x
}

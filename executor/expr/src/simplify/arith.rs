//! Sums, differences and products. Constants float to the outside of a sum, so that chains of
//! additions are one addition; the base of a pointer stays leftmost, and differences of pointers
//! into one object lose it.

use crate::flags::{IS_DIFFERENCE, IS_PRODUCT, IS_SUM, SCALED, as_it_is};
use crate::ids::{ExprId, ObjectId};
use crate::node::{BinaryOp, Node};
use crate::pool::Pool;

/// How deep below a sum its base is looked for.
const CHAIN: usize = 16;

impl Pool {
    /// `a + b`.
    pub fn add(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.width(a);
        if width == 1 {
            return self.xor(a, b);
        }
        if a != b && as_it_is(IS_SUM, self.flags(a), self.flags(b)) {
            let (a, b) = self.ordered(a, b);
            return self.intern(Node::Binary(BinaryOp::Add, a, b), width);
        }
        if let Some(folded) = self.fold_or_hoist(BinaryOp::Add, a, b) {
            return folded;
        }
        let (a, b) = self.ordered(a, b);
        if self.is_constant(b) {
            return self.add_constant(a, b);
        }
        let ((x, cx), (y, cy)) = (self.split_sum(a), self.split_sum(b));
        let constant = match (cx, cy) {
            (Some(cx), Some(cy)) => self.fold_binary(BinaryOp::Add, cx, cy),
            (c, None) | (None, c) => c,
        };
        let terms = self.add_terms(x, y);
        match constant {
            Some(c) => self.add(terms, c),
            None => terms,
        }
    }

    /// A sum as its variable part and its constant, if it has one.
    pub(crate) fn split_sum(&self, e: ExprId) -> (ExprId, Option<ExprId>) {
        match self.node(e) {
            Node::Binary(BinaryOp::Add, x, c) if self.is_constant(c) => (x, Some(c)),
            _ => (e, None),
        }
    }

    fn add_constant(&mut self, a: ExprId, c: ExprId) -> ExprId {
        if self.is_zero(c) {
            return a;
        }
        match self.node(a) {
            Node::Binary(BinaryOp::Add, x, c1) if self.is_constant(c1) => {
                let c = self.add(c1, c);
                self.add_constant(x, c)
            }
            Node::Binary(BinaryOp::Sub, c1, x) if self.is_constant(c1) => {
                let c = self.add(c1, c);
                self.sub(c, x)
            }
            Node::Not(x) => {
                // !x + c = (c - 1) - x
                let width = self.width(a);
                let one = self.constant(width, 1);
                let c = self.sub(c, one);
                self.sub(c, x)
            }
            _ => self.intern(Node::Binary(BinaryOp::Add, a, c), self.width(a)),
        }
    }

    /// The sum of two expressions without an outermost constant summand.
    fn add_terms(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let (mut a, mut b) = (a, b);
        if self.has_base(a) && self.has_base(b) && self.is_pointer(a) != self.is_pointer(b) {
            // A pointer plus a number that was computed from pointers.
            if self.is_pointer(a) {
                b = self.number(b);
            } else {
                a = self.number(a);
            }
            return self.add(a, b);
        }
        for (x, y) in [(a, b), (b, a)] {
            match self.node(x) {
                Node::Binary(BinaryOp::Sub, p, q) if q == y => return p,
                Node::Binary(BinaryOp::Sub, c, q) if self.is_constant(c) => {
                    let difference = self.sub(y, q);
                    return self.add(difference, c);
                }
                Node::Not(p) if p == y => return self.all_ones(self.width(a)),
                _ => {}
            }
        }
        if a == b && !self.has_base(a) {
            return self.shl_constant(a, 1);
        }
        if self.disjoint(a, b) && self.is_piecewise(a) && self.is_piecewise(b) {
            return self.or(a, b);
        }
        if let Some(multiple) = self.combine(a, b, u64::wrapping_add) {
            return multiple;
        }
        let (a, b) = self.ordered(a, b);
        self.intern(Node::Binary(BinaryOp::Add, a, b), self.width(a))
    }

    /// `e` as a factor of something simpler: `x` and `c` where `e` is `x`, zero-extended if
    /// narrower, times `c`. Shifts count as factors.
    fn as_multiple(&self, e: ExprId) -> (ExprId, u64) {
        let width = self.width(e);
        let narrow = |e| match self.node(e) {
            Node::ZExt(x) => x,
            _ => e,
        };
        match self.node(narrow(e)) {
            Node::Binary(BinaryOp::Mul, x, c) if self.width(x) == width => {
                self.as_u64(c).map_or((e, 1), |c| (narrow(x), c))
            }
            Node::Concat(high, zeros) if self.is_zero(zeros) => {
                let factor = 1 << self.width(zeros);
                match self.node(high) {
                    Node::Extract { value, low: 0 } if self.width(value) == width => {
                        (narrow(value), factor)
                    }
                    _ => (high, factor),
                }
            }
            _ => (narrow(e), 1),
        }
    }

    /// The sum or difference of two multiples of one expression as one multiple: `x * 32 + x` is
    /// `x * 33`.
    fn combine(&mut self, a: ExprId, b: ExprId, op: fn(u64, u64) -> u64) -> Option<ExprId> {
        let width = self.width(a);
        if width > 64 || self.has_base(a) || self.has_base(b) {
            return None;
        }
        if a != b && (self.flags(a) | self.flags(b)) & SCALED == 0 {
            return None;
        }
        let ((x, c), (y, d)) = (self.as_multiple(a), self.as_multiple(b));
        if x != y {
            return None;
        }
        let (x, factor) = (self.zext(x, width), self.constant(width, op(c, d)));
        Some(self.mul(x, factor))
    }

    /// `a - b`.
    pub fn sub(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.width(a);
        if width == 1 {
            return self.xor(a, b);
        }
        if a != b && as_it_is(IS_DIFFERENCE, self.flags(a), self.flags(b)) {
            return self.intern(Node::Binary(BinaryOp::Sub, a, b), width);
        }
        if let Some(folded) = self.fold_or_hoist(BinaryOp::Sub, a, b) {
            return folded;
        }
        if a == b {
            return self.zero(width);
        }
        if self.is_constant(b) {
            let zero = self.zero(width);
            let negated = self.sub(zero, b);
            return self.add(a, negated);
        }
        if self.has_base(b) {
            let (a, b) = self.cancel_base(a, b);
            return self.sub(a, b);
        }
        if let (x, Some(c)) = self.split_sum(b) {
            let difference = self.sub(a, x);
            let zero = self.zero(width);
            let negated = self.sub(zero, c);
            return self.add(difference, negated);
        }
        if let (x, Some(c)) = self.split_sum(a) {
            let difference = self.sub(x, b);
            return self.add(difference, c);
        }
        if let Some(simpler) = self.sub_terms(a, b) {
            return simpler;
        }
        if let Some(multiple) = self.combine(a, b, u64::wrapping_sub) {
            return multiple;
        }
        self.intern(Node::Binary(BinaryOp::Sub, a, b), width)
    }

    fn sub_terms(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        if self.is_all_ones(a) {
            return Some(self.not(b));
        }
        match self.node(b) {
            Node::Binary(BinaryOp::Sub, c, y) if self.is_constant(c) => {
                let sum = self.add(a, y);
                return Some(self.sub(sum, c));
            }
            Node::Binary(BinaryOp::Sub, x, y) if x == a => return Some(y),
            Node::Not(x) if self.is_constant(a) => {
                // c - !x = x + (c + 1)
                let one = self.constant(self.width(a), 1);
                let c = self.add(a, one);
                return Some(self.add(x, c));
            }
            _ => {}
        }
        let zero = self.zero(self.width(a));
        match (self.node(a), self.node(b)) {
            (Node::Binary(BinaryOp::Add, x, y), _) if x == b => Some(y),
            (Node::Binary(BinaryOp::Add, x, y), _) if y == b => Some(x),
            (_, Node::Binary(BinaryOp::Add, x, y)) if x == a => Some(self.sub(zero, y)),
            (_, Node::Binary(BinaryOp::Add, x, y)) if y == a => Some(self.sub(zero, x)),
            (Node::Binary(BinaryOp::Add, x, y), Node::Binary(BinaryOp::Add, u, v)) => {
                let (rest, other) = if x == u {
                    (y, v)
                } else if x == v {
                    (y, u)
                } else if y == u {
                    (x, v)
                } else if y == v {
                    (x, u)
                } else {
                    return None;
                };
                Some(self.sub(rest, other))
            }
            (Node::Const(0), Node::Binary(BinaryOp::Sub, x, y)) => Some(self.sub(y, x)),
            _ => None,
        }
    }

    /// A sum whose leftmost summand is a base, as that object and the sum of the rest.
    pub(crate) fn split_base(&mut self, e: ExprId) -> Option<(ObjectId, ExprId)> {
        if !self.is_pointer(e) {
            return None;
        }
        let mut rest = Vec::new();
        let mut at = e;
        let object = loop {
            match self.node(at) {
                Node::Base(object) => break object,
                Node::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), x, y)
                    if rest.len() < CHAIN && self.is_pointer(x) =>
                {
                    rest.push((op, y));
                    at = x;
                }
                _ => return None,
            }
        };
        let mut sum = self.zero(64);
        for &(op, term) in rest.iter().rev() {
            sum = self.binary(op, sum, term);
        }
        Some((object, sum))
    }

    /// Two operands of a difference or an equality, at least one with a base: without it when
    /// both lie in one object, else as numbers.
    pub(crate) fn cancel_base(&mut self, a: ExprId, b: ExprId) -> (ExprId, ExprId) {
        if let (Some((x, a)), Some((y, b))) = (self.split_base(a), self.split_base(b))
            && x == y
        {
            return (a, b);
        }
        (self.number(a), self.number(b))
    }

    /// `a * b`.
    pub fn mul(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.width(a);
        if width == 1 {
            return self.and(a, b);
        }
        if as_it_is(IS_PRODUCT, self.flags(a), self.flags(b)) {
            let (a, b) = self.ordered(a, b);
            return self.intern(Node::Binary(BinaryOp::Mul, a, b), width);
        }
        let (a, b) = (self.number(a), self.number(b));
        if let Some(folded) = self.fold_or_hoist(BinaryOp::Mul, a, b) {
            return folded;
        }
        let (a, b) = self.ordered(a, b);
        if self.is_constant(b) {
            if self.is_zero(b) {
                return b;
            }
            if self.is_all_ones(b) {
                let zero = self.zero(width);
                return self.sub(zero, a);
            }
            match self.node(a) {
                Node::Binary(BinaryOp::Add, x, c) if self.is_constant(c) => {
                    let (product, c) = (self.mul(x, b), self.mul(c, b));
                    return self.add(product, c);
                }
                Node::Binary(BinaryOp::Mul, x, c) if self.is_constant(c) => {
                    let c = self.mul(c, b);
                    return self.mul(x, c);
                }
                _ => {}
            }
            if let Some(shift) = self.log2(b) {
                return self.shl_constant(a, shift);
            }
        }
        self.intern(Node::Binary(BinaryOp::Mul, a, b), width)
    }
}

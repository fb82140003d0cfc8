//! Cutting, joining and widening. Pieces of one value that are joined again become that value;
//! joins lean to the right; zeros above are a zero-extension.

use crate::flags::{FOLDS, IS_CONSTANT, IS_EXTRACT, IS_SEXT, IS_ZEXT, PIECES, PLAIN};
use crate::ids::ExprId;
use crate::limbs;
use crate::node::{BinaryOp, Node};
use crate::pool::Pool;
use crate::table::{Derivation, Lifted};

/// Longest table that is rewritten element by element during simplification.
pub(super) const LONG_TABLE: usize = 4096;

impl Pool {
    /// `width` bits of `e` from bit `low` upwards.
    pub fn extract(&mut self, e: ExprId, low: u32, width: u32) -> ExprId {
        let (mut e, mut low) = (e, low);
        debug_assert!(
            width > 0 && low + width <= self.width(e),
            "extract beyond the operand"
        );
        loop {
            let from = self.width(e);
            if low == 0 && width == from {
                return e;
            }
            match self.node(e) {
                Node::Const(value) => return self.constant(width, value >> low),
                Node::Wide(at) => {
                    let value = limbs::extract(self.wide_constant(at), low, width);
                    return self.constant_limbs(width, &value);
                }
                Node::Extract { value, low: below } => (e, low) = (value, low + below),
                Node::ZExt(x) => {
                    let inner = self.width(x);
                    if low >= inner {
                        return self.zero(width);
                    }
                    if low + width > inner {
                        let kept = self.extract(x, low, inner - low);
                        return self.zext(kept, width);
                    }
                    e = x;
                }
                Node::SExt(x) => {
                    let inner = self.width(x);
                    if low + width > inner {
                        let first = low.min(inner - 1);
                        let kept = self.extract(x, first, inner - first);
                        return self.sext(kept, width);
                    }
                    e = x;
                }
                Node::Concat(high, lower) => {
                    let seam = self.width(lower);
                    if low >= seam {
                        (e, low) = (high, low - seam);
                    } else if low + width <= seam {
                        e = lower;
                    } else {
                        return self.extract_across(e, low, width);
                    }
                }
                _ => return self.extract_operation(e, low, width),
            }
        }
    }

    /// From both operands of a concatenation.
    fn extract_across(&mut self, e: ExprId, low: u32, width: u32) -> ExprId {
        if let Node::Concat(high, lower) = self.node(e)
            && self.enter()
        {
            let seam = self.width(lower);
            let high = self.extract(high, 0, low + width - seam);
            let lower = self.extract(lower, low, seam - low);
            let joined = self.concat(high, lower);
            self.leave();
            return joined;
        }
        self.intern(Node::Extract { value: e, low }, width)
    }

    /// From an operation: its operands are cut instead where that makes them simpler.
    fn extract_operation(&mut self, e: ExprId, low: u32, width: u32) -> ExprId {
        let plain = Node::Extract { value: e, low };
        match self.node(e) {
            Node::Not(x) if self.enter() => {
                let x = self.extract(x, low, width);
                self.leave();
                self.not(x)
            }
            Node::Ite(c, x, y) if self.is_sliceable(x) && self.is_sliceable(y) && self.enter() => {
                let (x, y) = (self.extract(x, low, width), self.extract(y, low, width));
                self.leave();
                self.ite(c, x, y)
            }
            Node::Binary(op, x, y) if self.can_cut(op, x, y, low) && self.enter() => {
                let (x, y) = (self.extract(x, low, width), self.extract(y, low, width));
                let cut = self.binary(op, x, y);
                self.leave();
                cut
            }
            Node::Binary(BinaryOp::Add, x, c)
                if low > 0
                    && self.is_constant(c)
                    && !self.has_base(x)
                    && self.known_bits(x).zeros.trailing_ones() >= low
                    && self.enter() =>
            {
                // No carry comes from below.
                let (x, c) = (self.extract(x, low, width), self.extract(c, low, width));
                self.leave();
                self.add(x, c)
            }
            Node::Binary(BinaryOp::Mul, x, c)
                if low > 0
                    && !self.has_base(x)
                    && self.as_u64(c).is_some_and(|c| c.trailing_zeros() == low)
                    && self.enter() =>
            {
                // The product of the odd part, moved down.
                let (x, c) = (self.extract(x, 0, width), self.extract(c, low, width));
                self.leave();
                self.mul(x, c)
            }
            Node::Read(table, index) if self.table_is_constant(table) => {
                let derivation = Derivation::Slice {
                    of: table,
                    low,
                    width,
                };
                let slice = self.derived(derivation, |pool| {
                    let elements = pool.shared_elements(table);
                    Some(
                        elements
                            .iter()
                            .map(|&e| pool.extract(e, low, width))
                            .collect(),
                    )
                });
                match slice {
                    Some(slice) => self.read(slice, index),
                    None => self.intern(plain, width),
                }
            }
            _ => self.intern(plain, width),
        }
    }

    /// Whether bits `low..` of an operation are the operation on those bits of its operands, and
    /// the operands get simpler by it: one of them for bitwise operations, both for arithmetic,
    /// which a solver would see twice if it were also needed whole. Pointers stay whole.
    fn can_cut(&self, op: BinaryOp, x: ExprId, y: ExprId, low: u32) -> bool {
        let simpler = match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {
                self.is_sliceable(x) || self.is_sliceable(y)
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                low == 0 && self.is_sliceable(x) && self.is_sliceable(y)
            }
            _ => false,
        };
        simpler && !self.has_base(x) && !self.has_base(y)
    }

    /// Whether a part of `e` is no larger than `e`.
    fn is_sliceable(&self, e: ExprId) -> bool {
        matches!(
            self.node(e),
            Node::Const(_)
                | Node::Wide(_)
                | Node::ZExt(_)
                | Node::SExt(_)
                | Node::Concat(..)
                | Node::Extract { .. }
        )
    }

    /// The bits of `high` above those of `low`.
    pub fn concat(&mut self, high: ExprId, low: ExprId) -> ExprId {
        if self.joined_as_they_are(high, low) {
            let width = self.width(high) + self.width(low);
            return self.intern(Node::Concat(high, low), width);
        }
        let mut pieces = smallvec::SmallVec::<[ExprId; 8]>::new();
        let mut last = high;
        while let Node::Concat(piece, rest) = self.node(last) {
            pieces.push(piece);
            last = rest;
        }
        let mut joined = self.concat_piece(last, low);
        while let Some(piece) = pieces.pop() {
            joined = self.concat_piece(piece, joined);
        }
        joined
    }

    /// Whether no rule looks for a concatenation of these.
    fn joined_as_they_are(&self, high: ExprId, low: ExprId) -> bool {
        let of_high = self.flags(high);
        if of_high & (PIECES | IS_CONSTANT) != 0 {
            return false;
        }
        let merges = of_high & (FOLDS | IS_EXTRACT);
        merges & self.flags(low) == 0
            && match self.node(low) {
                Node::Concat(next, _) => merges & self.flags(next) == 0,
                _ => true,
            }
    }

    /// Joins a piece that is not itself a concatenation.
    fn concat_piece(&mut self, high: ExprId, low: ExprId) -> ExprId {
        let width = self.width(high) + self.width(low);
        if let Some(merged) = self.merge(high, low) {
            return merged;
        }
        if let Some(lifted) = self.lift(Lifted::Concat, high, low) {
            return lifted;
        }
        if self.is_zero(high) {
            return self.zext(low, width);
        }
        if let Node::ZExt(x) = self.node(high) {
            let joined = self.concat(x, low);
            return self.zext(joined, width);
        }
        if let Node::Concat(next, rest) = self.node(low)
            && let Some(merged) = self.merge(high, next)
        {
            return self.concat(merged, rest);
        }
        self.intern(Node::Concat(high, low), width)
    }

    /// Two neighbouring pieces as one simpler expression, if there is one.
    fn merge(&mut self, high: ExprId, low: ExprId) -> Option<ExprId> {
        let (high_width, low_width) = (self.width(high), self.width(low));
        let width = high_width + low_width;
        match (self.node(high), self.node(low)) {
            (
                Node::Extract {
                    value: x,
                    low: from,
                },
                Node::Extract { value: y, low },
            ) if x == y && low + low_width == from => Some(self.extract(x, low, width)),
            (Node::Const(h), Node::Const(l)) if width <= 64 => {
                Some(self.constant(width, h << low_width | l))
            }
            (Node::Const(_) | Node::Wide(_), Node::Const(_) | Node::Wide(_)) => {
                let (h, l) = (self.as_limbs(high)?, self.as_limbs(low)?);
                let value = limbs::concat(&h, &l, low_width, width);
                Some(self.constant_limbs(width, &value))
            }
            (Node::Ite(c, h1, h2), Node::Ite(d, l1, l2)) if c == d && self.enter() => {
                let (x, y) = (self.concat(h1, l1), self.concat(h2, l2));
                self.leave();
                Some(self.ite(c, x, y))
            }
            (Node::Ite(..), Node::Const(_)) => {
                let (c, x, y) = self.constant_arms(high)?;
                let (x, y) = (self.concat(x, low), self.concat(y, low));
                Some(self.ite(c, x, y))
            }
            (Node::Const(_), Node::Ite(..)) => {
                let (c, x, y) = self.constant_arms(low)?;
                let (x, y) = (self.concat(high, x), self.concat(high, y));
                Some(self.ite(c, x, y))
            }
            (Node::Read(h, i), Node::Read(l, j)) if i == j => {
                let elements = self.table_elements(h).len();
                if elements != self.table_elements(l).len() || elements > LONG_TABLE {
                    return None;
                }
                let joined = self.derived(Derivation::Concat { high: h, low: l }, |pool| {
                    let (h, l) = (pool.shared_elements(h), pool.shared_elements(l));
                    Some(
                        h.iter()
                            .zip(&*l)
                            .map(|(&h, &l)| pool.concat(h, l))
                            .collect(),
                    )
                })?;
                Some(self.read(joined, i))
            }
            _ => None,
        }
    }

    /// `e` with zeros above, `width` bits in all.
    pub fn zext(&mut self, e: ExprId, width: u32) -> ExprId {
        debug_assert!(width >= self.width(e), "zero-extension to fewer bits");
        if width == self.width(e) {
            return e;
        }
        if self.flags(e) & (FOLDS | IS_ZEXT) == 0 {
            return self.intern(Node::ZExt(e), width);
        }
        match self.node(e) {
            Node::Const(value) => self.constant(width, value),
            Node::Wide(at) => {
                let value = self.wide_constant(at).to_vec();
                self.constant_limbs(width, &value)
            }
            Node::ZExt(x) => self.intern(Node::ZExt(x), width),
            Node::Ite(c, x, y) if self.constant_arms(e).is_some() => {
                let (x, y) = (self.zext(x, width), self.zext(y, width));
                self.ite(c, x, y)
            }
            _ => match self.lift_unary(Lifted::ZExt(width), e) {
                Some(lifted) => lifted,
                None => self.intern(Node::ZExt(e), width),
            },
        }
    }

    /// `e` with copies of its highest bit above, `width` bits in all.
    pub fn sext(&mut self, e: ExprId, width: u32) -> ExprId {
        let from = self.width(e);
        debug_assert!(width >= from, "sign-extension to fewer bits");
        if width == from {
            return e;
        }
        if self.flags(e) & (FOLDS | IS_ZEXT | IS_SEXT | PLAIN) == PLAIN {
            return self.intern(Node::SExt(e), width);
        }
        match self.node(e) {
            Node::Const(value) if width <= 64 => {
                self.constant(width, crate::fold::sign_extend(value, from, width))
            }
            Node::Const(_) | Node::Wide(_) => {
                let value = self.as_limbs(e).unwrap_or_default();
                self.constant_limbs(width, &limbs::sign_extend(&value, from, width))
            }
            Node::SExt(x) => self.intern(Node::SExt(x), width),
            Node::Ite(c, x, y) if self.constant_arms(e).is_some() => {
                let (x, y) = (self.sext(x, width), self.sext(y, width));
                self.ite(c, x, y)
            }
            _ if self.not_negative(e) => self.zext(e, width),
            _ => match self.lift_unary(Lifted::SExt(width), e) {
                Some(lifted) => lifted,
                None => self.intern(Node::SExt(e), width),
            },
        }
    }
}

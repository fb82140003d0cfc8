//! Bitwise operations. A contiguous mask is an extraction between zeros; operands made of pieces
//! are combined piece by piece, so that `b0 | b1 << 8` is a concatenation of bytes.

use crate::flags::{FOLDS, HAS_SUMMAND, IS_AND, IS_DIFFERENCE, IS_NOT, IS_OR, IS_XOR, as_it_is};
use crate::ids::ExprId;
use crate::node::{BinaryOp, Node};
use crate::pool::Pool;
use crate::table::Lifted;

impl Pool {
    /// Bitwise complement; the negation of a condition.
    pub fn not(&mut self, a: ExprId) -> ExprId {
        let width = self.width(a);
        if self.flags(a) & (IS_NOT | FOLDS | HAS_SUMMAND | IS_DIFFERENCE) == 0 {
            return self.intern(Node::Not(a), width);
        }
        match self.node(a) {
            Node::Not(x) => x,
            Node::Const(value) => self.constant(width, !value),
            Node::Wide(at) => {
                let value = crate::limbs::not(self.wide_constant(at), width);
                self.constant_limbs(width, &value)
            }
            Node::Ite(c, x, y) if self.is_constant(x) && self.is_constant(y) => {
                let (x, y) = (self.not(x), self.not(y));
                self.ite(c, x, y)
            }
            Node::Binary(BinaryOp::Add, x, c) if self.is_constant(c) => {
                // !(x + c) = (-1 - c) - x
                let c = self.not(c);
                self.sub(c, x)
            }
            Node::Binary(BinaryOp::Sub, c, x) if self.is_constant(c) => {
                let c = self.not(c);
                self.add(x, c)
            }
            _ => match self.lift_unary(Lifted::Not, a) {
                Some(lifted) => lifted,
                None => self.intern(Node::Not(a), width),
            },
        }
    }

    /// Whether one is the complement of the other.
    fn opposite(&self, a: ExprId, b: ExprId) -> bool {
        (self.flags(a) | self.flags(b)) & IS_NOT != 0
            && (self.node(a) == Node::Not(b) || self.node(b) == Node::Not(a))
    }

    /// Whether no bit can be set in both.
    pub(crate) fn disjoint(&self, a: ExprId, b: ExprId) -> bool {
        let width = self.width(a);
        let zeros = self.known_bits(a).zeros | self.known_bits(b).zeros;
        width <= 64 && zeros == crate::fold::mask(width)
    }

    /// Bitwise and; the conjunction of conditions.
    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.width(a);
        if a != b && as_it_is(IS_AND, self.flags(a), self.flags(b)) {
            let (a, b) = self.ordered(a, b);
            return self.intern(Node::Binary(BinaryOp::And, a, b), width);
        }
        if let Some(folded) = self.fold_or_hoist(BinaryOp::And, a, b) {
            return folded;
        }
        let (a, b) = self.ordered(a, b);
        if a == b || self.is_all_ones(b) {
            return a;
        }
        if self.is_zero(b) || self.opposite(a, b) || self.disjoint(a, b) {
            return self.zero(width);
        }
        for (x, y) in [(a, b), (b, a)] {
            match self.node(x) {
                Node::Binary(BinaryOp::And, p, q) => {
                    if p == y || q == y {
                        return x;
                    }
                    if self.opposite(p, y) || self.opposite(q, y) {
                        return self.zero(width);
                    }
                    if self.is_constant(q) && self.is_constant(y) {
                        let mask = self.and(q, y);
                        return self.and(p, mask);
                    }
                }
                Node::Binary(BinaryOp::Or, p, q) => {
                    if p == y || q == y {
                        return y;
                    }
                    if self.opposite(p, y) {
                        return self.and(q, y);
                    }
                    if self.opposite(q, y) {
                        return self.and(p, y);
                    }
                }
                _ => {}
            }
        }
        if let Some(mask) = self.as_u64(b)
            && let Some(masked) = self.and_mask(a, mask)
        {
            return masked;
        }
        self.piecewise(BinaryOp::And, a, b)
    }

    fn and_mask(&mut self, a: ExprId, mask: u64) -> Option<ExprId> {
        let width = self.width(a);
        let possible = crate::fold::mask(width) & !self.known_bits(a).zeros;
        if possible & !mask == 0 {
            return Some(a);
        }
        if let Some(aligned) = self.align_pointer(a, mask) {
            return Some(aligned);
        }
        let low = mask.trailing_zeros();
        let run = (mask >> low).trailing_ones();
        if mask >> low != crate::fold::mask(run) {
            return None;
        }
        let kept = self.extract(a, low, run);
        let shifted = if low == 0 {
            kept
        } else {
            let zeros = self.zero(low);
            self.concat(kept, zeros)
        };
        Some(self.zext(shifted, width))
    }

    /// `(base + offset) & mask` where the base is aligned to the bits that the mask cuts between:
    /// still a pointer (high bits kept), or bits of the offset alone (low bits kept).
    fn align_pointer(&mut self, a: ExprId, mask: u64) -> Option<ExprId> {
        let (object, offset) = self.split_base(a)?;
        let alignment = self.object_number(object).trailing_zeros();
        let aligned = crate::fold::mask(alignment);
        let mask_expr = self.constant(64, mask);
        let cut = self.and(offset, mask_expr);
        if mask & !aligned == 0 {
            Some(cut)
        } else if !mask & !aligned == 0 {
            let base = self.base(object);
            Some(self.add(base, cut))
        } else {
            None
        }
    }

    /// Bitwise or; the disjunction of conditions.
    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.width(a);
        if a != b && as_it_is(IS_OR, self.flags(a), self.flags(b)) {
            let (a, b) = self.ordered(a, b);
            return self.intern(Node::Binary(BinaryOp::Or, a, b), width);
        }
        if let Some(folded) = self.fold_or_hoist(BinaryOp::Or, a, b) {
            return folded;
        }
        let (a, b) = self.ordered(a, b);
        if a == b || self.is_zero(b) {
            return a;
        }
        if self.is_all_ones(b) || self.opposite(a, b) {
            return self.all_ones(width);
        }
        for (x, y) in [(a, b), (b, a)] {
            match self.node(x) {
                Node::Binary(BinaryOp::Or, p, q) => {
                    if p == y || q == y {
                        return x;
                    }
                    if self.opposite(p, y) || self.opposite(q, y) {
                        return self.all_ones(width);
                    }
                    if self.is_constant(q) && self.is_constant(y) {
                        let bits = self.or(q, y);
                        return self.or(p, bits);
                    }
                }
                Node::Binary(BinaryOp::And, p, q) => {
                    if p == y || q == y {
                        return y;
                    }
                    if self.opposite(p, y) {
                        return self.or(q, y);
                    }
                    if self.opposite(q, y) {
                        return self.or(p, y);
                    }
                }
                _ => {}
            }
        }
        if self.is_pointer(a) && self.disjoint_tag(a, b) {
            return self.add(a, b);
        }
        self.piecewise(BinaryOp::Or, a, b)
    }

    /// Whether `b` sets bits that are 0 in the pointer `a` whatever its offset: a tag.
    fn disjoint_tag(&self, a: ExprId, b: ExprId) -> bool {
        !self.has_base(b) && self.disjoint(a, b)
    }

    /// Bitwise exclusive or; whether conditions differ.
    pub fn xor(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.width(a);
        if a != b && as_it_is(IS_XOR, self.flags(a), self.flags(b)) {
            let (a, b) = self.ordered(a, b);
            return self.intern(Node::Binary(BinaryOp::Xor, a, b), width);
        }
        if let Some(folded) = self.fold_or_hoist(BinaryOp::Xor, a, b) {
            return folded;
        }
        let (a, b) = self.ordered(a, b);
        if a == b {
            return self.zero(width);
        }
        if self.is_zero(b) {
            return a;
        }
        if self.is_all_ones(b) {
            return self.not(a);
        }
        if self.opposite(a, b) {
            return self.all_ones(width);
        }
        if let Node::Not(x) = self.node(a) {
            let differ = self.xor(x, b);
            return self.not(differ);
        }
        if let Node::Not(y) = self.node(b) {
            let differ = self.xor(a, y);
            return self.not(differ);
        }
        for (x, y) in [(a, b), (b, a)] {
            if let Node::Binary(BinaryOp::Xor, p, q) = self.node(x) {
                if q == y {
                    return p;
                }
                if p == y {
                    return q;
                }
                if self.is_constant(q) && self.is_constant(y) {
                    let bits = self.xor(q, y);
                    return self.xor(p, bits);
                }
            }
        }
        if self.is_pointer(a) && self.disjoint_tag(a, b) {
            return self.add(a, b);
        }
        self.piecewise(BinaryOp::Xor, a, b)
    }

    /// Applies a bitwise operation to the pieces of its operands where both split at one place,
    /// else makes the node.
    fn piecewise(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let at = self.seam(a).or_else(|| self.seam(b));
        if let Some(at) = at
            && let (true, true) = (self.can_split(a, at), self.can_split(b, at))
            && self.enter()
        {
            let width = self.width(a);
            let (a_high, a_low) = (self.extract(a, at, width - at), self.extract(a, 0, at));
            let (b_high, b_low) = (self.extract(b, at, width - at), self.extract(b, 0, at));
            let high = self.binary(op, a_high, b_high);
            let low = self.binary(op, a_low, b_low);
            let joined = self.concat(high, low);
            self.leave();
            return joined;
        }
        self.intern(Node::Binary(op, a, b), self.width(a))
    }

    /// Where an expression made of pieces splits: the lowest seam of a concatenation or a
    /// zero-extension.
    fn seam(&self, e: ExprId) -> Option<u32> {
        match self.node(e) {
            Node::Concat(_, low) => Some(self.width(low)),
            Node::ZExt(x) => Some(self.width(x)),
            _ => None,
        }
    }

    /// Whether `e` is made of pieces.
    pub(crate) fn is_piecewise(&self, e: ExprId) -> bool {
        self.seam(e).is_some()
    }

    /// Whether both parts of `e`, cut at bit `at`, are no larger than `e`.
    fn can_split(&self, e: ExprId, at: u32) -> bool {
        const DEEP: usize = 16;
        let (mut e, mut at) = (e, at);
        for _ in 0..DEEP {
            match self.node(e) {
                Node::Const(_) | Node::Wide(_) => return true,
                Node::ZExt(x) if at >= self.width(x) => return true,
                Node::ZExt(x) => e = x,
                Node::Concat(high, low) => {
                    let seam = self.width(low);
                    if at == seam {
                        return true;
                    }
                    if at < seam {
                        e = low;
                    } else {
                        at -= seam;
                        e = high;
                    }
                }
                _ => return false,
            }
        }
        false
    }
}

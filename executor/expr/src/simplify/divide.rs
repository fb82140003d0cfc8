//! Quotients, remainders and shifts. A division whose operands are known to be small is done at
//! their width (dividers are the costliest circuits a solver sees), a signed one of operands
//! known not to be negative is an unsigned one.

use crate::ids::ExprId;
use crate::node::{BinaryOp, Node};
use crate::pool::Pool;

impl Pool {
    /// `a / b`, unsigned; all ones if `b` is 0.
    pub fn udiv(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let (a, b) = (self.number(a), self.number(b));
        if let Some(folded) = self.fold_or_hoist(BinaryOp::UDiv, a, b) {
            return folded;
        }
        if let Some(shift) = self.log2(b) {
            return self.lshr_constant(a, shift);
        }
        let width = self.width(a);
        if width <= 64 && self.range(a).1 < self.range(b).0 {
            return self.zero(width);
        }
        self.narrow_division(BinaryOp::UDiv, a, b)
    }

    /// `a % b`, unsigned; `a` if `b` is 0.
    pub fn urem(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let (a, b) = (self.number(a), self.number(b));
        if let Some(folded) = self.fold_or_hoist(BinaryOp::URem, a, b) {
            return folded;
        }
        let width = self.width(a);
        if let Some(bits) = self.log2(b) {
            if bits == 0 {
                return self.zero(width);
            }
            let low = self.extract(a, 0, bits);
            return self.zext(low, width);
        }
        if width <= 64 && self.range(a).1 < self.range(b).0 {
            return a;
        }
        self.narrow_division(BinaryOp::URem, a, b)
    }

    /// An unsigned division at the width that its operands need.
    fn narrow_division(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let width = self.width(a);
        if width <= 64 {
            let (a_hi, (b_lo, b_hi)) = (self.range(a).1, self.range(b));
            let needed = (64 - a_hi.max(b_hi).leading_zeros()).max(1);
            if needed < width && b_lo > 0 {
                let (a, b) = (self.extract(a, 0, needed), self.extract(b, 0, needed));
                let narrow = self.binary(op, a, b);
                return self.zext(narrow, width);
            }
        }
        self.intern(Node::Binary(op, a, b), width)
    }

    /// `a / b`, signed, rounded towards zero; 1 or -1 if `b` is 0.
    pub fn sdiv(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let (a, b) = (self.number(a), self.number(b));
        if let Some(folded) = self.fold_or_hoist(BinaryOp::SDiv, a, b) {
            return folded;
        }
        if self.log2(b) == Some(0) && self.width(a) > 1 {
            return a;
        }
        if self.not_negative(a) && self.not_negative(b) {
            return self.udiv(a, b);
        }
        self.intern(Node::Binary(BinaryOp::SDiv, a, b), self.width(a))
    }

    /// `a % b`, signed, with the sign of `a`; `a` if `b` is 0.
    pub fn srem(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let (a, b) = (self.number(a), self.number(b));
        if let Some(folded) = self.fold_or_hoist(BinaryOp::SRem, a, b) {
            return folded;
        }
        let width = self.width(a);
        if self.is_all_ones(b) || self.log2(b) == Some(0) {
            return self.zero(width);
        }
        if self.not_negative(a) && self.not_negative(b) {
            return self.urem(a, b);
        }
        self.intern(Node::Binary(BinaryOp::SRem, a, b), width)
    }

    /// Whether the sign bit is known to be 0.
    pub(crate) fn not_negative(&self, e: ExprId) -> bool {
        let width = self.width(e);
        match self.node(e) {
            Node::ZExt(_) => true,
            Node::Const(_) if width <= 64 => self.signed_range(e).0 >= 0,
            _ => width <= 64 && self.signed_range(e).0 >= 0,
        }
    }

    /// The distance of a shift by a constant, cut to the width.
    fn distance(&self, b: ExprId) -> Option<u32> {
        let width = self.width(b);
        let limbs = self.as_limbs(b)?;
        let low = limbs[0].min(u64::from(width)) as u32;
        Some(if limbs[1..].iter().any(|&limb| limb != 0) {
            width
        } else {
            low
        })
    }

    /// `a << b`; 0 if `b` is the width or more.
    pub fn shl(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if let Some(folded) = self.fold_or_hoist(BinaryOp::Shl, a, b) {
            return folded;
        }
        match self.distance(b) {
            Some(by) => self.shl_constant(a, by),
            None => self.variable_shift(BinaryOp::Shl, a, b),
        }
    }

    /// `a >> b` with zeros; 0 if `b` is the width or more.
    pub fn lshr(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if let Some(folded) = self.fold_or_hoist(BinaryOp::LShr, a, b) {
            return folded;
        }
        match self.distance(b) {
            Some(by) => self.lshr_constant(a, by),
            None => self.variable_shift(BinaryOp::LShr, a, b),
        }
    }

    /// `a >> b` with copies of the sign.
    pub fn ashr(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if let Some(folded) = self.fold_or_hoist(BinaryOp::AShr, a, b) {
            return folded;
        }
        if self.not_negative(a) {
            return self.lshr(a, b);
        }
        let width = self.width(a);
        match self.distance(b) {
            Some(by) => {
                let by = by.min(width - 1);
                let kept = self.extract(a, by, width - by);
                self.sext(kept, width)
            }
            None => self.variable_shift(BinaryOp::AShr, a, b),
        }
    }

    fn variable_shift(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let width = self.width(a);
        let (a, b) = (self.number(a), self.number(b));
        if self.is_zero(a) {
            return a;
        }
        if width <= 64 && op != BinaryOp::AShr && self.range(b).0 >= u64::from(width) {
            return self.zero(width);
        }
        self.intern(Node::Binary(op, a, b), width)
    }

    /// `a << by`.
    pub(crate) fn shl_constant(&mut self, a: ExprId, by: u32) -> ExprId {
        let width = self.width(a);
        if by == 0 {
            return a;
        }
        if by >= width {
            return self.zero(width);
        }
        if let (x, Some(c)) = self.split_sum(a)
            && !self.has_base(a)
        {
            let distance = self.constant(width, u64::from(by));
            let (x, c) = (self.shl_constant(x, by), self.shl(c, distance));
            return self.add(x, c);
        }
        match self.node(a) {
            Node::Binary(BinaryOp::Mul, x, c) if self.is_constant(c) => {
                let distance = self.constant(width, u64::from(by));
                let c = self.shl(c, distance);
                return self.mul(x, c);
            }
            // Arithmetic is not cut: its low bits would be computed twice.
            Node::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..)
                if width <= 64 && !self.has_base(a) =>
            {
                let factor = self.constant(width, 1 << by);
                return self.intern(Node::Binary(BinaryOp::Mul, a, factor), width);
            }
            _ => {}
        }
        let kept = self.extract(a, 0, width - by);
        let zeros = self.zero(by);
        self.concat(kept, zeros)
    }

    fn lshr_constant(&mut self, a: ExprId, by: u32) -> ExprId {
        let width = self.width(a);
        if by >= width {
            return self.zero(width);
        }
        let kept = self.extract(a, by, width - by);
        self.zext(kept, width)
    }
}

//! The constructors that callers use. Each returns the simplest expression that it finds; the
//! rules are in [`crate::simplify`], one file per family of operators.

use crate::flags::FOLDS;
use crate::fold::{self, mask};
use crate::ids::ExprId;
use crate::limbs;
use crate::node::{BinaryOp, CompareOp, IntPredicate, Node};
use crate::pool::Pool;
use crate::table::Lifted;

impl Pool {
    /// A binary operation on operands of one width.
    pub fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        match op {
            BinaryOp::Add => self.add(a, b),
            BinaryOp::Sub => self.sub(a, b),
            BinaryOp::Mul => self.mul(a, b),
            BinaryOp::UDiv => self.udiv(a, b),
            BinaryOp::SDiv => self.sdiv(a, b),
            BinaryOp::URem => self.urem(a, b),
            BinaryOp::SRem => self.srem(a, b),
            BinaryOp::Shl => self.shl(a, b),
            BinaryOp::LShr => self.lshr(a, b),
            BinaryOp::AShr => self.ashr(a, b),
            BinaryOp::And => self.and(a, b),
            BinaryOp::Or => self.or(a, b),
            BinaryOp::Xor => self.xor(a, b),
        }
    }

    /// A comparison of operands of one width, 1 bit wide.
    pub fn compare(&mut self, predicate: IntPredicate, a: ExprId, b: ExprId) -> ExprId {
        match predicate {
            IntPredicate::Eq => self.eq(a, b),
            IntPredicate::Ne => self.ne(a, b),
            IntPredicate::Ult => self.ult(a, b),
            IntPredicate::Ule => self.ule(a, b),
            IntPredicate::Ugt => self.ult(b, a),
            IntPredicate::Uge => self.ule(b, a),
            IntPredicate::Slt => self.slt(a, b),
            IntPredicate::Sle => self.sle(a, b),
            IntPredicate::Sgt => self.slt(b, a),
            IntPredicate::Sge => self.sle(b, a),
        }
    }

    /// `a != b`.
    pub fn ne(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// `a <= b`, unsigned.
    pub fn ule(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let greater = self.ult(b, a);
        self.not(greater)
    }

    /// `a <= b`, signed.
    pub fn sle(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let greater = self.slt(b, a);
        self.not(greater)
    }

    /// Both of two conditions (1 bit).
    pub fn and_bool(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.and(a, b)
    }

    /// Either of two conditions (1 bit).
    pub fn or_bool(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.or(a, b)
    }

    /// If `a` then `b` (1 bit).
    pub fn implies(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let not_a = self.not(a);
        self.or(not_a, b)
    }

    /// `e` cut or zero-extended to `width`.
    pub fn zext_or_trunc(&mut self, e: ExprId, width: u32) -> ExprId {
        if width < self.width(e) {
            self.extract(e, 0, width)
        } else {
            self.zext(e, width)
        }
    }

    /// `e` cut or sign-extended to `width`.
    pub fn sext_or_trunc(&mut self, e: ExprId, width: u32) -> ExprId {
        if width < self.width(e) {
            self.extract(e, 0, width)
        } else {
            self.sext(e, width)
        }
    }

    /// The same node with other operands, simplified anew.
    pub(crate) fn rebuild(
        &mut self,
        e: ExprId,
        mut operand: impl FnMut(&mut Self, ExprId) -> ExprId,
    ) -> ExprId {
        let width = self.width(e);
        match self.node(e) {
            Node::Const(_) | Node::Wide(_) | Node::Symbol(..) | Node::Base(_) => e,
            Node::Binary(op, a, b) => {
                let (a, b) = (operand(self, a), operand(self, b));
                self.binary(op, a, b)
            }
            Node::Compare(op, a, b) => {
                let (a, b) = (operand(self, a), operand(self, b));
                match op {
                    CompareOp::Eq => self.eq(a, b),
                    CompareOp::Ult => self.ult(a, b),
                    CompareOp::Slt => self.slt(a, b),
                }
            }
            Node::Not(a) => {
                let a = operand(self, a);
                self.not(a)
            }
            Node::Ite(c, a, b) => {
                let (c, a, b) = (operand(self, c), operand(self, a), operand(self, b));
                self.ite(c, a, b)
            }
            Node::Extract { value, low } => {
                let value = operand(self, value);
                self.extract(value, low, width)
            }
            Node::Concat(high, low) => {
                let (high, low) = (operand(self, high), operand(self, low));
                self.concat(high, low)
            }
            Node::ZExt(a) => {
                let a = operand(self, a);
                self.zext(a, width)
            }
            Node::SExt(a) => {
                let a = operand(self, a);
                self.sext(a, width)
            }
            Node::Read(table, index) => {
                let index = operand(self, index);
                self.read(table, index)
            }
            Node::Float(op, format, mut operands) => {
                for e in &mut operands[..op.operands()] {
                    *e = operand(self, *e);
                }
                self.float_node(op, format, operands, width)
            }
        }
    }

    /// The result of a binary operation on two constants.
    pub(crate) fn fold_binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b), "operands of {op:?}");
        if let (Node::Const(x), Node::Const(y)) = (self.node(a), self.node(b)) {
            return Some(self.constant(width, fold::binary(op, width, x, y)));
        }
        if width <= 64 || !self.is_constant(a) || !self.is_constant(b) {
            return None;
        }
        let value = limbs::binary(op, width, &self.as_limbs(a)?, &self.as_limbs(b)?);
        Some(self.constant_limbs(width, &value))
    }

    /// The result of comparing two constants.
    pub(crate) fn fold_compare(&self, op: CompareOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b), "operands of {op:?}");
        if let (Node::Const(x), Node::Const(y)) = (self.node(a), self.node(b)) {
            return Some(self.bool(fold::compare(op, width, x, y)));
        }
        if width <= 64 || !self.is_constant(a) || !self.is_constant(b) {
            return None;
        }
        Some(self.bool(limbs::compare(
            op,
            width,
            &self.as_limbs(a)?,
            &self.as_limbs(b)?,
        )))
    }

    /// Whether `e` is the constant 0 of its width.
    pub(crate) fn is_zero(&self, e: ExprId) -> bool {
        match self.node(e) {
            Node::Const(value) => value == 0,
            Node::Wide(at) => self.wide_constant(at).iter().all(|&limb| limb == 0),
            _ => false,
        }
    }

    /// Whether `e` is the constant with every bit set.
    pub(crate) fn is_all_ones(&self, e: ExprId) -> bool {
        match self.node(e) {
            Node::Const(value) => value == mask(self.width(e)),
            Node::Wide(at) => {
                let value = self.wide_constant(at);
                limbs::not(value, self.width(e))
                    .iter()
                    .all(|&limb| limb == 0)
            }
            _ => false,
        }
    }

    /// The exponent, if `e` is a constant power of two.
    pub(crate) fn log2(&self, e: ExprId) -> Option<u32> {
        let value = match self.node(e) {
            Node::Const(value) => return value.is_power_of_two().then(|| value.trailing_zeros()),
            Node::Wide(at) => self.wide_constant(at),
            _ => return None,
        };
        let at = value.iter().position(|&limb| limb != 0)?;
        let alone = value[at].is_power_of_two() && value[at + 1..].iter().all(|&limb| limb == 0);
        alone.then(|| at as u32 * 64 + value[at].trailing_zeros())
    }

    /// The constant 0.
    pub(crate) fn zero(&mut self, width: u32) -> ExprId {
        self.constant(width, 0)
    }

    /// The constant with every bit set.
    pub(crate) fn all_ones(&mut self, width: u32) -> ExprId {
        if width <= 64 {
            return self.constant(width, u64::MAX);
        }
        self.constant_limbs(width, &vec![u64::MAX; limbs::limb_count(width)])
    }

    /// The condition and the arms of a choice between two constants.
    pub(crate) fn constant_arms(&self, e: ExprId) -> Option<(ExprId, ExprId, ExprId)> {
        match self.node(e) {
            Node::Ite(c, a, b) if self.is_constant(a) && self.is_constant(b) => Some((c, a, b)),
            _ => None,
        }
    }

    /// Folds an operation whose operands are both constants, or one a constant and the other a
    /// choice between two constants, or reads of tables of constants at one index.
    #[inline]
    pub(crate) fn fold_or_hoist(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        if self.flags(a) & self.flags(b) & FOLDS == 0 {
            return None;
        }
        self.fold_or_hoist_both(op, a, b)
    }

    fn fold_or_hoist_both(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        if self.is_constant(b) {
            if let Some((c, x, y)) = self.constant_arms(a) {
                let (x, y) = (self.fold_binary(op, x, b)?, self.fold_binary(op, y, b)?);
                return Some(self.ite(c, x, y));
            }
            if let Some(folded) = self.fold_binary(op, a, b) {
                return Some(folded);
            }
        }
        if self.is_constant(a)
            && let Some((c, x, y)) = self.constant_arms(b)
        {
            let (x, y) = (self.fold_binary(op, a, x)?, self.fold_binary(op, a, y)?);
            return Some(self.ite(c, x, y));
        }
        self.lift(Lifted::Binary(op), a, b)
    }

    /// The same for comparisons.
    pub(crate) fn fold_or_hoist_compare(
        &mut self,
        op: CompareOp,
        a: ExprId,
        b: ExprId,
    ) -> Option<ExprId> {
        if self.flags(a) & self.flags(b) & FOLDS == 0 {
            return None;
        }
        if self.is_constant(b) {
            if let Some((c, x, y)) = self.constant_arms(a) {
                let (x, y) = (self.fold_compare(op, x, b)?, self.fold_compare(op, y, b)?);
                return Some(self.ite(c, x, y));
            }
            if let Some(folded) = self.fold_compare(op, a, b) {
                return Some(folded);
            }
        }
        if self.is_constant(a)
            && let Some((c, x, y)) = self.constant_arms(b)
        {
            let (x, y) = (self.fold_compare(op, a, x)?, self.fold_compare(op, a, y)?);
            return Some(self.ite(c, x, y));
        }
        self.lift(Lifted::Compare(op), a, b)
    }
}

//! Floating-point operations: constants, choices between constants, and conversions of integers
//! that lose nothing. Everything else is kept as it was written, as no law of arithmetic holds.

use crate::float::{self, FloatFormat, FloatOp};
use crate::ids::ExprId;
use crate::limbs;
use crate::node::Node;
use crate::pool::{FALSE, Pool, TRUE};

impl Pool {
    /// A floating-point operation on bit patterns; `width` is that of the result, which follows
    /// from the operation unless it converts to an integer.
    pub fn float(
        &mut self,
        op: FloatOp,
        format: FloatFormat,
        operands: &[ExprId],
        width: u32,
    ) -> ExprId {
        debug_assert_eq!(operands.len(), op.operands(), "operands of {op:?}");
        let mut list = [FALSE; 3];
        for (slot, &operand) in list.iter_mut().zip(operands) {
            *slot = self.number(operand);
        }
        self.float_node(op, format, list, width)
    }

    /// The same with operands by number, unused ones [`FALSE`].
    pub(crate) fn float_node(
        &mut self,
        op: FloatOp,
        format: FloatFormat,
        operands: [ExprId; 3],
        width: u32,
    ) -> ExprId {
        if let Some(folded) = self.fold_float(op, format, operands, width) {
            return folded;
        }
        if let Some(simpler) = self.hoist_choice(op, format, operands, width) {
            return simpler;
        }
        if let Some(simpler) = self.exact_conversion(op, format, operands, width) {
            return simpler;
        }
        self.intern(Node::Float(op, format, operands), width)
    }

    /// `!(x is NaN)`.
    pub fn is_number(&mut self, format: FloatFormat, e: ExprId) -> ExprId {
        self.float(FloatOp::Eq, format, &[e, e], 1)
    }

    fn fold_float(
        &mut self,
        op: FloatOp,
        format: FloatFormat,
        operands: [ExprId; 3],
        width: u32,
    ) -> Option<ExprId> {
        let mut values = [0; 3];
        for (value, &e) in values.iter_mut().zip(&operands[..op.operands()]) {
            *value = limbs::to_u128(&self.as_limbs(e)?);
        }
        let from = self.width(operands[0]);
        let result = float::fold(op, format, from, width, values);
        Some(self.constant_u128(width, result))
    }

    /// An operation on constants and one choice between two constants: a choice of results.
    fn hoist_choice(
        &mut self,
        op: FloatOp,
        format: FloatFormat,
        operands: [ExprId; 3],
        width: u32,
    ) -> Option<ExprId> {
        let mut choice = None;
        for (at, &e) in operands[..op.operands()].iter().enumerate() {
            match self.constant_arms(e) {
                Some(_) if choice.is_some() => return None,
                Some(arms) => choice = Some((at, arms)),
                None if self.is_constant(e) => {}
                None => return None,
            }
        }
        let (at, (condition, then, otherwise)) = choice?;
        let (mut a, mut b) = (operands, operands);
        a[at] = then;
        b[at] = otherwise;
        let then = self.fold_float(op, format, a, width)?;
        let otherwise = self.fold_float(op, format, b, width)?;
        Some(self.ite(condition, then, otherwise))
    }

    /// Operations on integers that were converted without loss.
    fn exact_conversion(
        &mut self,
        op: FloatOp,
        format: FloatFormat,
        operands: [ExprId; 3],
        width: u32,
    ) -> Option<ExprId> {
        let [a, b, _] = operands;
        match op {
            FloatOp::Round(_) if self.is_integral(a) => Some(a),
            FloatOp::ToFormat(to) if to == format && self.is_never_nan(a) => Some(a),
            FloatOp::Eq if a == b && self.is_never_nan(a) => Some(TRUE),
            FloatOp::Lt if a == b => Some(FALSE),
            FloatOp::Eq | FloatOp::Lt | FloatOp::Le if a != b => {
                let (x, y) = (self.exact_integer(a)?, self.exact_integer(b)?);
                let wide = self.width(x).max(self.width(y));
                let (x, y) = (self.sext(x, wide), self.sext(y, wide));
                Some(match op {
                    FloatOp::Eq => self.eq(x, y),
                    FloatOp::Lt => self.slt(x, y),
                    _ => self.sle(x, y),
                })
            }
            FloatOp::ToSigned | FloatOp::ToUnsigned => {
                let integer = self.exact_integer(a)?;
                // A signed number may be negative; an unsigned one has a zero on top here.
                let fits = match self.node(a) {
                    Node::Float(FloatOp::FromUnsigned, ..) if op == FloatOp::ToUnsigned => {
                        self.width(integer) <= width + 1
                    }
                    _ => op == FloatOp::ToSigned && self.width(integer) <= width,
                };
                fits.then(|| self.sext_or_trunc(integer, width))
            }
            _ => None,
        }
    }

    /// The integer of which `e` is the exact conversion, as a signed one.
    fn exact_integer(&mut self, e: ExprId) -> Option<ExprId> {
        let Node::Float(op, format, [integer, ..]) = self.node(e) else {
            return None;
        };
        let exact = |width: u32| width <= format.fraction_bits() + 1;
        let width = self.width(integer);
        match op {
            FloatOp::FromSigned if exact(width) => Some(integer),
            FloatOp::FromUnsigned if exact(width) => Some(self.zext(integer, width + 1)),
            _ => None,
        }
    }

    /// Whether `e` is a number that comes from an integer.
    fn is_integral(&self, e: ExprId) -> bool {
        match self.node(e) {
            Node::Float(op, ..) => op.is_from_integer(),
            _ => false,
        }
    }

    fn is_never_nan(&self, e: ExprId) -> bool {
        match self.node(e) {
            Node::Float(FloatOp::ToFormat(_) | FloatOp::Round(_), _, [a, ..]) => {
                self.is_integral(a)
            }
            _ => self.is_integral(e),
        }
    }
}

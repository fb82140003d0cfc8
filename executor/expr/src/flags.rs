//! What a node is, one bit for each question that the simplifier asks first: rules whose bits are
//! not there are skipped without a look at the operands.

use crate::node::{BinaryOp, Node};

/// A base occurs somewhere in it.
pub(crate) const HAS_BASE: u32 = 1;
/// A base occurs in pointer position (see [`crate::Pool::shape`]).
pub(crate) const IS_POINTER: u32 = 1 << 1;
/// A constant of any width.
pub(crate) const IS_CONSTANT: u32 = 1 << 2;
/// What [`crate::Pool::fold_or_hoist`] can do something about: a constant, a choice, a read.
pub(crate) const FOLDS: u32 = 1 << 3;
/// A complement.
pub(crate) const IS_NOT: u32 = 1 << 4;
/// Its facts are those of any value of its width.
pub(crate) const PLAIN: u32 = 1 << 5;
/// A product with a constant, a value above constant zeros, or a zero-extension of one of these.
pub(crate) const SCALED: u32 = 1 << 6;
/// A concatenation.
pub(crate) const IS_CONCAT: u32 = 1 << 7;
/// A zero-extension.
pub(crate) const IS_ZEXT: u32 = 1 << 8;
/// A sign-extension.
pub(crate) const IS_SEXT: u32 = 1 << 9;
/// A part of something.
pub(crate) const IS_EXTRACT: u32 = 1 << 10;
/// A sum.
pub(crate) const IS_SUM: u32 = 1 << 11;
/// A sum whose right operand is a constant.
pub(crate) const HAS_SUMMAND: u32 = 1 << 12;
/// A difference.
pub(crate) const IS_DIFFERENCE: u32 = 1 << 13;
/// A product.
pub(crate) const IS_PRODUCT: u32 = 1 << 14;
/// A bitwise and.
pub(crate) const IS_AND: u32 = 1 << 15;
/// A bitwise or.
pub(crate) const IS_OR: u32 = 1 << 16;
/// A bitwise exclusive or.
pub(crate) const IS_XOR: u32 = 1 << 17;
/// A choice.
pub(crate) const IS_CHOICE: u32 = 1 << 18;
/// A read of a table.
pub(crate) const IS_READ: u32 = 1 << 19;
/// Nothing is known about it unless something is known about an operand.
pub(crate) const PLAIN_OF_PLAIN: u32 = 1 << 20;
/// Made of pieces: a concatenation or a zero-extension.
pub(crate) const PIECES: u32 = 1 << 21;

/// What the rules of sums and differences look for in one operand.
const IN_SUMS: u32 = HAS_BASE | IS_CONSTANT | HAS_SUMMAND | IS_DIFFERENCE | IS_NOT | SCALED;

/// Whether an operation of that kind on two different operands with these flags is what it is: no
/// rule looks for them, so the node can be made at once.
#[inline(always)]
pub(crate) const fn as_it_is(kind: u32, a: u32, b: u32) -> bool {
    let (either, both) = (a | b, a & b);
    match kind {
        IS_SUM => either & IN_SUMS == 0 && both & (FOLDS | PIECES) == 0,
        IS_DIFFERENCE => either & (IN_SUMS | IS_SUM) == 0 && both & FOLDS == 0,
        IS_PRODUCT => either & (HAS_BASE | IS_CONSTANT) == 0 && both & FOLDS == 0,
        // Facts of both are needed to tell that no bit is set in both.
        IS_AND => {
            either & (HAS_BASE | IS_CONSTANT | IS_NOT | IS_AND | IS_OR) == 0
                && either & PLAIN != 0
                && both & (FOLDS | PIECES) == 0
        }
        IS_OR => {
            either & (HAS_BASE | IS_CONSTANT | IS_NOT | IS_AND | IS_OR) == 0
                && both & (FOLDS | PIECES) == 0
        }
        IS_XOR => {
            either & (HAS_BASE | IS_CONSTANT | IS_NOT | IS_XOR) == 0 && both & (FOLDS | PIECES) == 0
        }
        _ => false,
    }
}

/// Whether no rule looks for a comparison of two different operands with these flags, wider than a
/// bit, when no facts decide it.
#[inline(always)]
pub(crate) const fn compared_as_they_are(a: u32, b: u32) -> bool {
    (a | b) & (HAS_BASE | IS_CONSTANT) == 0 && a & b & (FOLDS | PIECES | IS_SEXT | IS_NOT) == 0
}

impl Node {
    /// The flags that follow from the operator.
    #[inline(always)]
    pub(crate) const fn kind(self) -> u32 {
        match self {
            Self::Const(_) | Self::Wide(_) => IS_CONSTANT | FOLDS,
            Self::Symbol(..) => PLAIN,
            Self::Base(_) => HAS_BASE | IS_POINTER,
            Self::Binary(op, ..) => {
                PLAIN_OF_PLAIN
                    | match op {
                        BinaryOp::Add => IS_SUM,
                        BinaryOp::Sub => IS_DIFFERENCE,
                        BinaryOp::Mul => IS_PRODUCT,
                        BinaryOp::And => IS_AND,
                        BinaryOp::Or => IS_OR,
                        BinaryOp::Xor => IS_XOR,
                        _ => 0,
                    }
            }
            Self::Compare(..) | Self::Float(..) => PLAIN,
            Self::Not(_) => IS_NOT | PLAIN_OF_PLAIN,
            Self::Ite(..) => IS_CHOICE | FOLDS | PLAIN_OF_PLAIN,
            Self::Extract { .. } => IS_EXTRACT | PLAIN_OF_PLAIN,
            Self::Concat(..) => IS_CONCAT | PIECES | PLAIN_OF_PLAIN,
            Self::ZExt(_) => IS_ZEXT | PIECES,
            Self::SExt(_) => IS_SEXT | PLAIN_OF_PLAIN,
            Self::Read(..) => IS_READ | FOLDS,
        }
    }
}

//! Integer operations: the one definition for constants, expressions and concrete execution.
//!
//! An integer of `width` bits is kept zero-extended in a word: in a `u64` (module [`word`],
//! widths from 1 to 64) or in a `u128` (module [`wide`], widths from 1 to 128). Operands must be
//! zero-extended, and results are.
//!
//! An operation without a result gives `None`, as LLVM leaves it undefined:
//! - a quotient or a remainder by zero,
//! - the signed quotient and the signed remainder of the least integer by -1,
//! - a shift by the width or more.
//!
//! What this means is the caller's question. The engine reports a fault or poison, an expression
//! takes the value of SMT-LIB, and a constant stays as it is.

use serde::{Deserialize, Serialize};

/// Integer operations with two operands of one width; the result has that width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
pub enum BinaryOp {
    /// Addition modulo 2^width.
    Add,
    /// Subtraction modulo 2^width.
    Sub,
    /// Multiplication modulo 2^width.
    Mul,
    /// Unsigned quotient.
    UDiv,
    /// Signed quotient, rounded towards zero.
    SDiv,
    /// Unsigned remainder.
    URem,
    /// Signed remainder, with the sign of the dividend.
    SRem,
    /// Shift left.
    Shl,
    /// Shift right, filling with zeros.
    LShr,
    /// Shift right, filling with the sign.
    AShr,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
}

impl BinaryOp {
    /// All operations.
    pub const ALL: [Self; 13] = [
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::UDiv,
        Self::SDiv,
        Self::URem,
        Self::SRem,
        Self::Shl,
        Self::LShr,
        Self::AShr,
        Self::And,
        Self::Or,
        Self::Xor,
    ];

    /// Whether the operands can be exchanged.
    pub const fn commutes(self) -> bool {
        matches!(
            self,
            Self::Add | Self::Mul | Self::And | Self::Or | Self::Xor
        )
    }
}

/// Comparisons of integers and of pointers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are LLVM's")]
pub enum IntPredicate {
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
}

impl IntPredicate {
    /// All comparisons.
    pub const ALL: [Self; 10] = [
        Self::Eq,
        Self::Ne,
        Self::Ult,
        Self::Ule,
        Self::Ugt,
        Self::Uge,
        Self::Slt,
        Self::Sle,
        Self::Sgt,
        Self::Sge,
    ];
}

/// The operations for one type of word.
macro_rules! operations {
    ($(#[$doc:meta])* $module:ident, $word:ty, $signed:ty) => {
        $(#[$doc])*
        pub mod $module {
            use super::{BinaryOp, IntPredicate};

            const BITS: u32 = <$word>::BITS;

            /// The largest unsigned integer of `width` bits.
            #[inline(always)]
            pub const fn mask(width: u32) -> $word {
                <$word>::MAX >> (BITS - width)
            }

            /// `value` of `width` bits as a signed number.
            #[inline(always)]
            pub const fn signed(value: $word, width: u32) -> $signed {
                let unused = BITS - width;
                (value << unused).cast_signed() >> unused
            }

            /// `value` of `from` bits, sign-extended to `width`.
            #[inline(always)]
            pub const fn sign_extend(value: $word, from: u32, width: u32) -> $word {
                signed(value, from).cast_unsigned() & mask(width)
            }

            /// `a op b` on integers of `width` bits, if it has a result.
            #[inline(always)]
            pub const fn binary(op: BinaryOp, width: u32, a: $word, b: $word) -> Option<$word> {
                let shifts = b < width as $word;
                let result = match op {
                    BinaryOp::Add => a.wrapping_add(b),
                    BinaryOp::Sub => a.wrapping_sub(b),
                    BinaryOp::Mul => a.wrapping_mul(b),
                    BinaryOp::And => a & b,
                    BinaryOp::Or => a | b,
                    BinaryOp::Xor => a ^ b,
                    BinaryOp::Shl if shifts => a << b,
                    BinaryOp::LShr if shifts => a >> b,
                    BinaryOp::AShr if shifts => (signed(a, width) >> b).cast_unsigned(),
                    BinaryOp::UDiv if b != 0 => a / b,
                    BinaryOp::URem if b != 0 => a % b,
                    BinaryOp::SDiv | BinaryOp::SRem if b != 0 => {
                        let least = signed(1 << (width - 1), width);
                        let (a, b) = (signed(a, width), signed(b, width));
                        if b == -1 && a == least {
                            return None;
                        }
                        let result = match op {
                            BinaryOp::SDiv => a.wrapping_div(b),
                            _ => a.wrapping_rem(b),
                        };
                        result.cast_unsigned()
                    }
                    _ => return None,
                };
                Some(result & mask(width))
            }

            /// Whether `a` and `b`, integers of `width` bits, compare as `predicate` says.
            #[inline(always)]
            pub const fn compare(predicate: IntPredicate, width: u32, a: $word, b: $word) -> bool {
                match predicate {
                    IntPredicate::Eq => a == b,
                    IntPredicate::Ne => a != b,
                    IntPredicate::Ult => a < b,
                    IntPredicate::Ule => a <= b,
                    IntPredicate::Ugt => a > b,
                    IntPredicate::Uge => a >= b,
                    IntPredicate::Slt => signed(a, width) < signed(b, width),
                    IntPredicate::Sle => signed(a, width) <= signed(b, width),
                    IntPredicate::Sgt => signed(a, width) > signed(b, width),
                    IntPredicate::Sge => signed(a, width) >= signed(b, width),
                }
            }
        }
    };
}

operations! {
    /// Integers of 1 to 64 bits.
    word, u64, i64
}

operations! {
    /// Integers of 1 to 128 bits.
    wide, u128, i128
}

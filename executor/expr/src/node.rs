//! What an expression is: one operator and its operands, by id.

use crate::float::{FloatFormat, FloatOp};
use crate::ids::{ExprId, ObjectId, SymbolId, TableId};
pub use plat_basics::{BinaryOp, IntPredicate};

/// The comparisons that occur in a [`Node`]; every [`IntPredicate`] is one of them, perhaps with
/// its operands exchanged, perhaps under a [`Node::Not`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CompareOp {
    /// Equal.
    Eq,
    /// Unsigned less than.
    Ult,
    /// Signed less than.
    Slt,
}

/// One operator with its operands. The width in bits is kept beside it, see
/// [`crate::Pool::width`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A constant of at most 64 bits, zero-extended.
    Const(u64),
    /// A constant wider than 64 bits: its position among the pool's wide constants.
    Wide(u32),
    /// One symbolic byte (8 bits).
    Symbol(SymbolId, u32),
    /// The address of an object (64 bits).
    Base(ObjectId),
    /// An arithmetic or bitwise operation. Where it has no result ([`plat_basics::integer`]) it has
    /// that of SMT-LIB: `x / 0` is all ones (signed: 1 if x is negative, else all ones), `x % 0` is
    /// `x`, the least number by -1 is itself with remainder 0, and a shift by the width or more
    /// gives 0 or copies of the sign.
    Binary(BinaryOp, ExprId, ExprId),
    /// A comparison (1 bit). Its operands never contain a base: a comparison sees numbers.
    Compare(CompareOp, ExprId, ExprId),
    /// Bitwise complement.
    Not(ExprId),
    /// The second operand if the first (1 bit) is 1, else the third.
    Ite(ExprId, ExprId, ExprId),
    /// As many bits as the node is wide, from bit `low` upwards.
    Extract {
        /// What is cut.
        value: ExprId,
        /// Its lowest bit that is kept.
        low: u32,
    },
    /// The first operand's bits above the second's.
    Concat(ExprId, ExprId),
    /// The operand with zeros above.
    ZExt(ExprId),
    /// The operand with copies of its highest bit above.
    SExt(ExprId),
    /// The element of a table at a 64-bit index. Callers bound the index first; outside the
    /// table the last element is read, so that every expression has one value.
    Read(TableId, ExprId),
    /// A floating-point operation on bit patterns; operands that it has not are [`crate::FALSE`]. None
    /// of them contains a base.
    Float(FloatOp, FloatFormat, [ExprId; 3]),
}

impl Node {
    /// Equal nodes of equal width have equal hashes: what a node consists of in two words, mixed.
    #[inline(always)]
    pub(crate) fn hash(self, width: u32) -> u32 {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let pair = |a: ExprId, b: ExprId| u64::from(a.0) | u64::from(b.0) << 32;
        let (operator, more, operands) = match self {
            Self::Const(value) => (0, 0, value),
            Self::Wide(at) => (1, 0, u64::from(at)),
            Self::Symbol(symbol, byte) => (2, symbol.0, u64::from(byte)),
            Self::Base(object) => (3, 0, u64::from(object.0)),
            Self::Binary(op, a, b) => (32 + op as u32, 0, pair(a, b)),
            Self::Compare(op, a, b) => (4 + op as u32, 0, pair(a, b)),
            Self::Not(a) => (8, 0, u64::from(a.0)),
            Self::Ite(c, a, b) => (9, c.0, pair(a, b)),
            Self::Extract { value, low } => (10, low, u64::from(value.0)),
            Self::Concat(high, low) => (11, 0, pair(high, low)),
            Self::ZExt(a) => (12, 0, u64::from(a.0)),
            Self::SExt(a) => (13, 0, u64::from(a.0)),
            Self::Read(table, index) => (14, table.0, u64::from(index.0)),
            Self::Float(_, _, [a, b, c]) => (15, c.0, pair(a, b)),
        };
        let first = u64::from(width) << 8 | u64::from(operator) | u64::from(more) << 40;
        let mixed = (operands ^ first.wrapping_mul(ODD).rotate_left(29)).wrapping_mul(ODD);
        (mixed ^ mixed >> 32).wrapping_mul(ODD).rotate_left(32) as u32
    }

    /// The operands, the first standing for those that it has not; `None` for leaves.
    #[inline(always)]
    pub(crate) const fn operands(self) -> Option<[ExprId; 3]> {
        match self {
            Self::Const(_) | Self::Wide(_) | Self::Symbol(..) | Self::Base(_) => None,
            Self::Binary(_, a, b) | Self::Compare(_, a, b) | Self::Concat(a, b) => Some([a, b, a]),
            Self::Not(a) | Self::ZExt(a) | Self::SExt(a) | Self::Read(_, a) => Some([a, a, a]),
            Self::Extract { value, .. } => Some([value, value, value]),
            Self::Ite(c, a, b) => Some([c, a, b]),
            Self::Float(_, _, operands) => Some(operands),
        }
    }

    /// The same node with other ids: of operands, of its table, of its wide constant.
    pub(crate) fn with_ids(
        self,
        expr: impl Fn(ExprId) -> ExprId,
        table: impl FnOnce(TableId) -> TableId,
        wide: impl FnOnce(u32) -> u32,
    ) -> Self {
        match self {
            Self::Const(_) | Self::Symbol(..) | Self::Base(_) => self,
            Self::Wide(at) => Self::Wide(wide(at)),
            Self::Binary(op, a, b) => Self::Binary(op, expr(a), expr(b)),
            Self::Compare(op, a, b) => Self::Compare(op, expr(a), expr(b)),
            Self::Not(a) => Self::Not(expr(a)),
            Self::Ite(c, a, b) => Self::Ite(expr(c), expr(a), expr(b)),
            Self::Extract { value, low } => Self::Extract {
                value: expr(value),
                low,
            },
            Self::Concat(high, low) => Self::Concat(expr(high), expr(low)),
            Self::ZExt(a) => Self::ZExt(expr(a)),
            Self::SExt(a) => Self::SExt(expr(a)),
            Self::Read(of, index) => Self::Read(table(of), expr(index)),
            Self::Float(op, format, operands) => Self::Float(op, format, operands.map(expr)),
        }
    }

    /// Calls `f` on every operand; for a read that is the index, not the elements.
    pub fn for_each_operand(self, mut f: impl FnMut(ExprId)) {
        match self {
            Self::Const(_) | Self::Wide(_) | Self::Symbol(..) | Self::Base(_) => {}
            Self::Binary(_, a, b) | Self::Compare(_, a, b) | Self::Concat(a, b) => {
                f(a);
                f(b);
            }
            Self::Not(a) | Self::ZExt(a) | Self::SExt(a) | Self::Read(_, a) => f(a),
            Self::Extract { value, .. } => f(value),
            Self::Ite(c, a, b) => {
                f(c);
                f(a);
                f(b);
            }
            Self::Float(op, _, operands) => {
                for &operand in &operands[..op.operands()] {
                    f(operand);
                }
            }
        }
    }
}

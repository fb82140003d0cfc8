//! Floating-point numbers as bit patterns: formats, operations, and what they compute.
//!
//! A float is a bit-vector everywhere; only [`crate::Node::Float`] reads it as a number. Every
//! operation has one value for every pattern, that of x86-64 code, so that evaluating, folding and
//! solving agree with the machine to the last bit:
//!
//! - rounding is to nearest, ties to even ([`fold_in`] has the other modes, of constants);
//! - a NaN operand gives itself made quiet (the first one, if several are); an operation that has
//!   no result (0/0, inf - inf, the root of -1) gives the default NaN, quiet, negative, without
//!   payload; a conversion keeps sign and the upper bits of the payload;
//! - a number that does not fit in an integer gives that integer's lowest signed number
//!   (only the highest bit set), as `cvttsd2si` does;
//! - an x87 pattern whose integer bit contradicts its exponent is an invalid operand: NaN.

mod exceptions;
mod fold;
mod soft;
mod wide;

pub use exceptions::{Exceptions, fold_in};
pub use fold::fold;

/// A floating-point format.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatFormat {
    /// IEEE binary16.
    Half,
    /// bfloat16.
    BFloat,
    /// IEEE binary32.
    Single,
    /// IEEE binary64.
    Double,
    /// x87 80-bit extended, which stores the bit in front of the point.
    Extended,
    /// IEEE binary128.
    Quad,
}

impl FloatFormat {
    /// All formats.
    pub const ALL: [Self; 6] = [
        Self::Half,
        Self::BFloat,
        Self::Single,
        Self::Double,
        Self::Extended,
        Self::Quad,
    ];

    /// Width in bits.
    pub const fn bits(self) -> u32 {
        1 + self.exponent_bits() + self.stored_bits()
    }

    /// Bits of the exponent.
    pub const fn exponent_bits(self) -> u32 {
        match self {
            Self::Half => 5,
            Self::BFloat | Self::Single => 8,
            Self::Double => 11,
            Self::Extended | Self::Quad => 15,
        }
    }

    /// Bits behind the point.
    pub const fn fraction_bits(self) -> u32 {
        match self {
            Self::Half => 10,
            Self::BFloat => 7,
            Self::Single => 23,
            Self::Double => 52,
            Self::Extended => 63,
            Self::Quad => 112,
        }
    }

    /// Whether the bit in front of the point is stored.
    pub const fn is_explicit(self) -> bool {
        matches!(self, Self::Extended)
    }

    /// Bits below the exponent.
    pub(crate) const fn stored_bits(self) -> u32 {
        self.fraction_bits() + self.is_explicit() as u32
    }

    /// The pattern of positive infinity.
    pub const fn infinity(self) -> u128 {
        let exponent = ((1u128 << self.exponent_bits()) - 1) << self.stored_bits();
        exponent | (self.is_explicit() as u128) << self.fraction_bits()
    }

    /// The bit that makes a NaN quiet.
    pub const fn quiet_bit(self) -> u128 {
        1 << (self.fraction_bits() - 1)
    }

    /// The NaN of operations that have no result.
    pub const fn default_nan(self) -> u128 {
        1 << (self.bits() - 1) | self.infinity() | self.quiet_bit()
    }
}

/// How a number becomes an integral one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Rounding {
    /// To the nearest, ties to even (`rint`, `nearbyint`).
    NearestEven,
    /// To the nearest, ties away from zero (`round`).
    NearestAway,
    /// Towards zero (`trunc`).
    Zero,
    /// Towards negative infinity (`floor`).
    Down,
    /// Towards positive infinity (`ceil`).
    Up,
}

/// An operation of a [`crate::Node::Float`]. Its format is that of the float operands; for
/// conversions from integers that of the result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatOp {
    /// The sum.
    Add,
    /// The difference.
    Sub,
    /// The product.
    Mul,
    /// The quotient.
    Div,
    /// Product of the first two plus the third, rounded once.
    Fma,
    /// The square root.
    Sqrt,
    /// The integral number next to the operand.
    Round(Rounding),
    /// Whether the operands are ordered and equal (1 bit).
    Eq,
    /// Whether the operands are ordered and the first is less (1 bit).
    Lt,
    /// Whether the operands are ordered and the first is not greater (1 bit).
    Le,
    /// The number in another format.
    ToFormat(FloatFormat),
    /// The integral part as a signed integer of at most 128 bits.
    ToSigned,
    /// The integral part as an unsigned integer of at most 128 bits.
    ToUnsigned,
    /// The nearest number to a signed integer of at most 128 bits.
    FromSigned,
    /// The nearest number to an unsigned integer of at most 128 bits.
    FromUnsigned,
}

impl FloatOp {
    /// How many operands it has.
    pub const fn operands(self) -> usize {
        match self {
            Self::Fma => 3,
            Self::Add | Self::Sub | Self::Mul | Self::Div | Self::Eq | Self::Lt | Self::Le => 2,
            Self::Sqrt
            | Self::Round(_)
            | Self::ToFormat(_)
            | Self::ToSigned
            | Self::ToUnsigned
            | Self::FromSigned
            | Self::FromUnsigned => 1,
        }
    }

    /// Whether the operand is an integer.
    pub const fn is_from_integer(self) -> bool {
        matches!(self, Self::FromSigned | Self::FromUnsigned)
    }

    /// The format of the result; `None` if it is no float.
    pub const fn result(self, format: FloatFormat) -> Option<FloatFormat> {
        match self {
            Self::Eq | Self::Lt | Self::Le | Self::ToSigned | Self::ToUnsigned => None,
            Self::ToFormat(to) => Some(to),
            _ => Some(format),
        }
    }
}

/// Which numbers of a format have an integral part that fits in an integer: those above `low` (or
/// equal, if `inclusive`) and below `high`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntegerRange {
    /// Pattern of the lower bound.
    pub low: u128,
    /// Whether the lower bound itself fits.
    pub inclusive: bool,
    /// Pattern of the upper bound, perhaps infinity.
    pub high: u128,
}

impl IntegerRange {
    /// For an integer of `width` bits.
    pub fn new(format: FloatFormat, signed: bool, width: u32) -> Self {
        use soft::Soft;
        let power = |bits: u32| Soft::power(bits).pack(format);
        let negative = |pattern: u128| pattern | 1 << (format.bits() - 1);
        if !signed {
            return Self {
                low: negative(power(0)),
                inclusive: false,
                high: power(width),
            };
        }
        let high = power(width - 1);
        // One less than the least integer, where that is a number of the format.
        let exact = width <= format.fraction_bits() + 1;
        let low = if exact {
            Soft::from_integer(false, (1 << (width - 1)) + 1).pack(format)
        } else {
            high
        };
        Self {
            low: negative(low),
            inclusive: !exact && high != format.infinity(),
            high,
        }
    }
}

//! Numbers of 256 bits: exact products of significands, and what a fused multiplication adds to them.

use super::soft::{Soft, jam};

/// A number of 256 bits: high and low half.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Wide(pub u128, pub u128);

impl Wide {
    /// The product of two numbers of 128 bits.
    pub fn product(a: u128, b: u128) -> Self {
        let low = |x: u128| x & u128::from(u64::MAX);
        let (a1, a0, b1, b0) = (a >> 64, low(a), b >> 64, low(b));
        let (p00, p01, p10, p11) = (a0 * b0, a0 * b1, a1 * b0, a1 * b1);
        let middle = (p00 >> 64) + low(p01) + low(p10);
        Wide(
            p11 + (p01 >> 64) + (p10 >> 64) + (middle >> 64),
            middle << 64 | low(p00),
        )
    }

    /// Shifted right, with the lowest bit set if a set bit was lost.
    pub fn jam(self, by: u32) -> Self {
        let Wide(high, low) = self;
        match by {
            0 => self,
            1..=127 => Wide(high >> by, high << (128 - by) | jam(low, by)),
            _ => Wide(0, jam(high, by - 128) | u128::from(low != 0)),
        }
    }

    /// The sum, which fits.
    pub fn plus(self, other: Self) -> Self {
        let (low, carry) = self.1.overflowing_add(other.1);
        Wide(self.0 + other.0 + u128::from(carry), low)
    }

    /// The difference to a number that is not larger.
    pub fn minus(self, other: Self) -> Self {
        let (low, borrow) = self.1.overflowing_sub(other.1);
        Wide(self.0 - other.0 - u128::from(borrow), low)
    }

    /// `self / 2^255 * 2^exponent`, not zero, in the bits of a significand.
    pub fn normal(self, negative: bool, exponent: i32) -> Soft {
        let Wide(high, low) = self;
        let zeros = match high {
            0 => 128 + low.leading_zeros(),
            _ => high.leading_zeros(),
        };
        let (high, rest) = match zeros {
            0 => (high, low),
            1..=127 => (high << zeros | low >> (128 - zeros), low << zeros),
            _ => (low << (zeros - 128), 0),
        };
        Soft::normal(
            negative,
            exponent - zeros as i32,
            high | u128::from(rest != 0),
        )
    }
}

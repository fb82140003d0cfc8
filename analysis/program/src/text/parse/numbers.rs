//! Numbers as text.

use crate::constant::FloatKind;

/// A type of numbers.
pub trait Number: Sized {
    /// What numbers there are.
    const RANGE: &'static str;
    /// The number that a text is.
    fn parse(text: &str) -> Option<Self>;
}

macro_rules! unsigned {
    ($($ty:ident $range:literal)*) => {$(
        impl Number for $ty {
            const RANGE: &'static str = $range;

            fn parse(text: &str) -> Option<Self> {
                match text.strip_prefix("0x") {
                    Some(digits) if digits.starts_with('+') => None,
                    Some(digits) => Self::from_str_radix(digits, 16).ok(),
                    None => text.parse().ok(),
                }
            }
        }
    )*};
}

unsigned! {
    u32 "a number from 0 to 4294967295"
    u64 "a number from 0 to 18446744073709551615"
    u128 "a number from 0 to 340282366920938463463374607431768211455"
}

impl Number for i64 {
    const RANGE: &'static str = "a number from -9223372036854775808 to 9223372036854775807";

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

/// The bits of an integer of `width` bits, at most 128: a number that is unsigned, negative or
/// hexadecimal.
pub fn integer(text: &str, width: u32) -> Option<u128> {
    let mask = u128::MAX >> (128 - width.clamp(1, 128));
    if let Some(digits) = text.strip_prefix('-') {
        let magnitude: u128 = digits.parse().ok()?;
        let least = 1 << (width - 1);
        return (magnitude <= least).then(|| magnitude.wrapping_neg() & mask);
    }
    let value = u128::parse(text)?;
    (value <= mask).then_some(value)
}

/// The limbs of an integer of `width` bits.
pub fn wide_integer(text: &str, width: u32) -> Option<Box<[u64]>> {
    let mut limbs = vec![0u64; width.div_ceil(64) as usize];
    let Some(digits) = text.strip_prefix("0x") else {
        let value: u128 = text.parse().ok()?;
        limbs[0] = value as u64;
        limbs[1] = (value >> 64) as u64;
        return Some(limbs.into());
    };
    for (at, digit) in digits.bytes().rev().enumerate() {
        let value = u64::from(char::from(digit).to_digit(16)?);
        if value == 0 {
            continue;
        }
        let bits = 64 - value.leading_zeros();
        if at as u64 * 4 + u64::from(bits) > u64::from(width) {
            return None;
        }
        limbs[at / 16] |= value << (at % 16 * 4);
    }
    Some(limbs.into())
}

/// The bits of a floating-point number: hexadecimal bits, or decimal for `float` and `double`.
pub fn float(text: &str, kind: FloatKind) -> Option<u128> {
    if let Some(digits) = text.strip_prefix("0x") {
        let bits = u128::from_str_radix(digits, 16).ok()?;
        let all = u128::MAX >> (128 - kind.bits());
        return (bits <= all).then_some(bits);
    }
    match kind {
        FloatKind::Single => text.parse().ok().map(|it: f32| u128::from(it.to_bits())),
        FloatKind::Double => text.parse().ok().map(|it: f64| u128::from(it.to_bits())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_in_the_range_of_their_width() {
        assert_eq!(integer("-1", 8), Some(255));
        assert_eq!(integer("-128", 8), Some(128));
        assert_eq!(integer("-129", 8), None);
        assert_eq!(integer("255", 8), Some(255));
        assert_eq!(integer("256", 8), None);
        assert_eq!(integer("0xff", 8), Some(255));
        assert_eq!(integer("1", 1), Some(1));
        assert_eq!(integer("-1", 128), Some(u128::MAX));
        assert_eq!(integer("1.5", 8), None);
    }

    #[test]
    fn wide_integers_fill_limbs_from_below() {
        let limbs = wide_integer("0x10000000000000002", 129);
        assert_eq!(limbs.as_deref(), Some(&[2, 1, 0][..]));
        assert_eq!(
            wide_integer("0x2000000000000000000000000000000000", 129),
            None
        );
        let top = wide_integer("0x100000000000000000000000000000000", 129);
        assert_eq!(top.as_deref(), Some(&[0, 0, 1][..]));
    }

    #[test]
    fn floats_are_decimal_or_bits() {
        assert_eq!(float("1.5", FloatKind::Double), Some(0x3ff8 << 48));
        assert_eq!(
            float("0x3ff8000000000000", FloatKind::Double),
            Some(0x3ff8 << 48)
        );
        assert_eq!(
            float("1e-3", FloatKind::Single),
            Some(u128::from(0.001f32.to_bits()))
        );
        assert_eq!(float("1.5", FloatKind::Quad), None);
        assert_eq!(float("0x10000", FloatKind::Half), None);
    }
}

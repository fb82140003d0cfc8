//! Byte offsets in an object: one offset, or all offsets of one residue modulo a stride.
//!
//! A variable array index with elements of `s` bytes leads from offset `o` to the class
//! `o mod s`, so fields of an array of structures stay apart while elements are merged. The
//! classes form a lattice of finite height (strides only shrink by divisors), which is what
//! bounds pointer arithmetic in loops. The same type, counted in eight-byte slots, names the
//! memory cells of an object: an access touches the slots that its bytes lie in, so a pointer
//! copied byte by byte, or in two halves, is still seen.

use std::fmt;

/// Bytes in a memory cell.
pub const SLOT: u64 = 8;

/// Offsets beyond this are not told apart.
const LIMIT: i64 = 1 << 28;

/// A set of offsets: exactly `residue` if `stride` is 0, else all `residue + i * stride`.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize,
)]
pub struct Offset {
    /// Distance between members; 0 for a single offset, 1 for all offsets.
    pub stride: u32,
    /// The only member, or the least that is not negative.
    pub residue: i32,
}

/// Greatest common divisor; that of 0 and n is n.
pub fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl Offset {
    /// All offsets.
    pub const ANY: Offset = Offset {
        stride: 1,
        residue: 0,
    };
    /// Offset 0.
    pub const ZERO: Offset = Offset {
        stride: 0,
        residue: 0,
    };

    /// The single offset `at`; all offsets if it is too large to be told apart.
    pub fn exact(at: i64) -> Self {
        Self::strided(0, at)
    }

    /// The offsets `residue + i * stride`.
    pub fn strided(stride: u64, residue: i64) -> Self {
        if stride == 0 {
            if residue.abs() > LIMIT {
                return Self::ANY;
            }
            return Self {
                stride: 0,
                residue: residue as i32,
            };
        }
        if stride > LIMIT as u64 {
            return Self::ANY;
        }
        Self {
            stride: stride as u32,
            residue: residue.rem_euclid(stride as i64) as i32,
        }
    }

    /// Whether it is a single offset.
    pub const fn is_exact(self) -> bool {
        self.stride == 0
    }

    /// Whether it is a single offset greater than `size`.
    pub fn is_past(self, size: u64) -> bool {
        self.is_exact() && i64::try_from(size).is_ok_and(|size| i64::from(self.residue) > size)
    }

    /// All sums of a member of each.
    pub fn plus(self, other: Offset) -> Offset {
        let stride = gcd(u64::from(self.stride), u64::from(other.stride));
        Self::strided(stride, i64::from(self.residue) + i64::from(other.residue))
    }

    /// All differences of a member of each.
    pub fn minus(self, other: Offset) -> Offset {
        let stride = gcd(u64::from(self.stride), u64::from(other.stride));
        Self::strided(stride, i64::from(self.residue) - i64::from(other.residue))
    }

    /// Whether the two have a member in common.
    pub fn overlaps(self, other: Offset) -> bool {
        let difference = i64::from(self.residue) - i64::from(other.residue);
        match gcd(u64::from(self.stride), u64::from(other.stride)) {
            0 => difference == 0,
            stride => difference % stride as i64 == 0,
        }
    }

    /// Whether every member of `other` is a member.
    pub fn covers(self, other: Offset) -> bool {
        if self.stride == 0 {
            return self == other;
        }
        other.stride.is_multiple_of(self.stride)
            && (i64::from(self.residue) - i64::from(other.residue)) % i64::from(self.stride) == 0
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stride {
            0 => write!(out, "{}", self.residue),
            1 => write!(out, "?"),
            stride => write!(out, "{}%{stride}", self.residue),
        }
    }
}

/// The slots that an access of `width` bytes at `offset` touches in an object of `size` bytes
/// (`None`: unknown). Bytes outside of the object are nobody's: such an access is an error.
pub fn touched(offset: Offset, width: u64, size: Option<u64>) -> Vec<Offset> {
    let end = size.map_or(i64::MAX, |size| i64::try_from(size).unwrap_or(i64::MAX));
    let width = i64::try_from(width.max(1)).unwrap_or(LIMIT).min(LIMIT);
    // All slots, of which there may be one.
    let any = || match end <= SLOT as i64 {
        true => vec![Offset::ZERO],
        false => vec![Offset::ANY],
    };
    let (stride, residue) = (i64::from(offset.stride), i64::from(offset.residue));
    // Only one member lies in the object (the next is at or past its end).
    if stride == 0 || residue + stride >= end {
        let (first, last) = (residue.max(0), (residue + width).min(end) - 1);
        if first > last {
            return Vec::new();
        }
        let slots = first / SLOT as i64..=last / SLOT as i64;
        if slots.end() - slots.start() >= 64 {
            return any();
        }
        return slots.map(Offset::exact).collect();
    }
    let period = stride / SLOT as i64;
    if stride % SLOT as i64 != 0 || period == 1 {
        return any();
    }
    let (first, last) = (residue / SLOT as i64, (residue + width - 1) / SLOT as i64);
    if last - first + 1 >= period {
        return any();
    }
    (first..=last)
        .map(|slot| Offset::strided(period as u64, slot))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(offset: Offset) -> Vec<i64> {
        (-96..96)
            .filter(|&at| offset.covers(Offset::exact(at)))
            .collect()
    }

    #[test]
    fn operations_agree_with_sets_of_integers() {
        let all: Vec<Offset> = [0, 1, 3, 4, 6, 8, 24]
            .iter()
            .flat_map(|&stride| (0..9).map(move |residue| Offset::strided(stride, residue)))
            .collect();
        for &a in &all {
            for &b in &all {
                let (left, right) = (members(a), members(b));
                assert_eq!(
                    a.overlaps(b),
                    left.iter().any(|at| right.contains(at)),
                    "{a} {b}"
                );
                assert_eq!(
                    a.covers(b),
                    right.iter().all(|at| left.contains(at)),
                    "{a} {b}"
                );
                let (sum, difference) = (a.plus(b), a.minus(b));
                for &x in left.iter().filter(|x| x.abs() < 30) {
                    for &y in right.iter().filter(|y| y.abs() < 30) {
                        assert!(sum.covers(Offset::exact(x + y)), "{a} + {b}");
                        assert!(difference.covers(Offset::exact(x - y)), "{a} - {b}");
                    }
                }
            }
        }
    }

    #[test]
    fn touched_slots_hold_every_byte_in_bounds() {
        for stride in [0, 1, 4, 8, 12, 16, 24] {
            for residue in 0..26 {
                for width in [1, 4, 8, 16] {
                    for size in [None, Some(24), Some(50)] {
                        let offset = Offset::strided(stride, residue);
                        let slots = touched(offset, width, size);
                        let end = size.unwrap_or(90) as i64;
                        for at in members(offset) {
                            if at < 0 || at + width as i64 > end {
                                continue;
                            }
                            for byte in at..at + width as i64 {
                                let slot = Offset::exact(byte / 8);
                                assert!(slots.iter().any(|touched| touched.covers(slot)));
                            }
                        }
                    }
                }
            }
        }
    }

    /// A class touches what each of its members touches, from the start of the object on.
    #[test]
    fn wider_classes_touch_no_less() {
        let strides = [0, 1, 2, 4, 8, 12, 16, 24, 32, 48];
        let classes = strides.iter();
        let all: Vec<Offset> = classes
            .flat_map(|&stride| (0..40).map(move |residue| Offset::strided(stride, residue)))
            .collect();
        for size in [None, Some(1), Some(8), Some(24), Some(40), Some(50)] {
            for width in [1, 4, 8, 16] {
                for &wide in &all {
                    let slots = touched(wide, width, size);
                    for &narrow in all.iter().filter(|&&narrow| wide.covers(narrow)) {
                        for slot in touched(narrow, width, size) {
                            let there = slots.iter().any(|touched| touched.covers(slot));
                            assert!(there, "{narrow} in {wide}: {slot}, {slots:?}, {size:?}");
                        }
                    }
                }
            }
        }
    }
}

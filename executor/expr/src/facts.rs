//! What is known about a value without asking a solver: an unsigned interval and the bits that
//! are always 0 or always 1. Computed once per node from the facts of its operands, when the
//! node is made. Nothing is known about values wider than 64 bits. A base counts as its number.

use crate::fold::{mask, signed};
use crate::ids::{ExprId, TableId};
use crate::node::{BinaryOp, Node};
use crate::pool::Pool;

/// Bits of a value that are the same for all inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct KnownBits {
    /// Bits that are always 0 (only bits within the width).
    pub zeros: u64,
    /// Bits that are always 1.
    pub ones: u64,
}

/// An unsigned interval and the known bits, each sharpened by the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Facts {
    pub lo: u64,
    pub hi: u64,
    pub bits: KnownBits,
}

impl Facts {
    /// Nothing known about a value of `width` bits.
    pub const fn top(width: u32) -> Self {
        Self {
            lo: 0,
            hi: mask(width),
            bits: KnownBits { zeros: 0, ones: 0 },
        }
    }

    pub const fn exact(value: u64, width: u32) -> Self {
        let bits = KnownBits {
            zeros: !value & mask(width),
            ones: value,
        };
        Self {
            lo: value,
            hi: value,
            bits,
        }
    }

    const fn range(lo: u64, hi: u64) -> Self {
        Self {
            lo,
            hi,
            bits: KnownBits { zeros: 0, ones: 0 },
        }
    }

    const fn of_bits(zeros: u64, ones: u64, width: u32) -> Self {
        Self {
            lo: 0,
            hi: mask(width),
            bits: KnownBits { zeros, ones },
        }
    }

    /// True of a value that satisfies either.
    pub fn join(self, other: Self) -> Self {
        Self {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
            bits: KnownBits {
                zeros: self.bits.zeros & other.bits.zeros,
                ones: self.bits.ones & other.bits.ones,
            },
        }
    }

    /// True of a value that satisfies both.
    pub fn meet(self, other: Self, width: u32) -> Self {
        let both = Self {
            lo: self.lo.max(other.lo),
            hi: self.hi.min(other.hi),
            bits: KnownBits {
                zeros: self.bits.zeros | other.bits.zeros,
                ones: self.bits.ones | other.bits.ones,
            },
        };
        both.sharpen(width)
    }

    /// The interval cut by the bits, and the bits common to the interval added.
    fn sharpen(mut self, width: u32) -> Self {
        let all = mask(width);
        self.lo = self.lo.max(self.bits.ones);
        self.hi = self.hi.min(all & !self.bits.zeros);
        let differing = self.lo ^ self.hi;
        let prefix = all & !mask(64 - differing.leading_zeros());
        self.bits.zeros |= prefix & !self.lo;
        self.bits.ones |= prefix & self.lo;
        self
    }
}

/// Known bits of `a + b + carry`: a bit is known where both operand bits and the carry into it
/// are, and the carries are those of the smallest and the largest sum.
fn add_bits(a: KnownBits, b: KnownBits, carry: u64, width: u32) -> KnownBits {
    let all = mask(width);
    let largest = (all & !a.zeros)
        .wrapping_add(all & !b.zeros)
        .wrapping_add(carry);
    let smallest = a.ones.wrapping_add(b.ones).wrapping_add(carry);
    let carry_zero = !(largest ^ !a.zeros ^ !b.zeros);
    let carry_one = smallest ^ a.ones ^ b.ones;
    let known = (a.zeros | a.ones) & (b.zeros | b.ones) & (carry_zero | carry_one) & all;
    KnownBits {
        zeros: !largest & known,
        ones: smallest & known,
    }
}

fn binary(op: BinaryOp, width: u32, a: Facts, b: Facts) -> Facts {
    let all = mask(width);
    match op {
        BinaryOp::Add => {
            let bits = add_bits(a.bits, b.bits, 0, width);
            match (a.lo.checked_add(b.lo), a.hi.checked_add(b.hi)) {
                (Some(lo), Some(hi)) if hi <= all => Facts { lo, hi, bits },
                (lo, _) if lo.is_none_or(|lo| lo > all) => Facts {
                    lo: a.lo.wrapping_add(b.lo) & all,
                    hi: a.hi.wrapping_add(b.hi) & all,
                    bits,
                },
                _ => Facts {
                    bits,
                    ..Facts::top(width)
                },
            }
        }
        BinaryOp::Sub => {
            let complement = KnownBits {
                zeros: b.bits.ones,
                ones: b.bits.zeros,
            };
            let bits = add_bits(a.bits, complement, 1, width);
            if a.lo >= b.hi || a.hi < b.lo {
                let lo = a.lo.wrapping_sub(b.hi) & all;
                Facts {
                    lo,
                    hi: a.hi.wrapping_sub(b.lo) & all,
                    bits,
                }
            } else {
                Facts {
                    bits,
                    ..Facts::top(width)
                }
            }
        }
        BinaryOp::Mul => {
            let zeros = trailing_zeros(a) + trailing_zeros(b);
            let bits = KnownBits {
                zeros: mask(zeros.min(width)),
                ones: 0,
            };
            match a.hi.checked_mul(b.hi) {
                Some(hi) if hi <= all => Facts {
                    lo: a.lo * b.lo,
                    hi,
                    bits,
                },
                _ => Facts {
                    bits,
                    ..Facts::top(width)
                },
            }
        }
        BinaryOp::UDiv if b.lo > 0 => Facts::range(a.lo / b.hi, a.hi / b.lo),
        BinaryOp::URem if a.hi < b.lo => a,
        BinaryOp::URem if b.lo > 0 => Facts::range(0, a.hi.min(b.hi - 1)),
        BinaryOp::URem => Facts::range(0, a.hi),
        BinaryOp::LShr if b.lo < 64 => Facts::range(0, a.hi >> b.lo),
        BinaryOp::Shl if b.lo < u64::from(width) => {
            let zeros = trailing_zeros(a) + b.lo as u32;
            Facts::of_bits(mask(zeros.min(width)), 0, width)
        }
        BinaryOp::And => Facts {
            hi: a.hi.min(b.hi),
            ..Facts::of_bits(
                a.bits.zeros | b.bits.zeros,
                a.bits.ones & b.bits.ones,
                width,
            )
        },
        BinaryOp::Or => Facts {
            lo: a.lo.max(b.lo),
            ..Facts::of_bits(
                a.bits.zeros & b.bits.zeros,
                a.bits.ones | b.bits.ones,
                width,
            )
        },
        BinaryOp::Xor => Facts::of_bits(
            a.bits.zeros & b.bits.zeros | a.bits.ones & b.bits.ones,
            a.bits.zeros & b.bits.ones | a.bits.ones & b.bits.zeros,
            width,
        ),
        _ => Facts::top(width),
    }
}

/// The number of low bits known to be 0.
const fn trailing_zeros(facts: Facts) -> u32 {
    facts.bits.zeros.trailing_ones()
}

fn extract(value: Facts, from: u32, low: u32, width: u32) -> Facts {
    if from > 64 {
        return Facts::top(width);
    }
    let all = mask(width);
    let bits = KnownBits {
        zeros: value.bits.zeros >> low & all,
        ones: value.bits.ones >> low & all,
    };
    let (lo, hi) = (value.lo >> low, value.hi >> low);
    if lo & !all == hi & !all {
        Facts {
            lo: lo & all,
            hi: hi & all,
            bits,
        }
    } else {
        Facts {
            bits,
            ..Facts::top(width)
        }
    }
}

fn sign_extend(value: Facts, from: u32, width: u32) -> Facts {
    let sign = 1 << (from - 1);
    let above = mask(width) & !mask(from);
    let KnownBits { zeros, ones } = value.bits;
    if value.hi < sign {
        Facts {
            bits: KnownBits {
                zeros: zeros | above,
                ones,
            },
            ..value
        }
    } else if value.lo >= sign {
        let bits = KnownBits {
            zeros,
            ones: ones | above,
        };
        Facts {
            lo: value.lo | above,
            hi: value.hi | above,
            bits,
        }
    } else {
        Facts::of_bits(zeros & mask(from - 1), ones & mask(from - 1), width)
    }
}

/// Facts of nodes of which more is known than their width. Most are the same few, such as those of
/// a byte that was widened, and stored once.
#[derive(Default)]
pub(crate) struct FactTable {
    all: Vec<Facts>,
    /// Where facts of that hash were put last.
    recent: Vec<u32>,
}

impl FactTable {
    #[inline]
    pub(crate) fn get(&self, at: u32) -> Facts {
        self.all[at as usize]
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<Facts>()
    }

    /// The position of these facts.
    pub(crate) fn intern(&mut self, facts: Facts) -> u32 {
        const RECENT: usize = 1 << 10;
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        if self.recent.is_empty() {
            self.recent = vec![0; RECENT];
            self.all.push(facts);
        }
        let Facts { lo, hi, bits } = facts;
        let mixed =
            (lo ^ hi.rotate_left(19) ^ bits.zeros.rotate_left(37) ^ bits.ones.rotate_left(53))
                .wrapping_mul(ODD);
        let recent = &mut self.recent[(mixed >> 54) as usize % RECENT];
        if self.all[*recent as usize] != facts {
            *recent = u32::try_from(self.all.len()).expect("fewer than 2^32 facts");
            self.all.push(facts);
        }
        *recent
    }
}

impl Pool {
    /// The facts of a node that is about to be made.
    pub(crate) fn derive_facts(&self, node: Node, width: u32) -> Facts {
        self.facts_by(node, width, |e| self.facts(e))
    }

    /// The facts of a node when its operands have these.
    #[inline(always)]
    pub(crate) fn facts_by(&self, node: Node, width: u32, of: impl Fn(ExprId) -> Facts) -> Facts {
        if width > 64 {
            return Facts::top(64);
        }
        let facts = match node {
            Node::Const(value) => return Facts::exact(value, width),
            Node::Base(object) => return Facts::exact(self.object_number(object), width),
            Node::Wide(_) | Node::Symbol(..) | Node::Compare(..) | Node::Float(..) => {
                Facts::top(width)
            }
            Node::Binary(op, a, b) => binary(op, width, of(a), of(b)),
            Node::Not(a) => {
                let a = of(a);
                let all = mask(width);
                let bits = KnownBits {
                    zeros: a.bits.ones,
                    ones: a.bits.zeros,
                };
                Facts {
                    lo: all - a.hi,
                    hi: all - a.lo,
                    bits,
                }
            }
            Node::Ite(_, a, b) => of(a).join(of(b)),
            Node::Extract { value, low } => extract(of(value), self.width(value), low, width),
            Node::Concat(high, low) => {
                let (h, l, by) = (of(high), of(low), self.width(low));
                let bits = KnownBits {
                    zeros: h.bits.zeros << by | l.bits.zeros,
                    ones: h.bits.ones << by | l.bits.ones,
                };
                Facts {
                    lo: h.lo << by | l.lo,
                    hi: h.hi << by | l.hi,
                    bits,
                }
            }
            Node::ZExt(a) => {
                let mut facts = of(a);
                facts.bits.zeros |= mask(width) & !mask(self.width(a));
                facts
            }
            Node::SExt(a) => sign_extend(of(a), self.width(a), width),
            Node::Read(table, index) => self.read_facts(table, of(index)),
        };
        facts.sharpen(width)
    }

    /// The join over the elements that the index can reach (all of them when they are many).
    fn read_facts(&self, table: TableId, index: Facts) -> Facts {
        const MANY: u64 = 64;
        let elements = self.table_elements(table);
        let last = elements.len().saturating_sub(1) as u64;
        let (lo, hi) = (index.lo.min(last), index.hi.min(last));
        if hi - lo >= MANY {
            return self.table_facts(table);
        }
        let reached = &elements[lo as usize..=hi as usize];
        let join = reached.iter().map(|&e| self.facts(e)).reduce(Facts::join);
        join.unwrap_or_else(|| self.table_facts(table))
    }

    /// An unsigned interval that holds every value `e` can have; `(0, u64::MAX)` when `e` is
    /// wider than 64 bits.
    pub fn range(&self, e: ExprId) -> (u64, u64) {
        let facts = self.facts(e);
        (facts.lo, facts.hi)
    }

    /// The bits of `e` that are the same for all inputs; none when `e` is wider than 64 bits.
    pub fn known_bits(&self, e: ExprId) -> KnownBits {
        self.facts(e).bits
    }

    /// A signed interval that holds every value `e` can have (at most 64 bits wide).
    pub fn signed_range(&self, e: ExprId) -> (i64, i64) {
        let e = match self.node(e) {
            Node::SExt(narrow) => narrow,
            _ => e,
        };
        let (width, facts) = (self.width(e), self.facts(e));
        if width > 64 {
            return (i64::MIN, i64::MAX);
        }
        let sign = 1u64 << (width - 1);
        if facts.hi < sign || facts.lo >= sign {
            (signed(facts.lo, width), signed(facts.hi, width))
        } else {
            (signed(sign, width), (sign - 1) as i64)
        }
    }
}

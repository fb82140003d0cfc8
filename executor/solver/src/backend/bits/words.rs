//! Circuits for operations on words (bits, lowest first).
//!
//! Adders are ripple-carry. Products are shift-and-add, over the signed digits (non-adjacent form)
//! of a constant operand. For division by a constant, quotient and remainder are new variables with
//! their defining equation, since a product with a constant is a few additions. Other divisions are
//! long division.

use plat_expr::{BinaryOp, CompareOp};

use super::circuit::{Bit, Circuit};

/// A word's bits, the lowest first.
pub(super) type Word = Vec<Bit>;

/// A constant of `width` bits from its limbs.
pub(super) fn constant(width: u32, limbs: &[u64]) -> Word {
    let bit = |at: usize| {
        limbs
            .get(at / 64)
            .is_some_and(|limb| limb >> (at % 64) & 1 == 1)
    };
    (0..width as usize)
        .map(|at| Bit::constant(bit(at)))
        .collect()
}

/// The bits of a word that is a constant.
fn constant_bits(word: &[Bit]) -> Option<Vec<bool>> {
    word.iter()
        .map(|&bit| match bit {
            Bit::TRUE => Some(true),
            Bit::FALSE => Some(false),
            _ => None,
        })
        .collect()
}

fn complement(word: &[Bit]) -> Word {
    word.iter().map(|&bit| !bit).collect()
}

/// The word truncated, or extended with `fill`.
pub(super) fn resized(word: &[Bit], width: usize, fill: Bit) -> Word {
    let mut word = word.to_vec();
    word.resize(width, fill);
    word
}

/// The non-adjacent form of a constant: digits -1, 0 and 1, of which no two neighbours are nonzero;
/// lowest first.
fn digits(bits: &[bool]) -> Vec<i8> {
    let mut digits = Vec::with_capacity(bits.len());
    let mut carry = false;
    for (at, &bit) in bits.iter().enumerate() {
        let next = bits.get(at + 1).copied().unwrap_or(false);
        let odd = bit != carry;
        digits.push(match odd {
            true if next => -1,
            true => 1,
            false => 0,
        });
        carry = if odd { next } else { bit };
    }
    digits
}

impl Circuit {
    /// A binary operation on words of one width.
    pub fn binary(&mut self, op: BinaryOp, a: &[Bit], b: &[Bit]) -> Word {
        match op {
            BinaryOp::Add => self.add(a, b, Bit::FALSE),
            BinaryOp::Sub => self.add(a, &complement(b), Bit::TRUE),
            BinaryOp::Mul => self.product(a, b),
            BinaryOp::UDiv => self.divide(a, b).0,
            BinaryOp::URem => self.divide(a, b).1,
            BinaryOp::SDiv | BinaryOp::SRem => self.signed_division(op, a, b),
            BinaryOp::Shl => {
                let (mut a, fill) = (a.to_vec(), Bit::FALSE);
                a.reverse();
                let mut shifted = self.shift_right(&a, b, fill);
                shifted.reverse();
                shifted
            }
            BinaryOp::LShr => self.shift_right(a, b, Bit::FALSE),
            BinaryOp::AShr => {
                let sign = a.last().copied().unwrap_or(Bit::FALSE);
                self.shift_right(a, b, sign)
            }
            BinaryOp::And => self.bitwise(a, b, Self::and),
            BinaryOp::Or => self.bitwise(a, b, Self::or),
            BinaryOp::Xor => self.bitwise(a, b, Self::xor),
        }
    }

    fn bitwise(&mut self, a: &[Bit], b: &[Bit], gate: fn(&mut Self, Bit, Bit) -> Bit) -> Word {
        let pairs = a.iter().zip(b);
        pairs.map(|(&a, &b)| gate(self, a, b)).collect()
    }

    /// A comparison of words of one width.
    pub fn compare(&mut self, op: CompareOp, a: &[Bit], b: &[Bit]) -> Bit {
        match op {
            CompareOp::Eq => self.equal(a, b),
            CompareOp::Ult => self.below(a, b),
            CompareOp::Slt => {
                let (mut a, mut b) = (a.to_vec(), b.to_vec());
                for word in [&mut a, &mut b] {
                    if let Some(sign) = word.last_mut() {
                        *sign = !*sign;
                    }
                }
                self.below(&a, &b)
            }
        }
    }

    fn equal(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        let same: Vec<Bit> = a.iter().zip(b).map(|(&a, &b)| !self.xor(a, b)).collect();
        self.all(same)
    }

    /// Whether `a < b`, unsigned: the carry of `!a + b`.
    fn below(&mut self, a: &[Bit], b: &[Bit]) -> Bit {
        let pairs = a.iter().zip(b);
        pairs.fold(Bit::FALSE, |less, (&a, &b)| self.majority(!a, b, less))
    }

    /// The word `a` if `c` is true, else `b`.
    pub fn mux_word(&mut self, c: Bit, a: &[Bit], b: &[Bit]) -> Word {
        let pairs = a.iter().zip(b);
        pairs.map(|(&a, &b)| self.mux(c, a, b)).collect()
    }

    fn add(&mut self, a: &[Bit], b: &[Bit], mut carry: Bit) -> Word {
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let (bit, next) = self.sum(a, b, carry);
            sum.push(bit);
            carry = next;
        }
        sum
    }

    fn negate(&mut self, a: &[Bit]) -> Word {
        let zeros = vec![Bit::FALSE; a.len()];
        self.add(&zeros, &complement(a), Bit::TRUE)
    }

    fn product(&mut self, a: &[Bit], b: &[Bit]) -> Word {
        if let Some(constant) = constant_bits(b) {
            return self.product_with_constant(a, &constant);
        }
        if let Some(constant) = constant_bits(a) {
            return self.product_with_constant(b, &constant);
        }
        // One row for each bit of `b` that is not constant 0.
        let rows = |word: &[Bit]| word.iter().filter(|&&bit| bit != Bit::FALSE).count();
        let (a, b) = if rows(a) < rows(b) { (b, a) } else { (a, b) };
        let mut sum = vec![Bit::FALSE; a.len()];
        for (at, &bit) in b.iter().enumerate() {
            if bit == Bit::FALSE {
                continue;
            }
            let row: Word = a[..a.len() - at]
                .iter()
                .map(|&a| self.and(a, bit))
                .collect();
            let upper = self.add(&sum[at..], &row, Bit::FALSE);
            sum.splice(at.., upper);
        }
        sum
    }

    fn product_with_constant(&mut self, a: &[Bit], constant: &[bool]) -> Word {
        let mut sum = vec![Bit::FALSE; a.len()];
        for (at, digit) in digits(constant).into_iter().enumerate() {
            let row = &a[..a.len() - at];
            let upper = match digit {
                0 => continue,
                1 => self.add(&sum[at..], row, Bit::FALSE),
                _ => self.add(&sum[at..], &complement(row), Bit::TRUE),
            };
            sum.splice(at.., upper);
        }
        sum
    }

    /// Quotient and remainder, unsigned. By zero: all ones, and `a`.
    fn divide(&mut self, a: &[Bit], b: &[Bit]) -> (Word, Word) {
        match constant_bits(b) {
            Some(by) if by.contains(&true) => self.divide_by_constant(a, b),
            _ => self.long_division(a, b),
        }
    }

    /// `a = b * quotient + remainder`, `remainder < b`, without overflow; `b` is not zero.
    fn divide_by_constant(&mut self, a: &[Bit], b: &[Bit]) -> (Word, Word) {
        let width = a.len();
        let bits = width - b.iter().rev().take_while(|&&bit| bit == Bit::FALSE).count();
        if b[..bits - 1].iter().all(|&bit| bit == Bit::FALSE) {
            let (low, high) = a.split_at(bits - 1);
            return (
                resized(high, width, Bit::FALSE),
                resized(low, width, Bit::FALSE),
            );
        }
        let mut variable = |bits: usize| -> Word { (0..bits).map(|_| self.variable()).collect() };
        // As 2^(bits - 1) <= b, the quotient is below 2^(width - bits + 1).
        let quotient = resized(&variable(width - bits + 1), width, Bit::FALSE);
        let remainder = resized(&variable(bits), width, Bit::FALSE);
        // The product is below 2^(width + 1), and the sum below 2^(width + 2).
        let wide = |word: &[Bit]| resized(word, width + 2, Bit::FALSE);
        let product = self.product(&wide(&quotient), &wide(b));
        let sum = self.add(&product, &wide(&remainder), Bit::FALSE);
        let same = self.equal(&sum, &wide(a));
        let less = self.below(&remainder, b);
        self.add_clause(&[same]);
        self.add_clause(&[less]);
        (quotient, remainder)
    }

    fn long_division(&mut self, a: &[Bit], b: &[Bit]) -> (Word, Word) {
        let width = a.len();
        let b = resized(b, width + 1, Bit::FALSE);
        let mut rest = vec![Bit::FALSE; width + 1];
        let mut quotient = vec![Bit::FALSE; width];
        for at in (0..width).rev() {
            rest.pop();
            rest.insert(0, a[at]);
            let fits = !self.below(&rest, &b);
            let less = self.add(&rest, &complement(&b), Bit::TRUE);
            rest = self.mux_word(fits, &less, &rest);
            quotient[at] = fits;
        }
        rest.pop();
        (quotient, rest)
    }

    /// The quotient is rounded towards zero; the remainder has the sign of `a`.
    fn signed_division(&mut self, op: BinaryOp, a: &[Bit], b: &[Bit]) -> Word {
        let (Some(&sign_a), Some(&sign_b)) = (a.last(), b.last()) else {
            return Word::new();
        };
        let (minus_a, minus_b) = (self.negate(a), self.negate(b));
        let (a, b) = (
            self.mux_word(sign_a, &minus_a, a),
            self.mux_word(sign_b, &minus_b, b),
        );
        let (quotient, remainder) = self.divide(&a, &b);
        let (magnitude, sign) = if op == BinaryOp::SDiv {
            (quotient, self.xor(sign_a, sign_b))
        } else {
            (remainder, sign_a)
        };
        let opposite = self.negate(&magnitude);
        self.mux_word(sign, &opposite, &magnitude)
    }

    /// A barrel shifter to the right; `fill` is shifted in.
    fn shift_right(&mut self, a: &[Bit], by: &[Bit], fill: Bit) -> Word {
        let mut word = a.to_vec();
        let mut too_far = Bit::FALSE;
        for (stage, &bit) in by.iter().enumerate() {
            let places = 1usize.checked_shl(stage as u32).filter(|&of| of < a.len());
            let Some(places) = places else {
                too_far = self.or(too_far, bit);
                continue;
            };
            let mut moved = word[places..].to_vec();
            moved.resize(a.len(), fill);
            word = self.mux_word(bit, &moved, &word);
        }
        let filled = vec![fill; a.len()];
        self.mux_word(too_far, &filled, &word)
    }

    /// The element at an index, or the last one beyond the end: a tree of multiplexers over the
    /// bits of the index. Equal subtrees are shared, so for one bit of constant elements the levels
    /// from the leaves have at most 4, 16, 256 ... different gates.
    pub fn element(&mut self, elements: &[Word], index: &[Bit]) -> Word {
        let last = elements.len().saturating_sub(1);
        let Some(end) = elements.get(last) else {
            return Word::new();
        };
        let bits = (usize::BITS - last.leading_zeros()) as usize;
        let (index, above) = index.split_at(bits.min(index.len()));
        let inside: Vec<Bit> = above.iter().map(|&bit| !bit).collect();
        let inside = self.all(inside);
        let mut element = Word::with_capacity(end.len());
        for place in 0..end.len() {
            let mut level: Vec<Bit> = elements.iter().map(|word| word[place]).collect();
            for &digit in index {
                // Pad with the last element.
                if level.len() % 2 == 1 {
                    level.push(end[place]);
                }
                let pairs = level.chunks_exact(2);
                level = pairs
                    .map(|pair| self.mux(digit, pair[1], pair[0]))
                    .collect();
            }
            element.push(self.mux(inside, level[0], end[place]));
        }
        element
    }
}

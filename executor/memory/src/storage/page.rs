//! One page of contents: bytes, with overlays for pointers and for symbolic bytes.
//!
//! - The bytes are always there. Under a pointer they hold its number, so that a pointer costs
//!   four more bytes per word (its object) and its offset is the number minus the object's.
//! - A symbolic byte is "byte `part` of expression `expr`". Storing an expression of any width
//!   notes that for each byte and builds nothing; reading the same bytes back finds consecutive
//!   parts of one expression and returns it whole.
//!
//! Both overlays are made at first use, so that a page of plain data stays plain.

use plat_expr::{ExprId, ObjectId};

/// Bytes per page. Smaller objects have one page of their own size, rounded up to words.
pub const PAGE: usize = 1024;

/// Bytes per word: the size and alignment of a pointer that is stored whole.
pub const WORD: usize = 8;

/// What one byte of memory is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// A known byte.
    Concrete(u8),
    /// Byte number `part` (0 is the lowest) of an expression.
    Part {
        /// The expression.
        expr: ExprId,
        /// Which byte of it.
        part: u32,
    },
    /// Byte number `part` of a pointer that is stored whole in an aligned word.
    Pointer {
        /// What it points to.
        object: ObjectId,
        /// Its number: the object's number plus its offset.
        number: u64,
        /// Which byte of it.
        part: u32,
    },
}

/// What an access of at most eight bytes finds when nothing symbolic is in its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// The bytes, little-endian, zero-extended.
    Bits(u64),
    /// A whole pointer: its object and its number.
    Pointer(ObjectId, u64),
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    expr: ExprId,
    part: u32,
}

/// The overlay of symbolic bytes: a bit per byte, and what the bytes with a set bit are.
#[derive(Clone, Debug)]
struct Symbolic {
    mask: Box<[u64]>,
    slots: Box<[Slot]>,
}

impl Symbolic {
    fn new(len: usize) -> Self {
        let (expr, part) = (ExprId::new(0), 0);
        Self {
            mask: vec![0; len.div_ceil(64)].into(),
            slots: vec![Slot { expr, part }; len].into(),
        }
    }

    #[inline]
    fn has(&self, at: usize) -> bool {
        self.mask[at / 64] >> (at % 64) & 1 != 0
    }

    fn any(&self, at: usize, n: usize) -> bool {
        let mut at = at;
        let end = at + n;
        while at < end {
            let chunk = (64 - at % 64).min(end - at);
            let bits = if chunk == 64 { !0 } else { (1u64 << chunk) - 1 };
            if self.mask[at / 64] >> (at % 64) & bits != 0 {
                return true;
            }
            at += chunk;
        }
        false
    }

    fn clear(&mut self, at: usize, n: usize) {
        let mut at = at;
        let end = at + n;
        while at < end {
            let chunk = (64 - at % 64).min(end - at);
            let bits = if chunk == 64 { !0 } else { (1u64 << chunk) - 1 };
            self.mask[at / 64] &= !(bits << (at % 64));
            at += chunk;
        }
    }
}

/// The page. Its length is a multiple of [`WORD`]; positions are relative to its start.
#[derive(Clone, Debug)]
pub struct Page {
    bytes: Box<[u8]>,
    /// Per word: 0, or 1 + the object that the pointer stored there points to.
    pointers: Option<Box<[u32]>>,
    symbolic: Option<Box<Symbolic>>,
}

impl Page {
    /// A page of zeros for at least `len` bytes.
    pub fn zeros(len: usize) -> Self {
        Self {
            bytes: vec![0; len.max(1).next_multiple_of(WORD)].into(),
            pointers: None,
            symbolic: None,
        }
    }

    /// Number of bytes.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The page with zeros behind its end, `len` bytes long.
    pub fn grown(&self, len: usize) -> Self {
        let mut grown = Self::zeros(len);
        for at in 0..self.size() {
            match self.cell(at) {
                Cell::Concrete(byte) => grown.bytes[at] = byte,
                Cell::Part { expr, part } => grown.set_part(at, expr, part),
                Cell::Pointer { object, number, .. } if at.is_multiple_of(WORD) => {
                    grown.set_pointer(at, object, number);
                }
                Cell::Pointer { .. } => {}
            }
        }
        grown
    }

    /// The pointer that the word around `at` holds whole, as an object and a number.
    #[inline]
    pub fn pointer(&self, at: usize) -> Option<(ObjectId, u64)> {
        let object = self.pointers.as_ref()?[at / WORD].checked_sub(1)?;
        Some((ObjectId(object), self.bits(at & !(WORD - 1), WORD)))
    }

    #[inline]
    fn bits(&self, at: usize, n: usize) -> u64 {
        if n == 8 {
            let mut word = [0; 8];
            word.copy_from_slice(&self.bytes[at..at + 8]);
            return u64::from_le_bytes(word);
        }
        let mut word = [0; 8];
        word[..n].copy_from_slice(&self.bytes[at..at + n]);
        u64::from_le_bytes(word)
    }

    /// Reads `n` bytes (at most 8); `None` when some are symbolic or part of a pointer.
    #[inline]
    pub fn word(&self, at: usize, n: usize) -> Option<Word> {
        if let Some(symbolic) = &self.symbolic
            && symbolic.any(at, n)
        {
            return None;
        }
        if let Some(pointers) = &self.pointers {
            let (first, last) = (pointers[at / WORD], pointers[(at + n - 1) / WORD]);
            if first | last != 0 {
                let whole = at.is_multiple_of(WORD) && n == WORD;
                return whole.then(|| Word::Pointer(ObjectId(first - 1), self.bits(at, n)));
            }
        }
        Some(Word::Bits(self.bits(at, n)))
    }

    /// The bytes `at .. at + n`, when none is symbolic or part of a pointer.
    pub fn plain(&self, at: usize, n: usize) -> Option<&[u8]> {
        if self.symbolic.as_ref().is_some_and(|some| some.any(at, n)) {
            return None;
        }
        if let Some(pointers) = &self.pointers
            && n > 0
            && pointers[at / WORD..=(at + n - 1) / WORD]
                .iter()
                .any(|&object| object != 0)
        {
            return None;
        }
        Some(&self.bytes[at..at + n])
    }

    /// One byte.
    pub fn cell(&self, at: usize) -> Cell {
        if let Some(symbolic) = &self.symbolic
            && symbolic.has(at)
        {
            let Slot { expr, part } = symbolic.slots[at];
            return Cell::Part { expr, part };
        }
        if let Some((object, number)) = self.pointer(at) {
            return Cell::Pointer {
                object,
                number,
                part: (at % WORD) as u32,
            };
        }
        Cell::Concrete(self.bytes[at])
    }

    /// Forgets the overlays of `at .. at + n`. The caller has taken apart every pointer that
    /// straddles an end of the range.
    #[inline]
    fn uncover(&mut self, at: usize, n: usize) {
        if let Some(symbolic) = &mut self.symbolic {
            symbolic.clear(at, n);
        }
        if let Some(pointers) = &mut self.pointers
            && n > 0
        {
            for word in &mut pointers[at / WORD..=(at + n - 1) / WORD] {
                *word = 0;
            }
        }
    }

    /// Writes `n` bytes (at most 8), little-endian.
    #[inline]
    pub fn set_bits(&mut self, at: usize, n: usize, bits: u64) {
        self.uncover(at, n);
        self.bytes[at..at + n].copy_from_slice(&bits.to_le_bytes()[..n]);
    }

    /// Writes plain bytes.
    pub fn set_plain(&mut self, at: usize, bytes: &[u8]) {
        self.uncover(at, bytes.len());
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Writes the same byte `n` times.
    pub fn fill(&mut self, at: usize, n: usize, byte: u8) {
        if n == self.size() {
            (self.pointers, self.symbolic) = (None, None);
        }
        self.uncover(at, n);
        self.bytes[at..at + n].fill(byte);
    }

    /// Writes a whole pointer at a word boundary.
    pub fn set_pointer(&mut self, at: usize, object: ObjectId, number: u64) {
        debug_assert!(at.is_multiple_of(WORD));
        self.set_bits(at, WORD, number);
        let words = self.bytes.len() / WORD;
        let pointers = self.pointers.get_or_insert_with(|| vec![0; words].into());
        pointers[at / WORD] = object.0 + 1;
    }

    /// Makes one byte symbolic. The caller has taken apart a pointer that covers it.
    pub fn set_part(&mut self, at: usize, expr: ExprId, part: u32) {
        let len = self.bytes.len();
        let symbolic = self
            .symbolic
            .get_or_insert_with(|| Box::new(Symbolic::new(len)));
        symbolic.mask[at / 64] |= 1 << (at % 64);
        symbolic.slots[at] = Slot { expr, part };
    }

    /// Forgets that the word around `at` is a pointer; its bytes are then the number's.
    pub fn forget_pointer(&mut self, at: usize) {
        if let Some(pointers) = &mut self.pointers {
            pointers[at / WORD] = 0;
        }
    }
}

//! One page of contents: bytes, with overlays for pointers and for symbolic bytes.
//!
//! - The bytes are always there. Under a pointer they hold its offset; beside them stands its
//!   object, so that loading a pointer does not look up the object.
//! - A symbolic byte is "byte `part` of expression `expr`". Storing an expression of any width
//!   notes that for each byte and builds nothing; reading the same bytes back finds consecutive
//!   parts of one expression and returns it whole.
//!
//! Both overlays are made at first use, so that a page of plain data stays plain.

use plat_expr::{ExprId, FALSE, ObjectId, Pool, Value};
use std::rc::Rc;

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
        /// The pointer.
        pointer: Stored,
        /// Which byte of it.
        part: u32,
    },
}

/// What an access of at most eight bytes finds when nothing symbolic is in its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// The bytes, little-endian, zero-extended.
    Bits(u64),
    /// A whole pointer.
    Pointer(Stored),
}

/// A pointer in a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stored {
    /// What it points to.
    pub object: ObjectId,
    /// Where in it.
    pub offset: i64,
}

impl Stored {
    /// The pointer as a value.
    #[inline(always)]
    pub fn value(self) -> Value {
        Value::Pointer(self.object, self.offset)
    }

    /// The pointer as an expression.
    pub(super) fn expr(self, pool: &mut Pool) -> ExprId {
        self.value().to_expr(pool, 64)
    }
}

/// What the overlay of pointers has for a word: 0, or 1 + the object that the pointer stored in the
/// word points to.
pub(super) type Mark = u32;

#[derive(Clone, Copy, Debug)]
struct Slot {
    expr: ExprId,
    part: u32,
}

plat_expr::holder!(Slot { expr } plain { part });

/// Bytes whose slots are kept together.
const CHUNK: usize = 64;

/// The overlay of symbolic bytes: a bit per byte, and what the bytes with a set bit are. Pages that
/// were copied share chunks of slots until one is written; where no bit is set is no chunk.
#[derive(Clone, Debug)]
struct Symbolic {
    mask: Box<[u64]>,
    chunks: Box<[Option<Rc<[Slot]>>]>,
}

plat_expr::holder!(Symbolic { chunks } plain { mask });

impl Symbolic {
    fn new(len: usize) -> Self {
        let chunks = len.div_ceil(CHUNK);
        Self {
            mask: vec![0; chunks].into(),
            chunks: vec![None; chunks].into(),
        }
    }

    /// What a byte with a set bit is.
    fn slot(&self, at: usize) -> Option<Slot> {
        let chunk = self.chunks[at / CHUNK].as_ref();
        chunk
            .filter(|_| self.has(at))
            .map(|chunk| chunk[at % CHUNK])
    }

    /// Sets a byte of a page of `len` bytes.
    fn set(&mut self, at: usize, slot: Slot, len: usize) {
        self.mask[at / CHUNK] |= 1 << (at % CHUNK);
        let chunk = self.chunks[at / CHUNK].get_or_insert_with(|| {
            let (expr, part) = (FALSE, 0);
            vec![Slot { expr, part }; CHUNK.min(len)].into()
        });
        Rc::make_mut(chunk)[at % CHUNK] = slot;
    }

    #[inline]
    fn has(&self, at: usize) -> bool {
        self.mask[at / 64] >> (at % 64) & 1 != 0
    }

    #[cold]
    #[inline(never)]
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

    /// Forgets bytes of a chunk. In a chunk that is shared, slots stay until none has a set bit.
    fn forget(&mut self, at: usize, bits: u64) {
        let mut gone = self.mask[at] & bits;
        self.mask[at] &= !bits;
        if self.mask[at] == 0 {
            self.chunks[at] = None;
        }
        if let Some(slots) = self.chunks[at].as_mut().and_then(Rc::get_mut) {
            while gone != 0 {
                slots[gone.trailing_zeros() as usize].expr = FALSE;
                gone &= gone - 1;
            }
        }
    }

    fn clear(&mut self, at: usize, n: usize) {
        let mut at = at;
        let end = at + n;
        while at < end {
            let chunk = (64 - at % 64).min(end - at);
            let bits = if chunk == 64 { !0 } else { (1u64 << chunk) - 1 };
            self.forget(at / CHUNK, bits << (at % CHUNK));
            at += chunk;
        }
    }
}

/// The page. Its length is a multiple of [`WORD`]; positions are relative to its start.
#[derive(Clone, Debug)]
pub struct Page {
    bytes: Box<[u8]>,
    /// Per word; empty when there is no pointer.
    pointers: Box<[Mark]>,
    symbolic: Option<Box<Symbolic>>,
}

plat_expr::holder!(Page { symbolic } plain { bytes, pointers });

impl Page {
    /// A page of zeros for at least `len` bytes.
    pub fn zeros(len: usize) -> Self {
        Self {
            bytes: vec![0; len.max(1).next_multiple_of(WORD)].into(),
            pointers: Box::default(),
            symbolic: None,
        }
    }

    /// Number of bytes.
    #[inline(always)]
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
                Cell::Pointer { .. } if at.is_multiple_of(WORD) => {
                    if let Some(pointer) = self.pointer(at) {
                        grown.set_pointer(at, pointer);
                    }
                }
                Cell::Pointer { .. } => {}
            }
        }
        grown
    }

    /// The pointer that the word around `at` holds whole.
    #[inline(always)]
    pub fn pointer(&self, at: usize) -> Option<Stored> {
        let mark = self.pointers.get(at / WORD)?;
        Some(Stored {
            object: ObjectId(mark.checked_sub(1)?),
            offset: self.bits(at & !(WORD - 1), WORD).cast_signed(),
        })
    }

    #[inline(always)]
    fn bits(&self, at: usize, n: usize) -> u64 {
        fn exactly<const N: usize>(bytes: &[u8], at: usize) -> u64 {
            let mut word = [0; 8];
            word[..N].copy_from_slice(&bytes[at..at + N]);
            u64::from_le_bytes(word)
        }
        match n {
            1 => u64::from(self.bytes[at]),
            2 => exactly::<2>(&self.bytes, at),
            4 => exactly::<4>(&self.bytes, at),
            8 => exactly::<8>(&self.bytes, at),
            _ => {
                let mut word = [0; 8];
                word[..n].copy_from_slice(&self.bytes[at..at + n]);
                u64::from_le_bytes(word)
            }
        }
    }

    /// The mark of the word around `at .. at + n` (at least one byte, at most eight), or something
    /// of both marks if that is in two of them.
    #[inline(always)]
    fn mark(&self, at: usize, n: usize) -> Mark {
        let (first, last) = (at / WORD, (at + n - 1) / WORD);
        match self.pointers.get(first) {
            Some(&mark) if first == last => mark,
            Some(&mark) => mark | self.pointers[last],
            None => 0,
        }
    }

    /// Reads `n` bytes (at least one, at most 8); `None` when some are symbolic or part of a
    /// pointer.
    #[inline(always)]
    pub fn word(&self, at: usize, n: usize) -> Option<Word> {
        if let Some(symbolic) = &self.symbolic
            && symbolic.any(at, n)
        {
            return None;
        }
        match self.mark(at, n).checked_sub(1) {
            None => Some(Word::Bits(self.bits(at, n))),
            Some(object) if n == WORD && at.is_multiple_of(WORD) => Some(Word::Pointer(Stored {
                object: ObjectId(object),
                offset: self.bits(at, WORD).cast_signed(),
            })),
            Some(_) => None,
        }
    }

    /// Writes `n` bytes (at least one, at most 8) where nothing is to be taken apart or
    /// forgotten; says whether that was so.
    #[inline(always)]
    pub fn overwrite(&mut self, at: usize, n: usize, bits: u64) -> bool {
        if let Some(symbolic) = &self.symbolic
            && symbolic.any(at, n)
        {
            return false;
        }
        if self.mark(at, n) != 0 {
            if n != WORD || !at.is_multiple_of(WORD) {
                return false;
            }
            self.pointers[at / WORD] = 0;
        }
        self.set_word(at, n, bits);
        true
    }

    #[inline(always)]
    fn set_word(&mut self, at: usize, n: usize, bits: u64) {
        let word = bits.to_le_bytes();
        match n {
            1 => self.bytes[at] = word[0],
            2 => self.bytes[at..at + 2].copy_from_slice(&word[..2]),
            4 => self.bytes[at..at + 4].copy_from_slice(&word[..4]),
            8 => self.bytes[at..at + 8].copy_from_slice(&word),
            _ => self.bytes[at..at + n].copy_from_slice(&word[..n]),
        }
    }

    /// Whether some byte of `at .. at + n` is symbolic.
    #[inline(always)]
    pub(super) fn is_symbolic(&self, at: usize, n: usize) -> bool {
        let symbolic = self.symbolic.as_ref();
        symbolic.is_some_and(|symbolic| symbolic.any(at, n))
    }

    /// The bytes `at .. at + n`, when none is symbolic or part of a pointer.
    pub fn plain(&self, at: usize, n: usize) -> Option<&[u8]> {
        if self.symbolic.as_ref().is_some_and(|some| some.any(at, n)) {
            return None;
        }
        if !self.pointers.is_empty()
            && n > 0
            && self.pointers[at / WORD..=(at + n - 1) / WORD]
                .iter()
                .any(|&mark| mark != 0)
        {
            return None;
        }
        Some(&self.bytes[at..at + n])
    }

    /// The same, to change.
    pub(super) fn plain_mut(&mut self, at: usize, n: usize) -> Option<&mut [u8]> {
        self.plain(at, n)?;
        Some(&mut self.bytes[at..at + n])
    }

    /// One byte.
    pub fn cell(&self, at: usize) -> Cell {
        if let Some(symbolic) = &self.symbolic
            && let Some(Slot { expr, part }) = symbolic.slot(at)
        {
            return Cell::Part { expr, part };
        }
        if let Some(pointer) = self.pointer(at) {
            let part = (at % WORD) as u32;
            return Cell::Pointer { pointer, part };
        }
        Cell::Concrete(self.bytes[at])
    }

    /// Forgets the overlays of `at .. at + n`. The caller has taken apart every pointer that
    /// straddles an end of the range.
    #[inline]
    fn uncover(&mut self, at: usize, n: usize) {
        if let Some(symbolic) = &mut self.symbolic
            && symbolic.any(at, n)
        {
            symbolic.clear(at, n);
            if symbolic.mask.iter().all(|&bits| bits == 0) {
                self.symbolic = None;
            }
        }
        if !self.pointers.is_empty() && n > 0 {
            self.pointers[at / WORD..=(at + n - 1) / WORD].fill(0);
        }
    }

    /// Writes `n` bytes (at most 8), little-endian.
    #[inline]
    pub fn set_bits(&mut self, at: usize, n: usize, bits: u64) {
        self.uncover(at, n);
        self.set_word(at, n, bits);
    }

    /// Writes plain bytes.
    pub fn set_plain(&mut self, at: usize, bytes: &[u8]) {
        self.uncover(at, bytes.len());
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Copies whole words, pointers with them, from words of a page if none of those is symbolic;
    /// says whether it has.
    pub fn copy_words(&mut self, at: usize, source: &Page, from: usize, n: usize) -> bool {
        let symbolic = source.symbolic.as_ref();
        if !(at | from | n).is_multiple_of(WORD) || symbolic.is_some_and(|some| some.any(from, n)) {
            return false;
        }
        self.set_plain(at, &source.bytes[from..from + n]);
        if let Some(marks) = source.pointers.get(from / WORD..(from + n) / WORD) {
            if self.pointers.is_empty() {
                let words = self.bytes.len() / WORD;
                self.pointers = vec![0; words].into();
            }
            self.pointers[at / WORD..][..marks.len()].copy_from_slice(marks);
        }
        true
    }

    /// Writes the same byte `n` times.
    pub fn fill(&mut self, at: usize, n: usize, byte: u8) {
        if n == self.size() {
            (self.pointers, self.symbolic) = (Box::default(), None);
        }
        self.uncover(at, n);
        self.bytes[at..at + n].fill(byte);
    }

    /// Writes a whole pointer at a word boundary.
    #[inline]
    pub fn set_pointer(&mut self, at: usize, pointer: Stored) {
        debug_assert!(at.is_multiple_of(WORD));
        if self.symbolic.is_none()
            && let Some(mark) = self.pointers.get_mut(at / WORD)
            && let Some(word) = self.bytes.get_mut(at..at + WORD)
        {
            word.copy_from_slice(&pointer.offset.to_le_bytes());
            *mark = pointer.object.0 + 1;
            return;
        }
        self.set_first_pointer(at, pointer);
    }

    /// The same where there was no pointer, or something symbolic.
    #[inline(never)]
    fn set_first_pointer(&mut self, at: usize, pointer: Stored) {
        self.set_bits(at, WORD, pointer.offset.cast_unsigned());
        if self.pointers.is_empty() {
            let words = self.bytes.len() / WORD;
            self.pointers = vec![0; words].into();
        }
        self.pointers[at / WORD] = pointer.object.0 + 1;
    }

    /// Makes one byte symbolic. The caller has taken apart a pointer that covers it.
    pub fn set_part(&mut self, at: usize, expr: ExprId, part: u32) {
        let len = self.bytes.len();
        let symbolic = self
            .symbolic
            .get_or_insert_with(|| Box::new(Symbolic::new(len)));
        symbolic.set(at, Slot { expr, part }, len);
    }

    /// Forgets that the word around `at` is a pointer: all of its bytes are to be written.
    pub fn forget_pointer(&mut self, at: usize) {
        if let Some(mark) = self.pointers.get_mut(at / WORD) {
            *mark = 0;
        }
    }
}

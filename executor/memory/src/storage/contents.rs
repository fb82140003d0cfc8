//! Contents that do not fit into a [`super::Storage`] itself.
//!
//! Copy-on-write pages, so that forking a state copies nothing and a write copies one page.
//! Contents up to one page are held directly. See [`super::pages`] for what is absent, and
//! [`super::page`] for what a page can hold, [`super::symbolic`] for accesses at a symbolic
//! position, [`super::pending`] for what such writes leave behind.

use super::page::{Cell, Page, Stored, WORD, Word};
use super::pages::Pages;
use super::pending::Pending;
use super::symbolic::Tables;
use super::{bytes_of, low_mask};
use plat_expr::{ExprId, Pool, Value};
use std::rc::Rc;

/// Bytes, pointers and expressions at positions `0 .. size`. Positions are checked by whoever
/// resolved the pointer: an access outside is a bug in plat and panics.
#[derive(Clone, Debug)]
#[repr(C)] // what every access looks at comes first
pub struct Contents {
    size: u64,
    pub(super) pages: Pages,
    pub(super) pending: Pending,
    pub(super) tables: Tables,
}

plat_expr::holder!(Contents { pages, pending, tables } plain { size });

impl Contents {
    /// `size` zero bytes.
    pub fn zeros(size: u64) -> Self {
        Self {
            size,
            pages: Pages::zeros(size),
            pending: Pending::default(),
            tables: Tables::default(),
        }
    }

    /// As [`Contents::zeros`], to be shared.
    #[inline(never)]
    pub fn shared(size: u64) -> Rc<Self> {
        Rc::new(Self::zeros(size))
    }

    /// `size` bytes (at most a page) of the words that `word` has at their positions.
    pub fn of_words(size: u64, word: impl Fn(usize) -> Option<Word>) -> Self {
        let mut page = Page::zeros(size as usize);
        for at in (0..page.size()).step_by(WORD) {
            match word(at) {
                Some(Word::Bits(bits)) => page.set_bits(at, WORD, bits),
                Some(Word::Pointer(pointer)) => page.set_pointer(at, pointer),
                None => {}
            }
        }
        Self {
            pages: Pages::One(page),
            ..Self::zeros(size)
        }
    }

    /// Number of bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Makes the storage at least `size` bytes long; new bytes are zero.
    pub fn grow(&mut self, size: u64) {
        if size <= self.size {
            return;
        }
        self.pages.grow(size);
        self.size = size;
    }

    /// The page around `at` (absent: zeros) and the position in it.
    #[inline(always)]
    pub(super) fn page(&self, at: u64) -> (Option<&Page>, usize) {
        self.pages.get(at)
    }

    #[inline(always)]
    pub(super) fn page_mut(&mut self, at: u64) -> (&mut Page, usize) {
        self.pages.get_mut(at)
    }

    /// Bytes from `at` to the end of its page.
    #[inline(always)]
    pub(super) fn rest_of_page(&self, at: u64) -> usize {
        self.pages.rest(at)
    }

    /// One byte, as the pages have it.
    pub(super) fn cell(&self, at: u64) -> Cell {
        match self.page(at) {
            (Some(page), at) => page.cell(at),
            (None, _) => Cell::Concrete(0),
        }
    }

    /// At least one and at most eight bytes within a page, if nothing symbolic is in the way.
    #[inline(always)]
    pub(crate) fn word(&self, at: u64, n: usize) -> Option<Word> {
        if n > WORD || self.pending.touches(at, n as u64) {
            return None;
        }
        match self.pages.get_whole(at, n)? {
            (Some(page), at) => page.word(at, n),
            (None, _) => Some(Word::Bits(0)),
        }
    }

    /// Reads a value of `bits` bits.
    #[inline]
    pub fn load(&self, pool: &mut Pool, at: u64, bits: u32) -> Value {
        let n = bytes_of(bits);
        debug_assert!(at + u64::from(n) <= self.size);
        match self.word(at, n as usize) {
            Some(Word::Bits(word)) => return Value::Int(word & low_mask(bits)),
            Some(Word::Pointer(pointer)) if bits == 64 => return pointer.value(),
            _ => {}
        }
        let mut expr = self.expr(pool, at, n);
        if !bits.is_multiple_of(8) {
            expr = pool.extract(expr, 0, bits);
        }
        Value::from_expr(pool, expr)
    }

    /// Reads `n` bytes as an expression of `8 * n` bits.
    pub fn expr(&self, pool: &mut Pool, at: u64, n: u32) -> ExprId {
        match self.word(at, n as usize) {
            Some(Word::Bits(word)) => return pool.constant(8 * n, word),
            Some(Word::Pointer(pointer)) => return pointer.expr(pool),
            None => {}
        }
        if self.pending.touches(at, u64::from(n)) {
            return self.pending_expr(pool, at, n);
        }
        self.page_expr(pool, at, n)
    }

    /// What the pages have at `at .. at + n`.
    pub(super) fn page_expr(&self, pool: &mut Pool, at: u64, n: u32) -> ExprId {
        let mut result: Option<ExprId> = None;
        let mut done = 0;
        while done < n {
            let (piece, len) = self.piece(pool, at + u64::from(done), n - done);
            result = Some(match result {
                Some(low) => pool.concat(piece, low),
                None => piece,
            });
            done += len;
        }
        result.expect("an access has at least one byte")
    }

    /// The longest run of bytes from `at` on, at most `n`, that are parts of one thing: as an
    /// expression, and its length in bytes.
    fn piece(&self, pool: &mut Pool, at: u64, n: u32) -> (ExprId, u32) {
        let run = |belongs: &dyn Fn(u32, Cell) -> bool| {
            let mut len = 1;
            while len < n && belongs(len, self.cell(at + u64::from(len))) {
                len += 1;
            }
            len
        };
        match self.cell(at) {
            Cell::Concrete(byte) => {
                let len = run(&|len, cell| len < 8 && matches!(cell, Cell::Concrete(_)));
                let mut bytes = [byte, 0, 0, 0, 0, 0, 0, 0];
                for (next, slot) in bytes.iter_mut().enumerate().take(len as usize).skip(1) {
                    if let Cell::Concrete(byte) = self.cell(at + next as u64) {
                        *slot = byte;
                    }
                }
                (pool.constant(8 * len, u64::from_le_bytes(bytes)), len)
            }
            Cell::Part { expr, part } => {
                let next = |len| Cell::Part {
                    expr,
                    part: part + len,
                };
                let len = run(&|len, cell| cell == next(len));
                (pool.extract(expr, 8 * part, 8 * len), len)
            }
            Cell::Pointer { pointer, part } => {
                let len = run(&|len, _| part + len < WORD as u32);
                let whole = pointer.expr(pool);
                (pool.extract(whole, 8 * part, 8 * len), len)
            }
        }
    }

    /// Prepares `at .. at + n` for being overwritten: pending writes do not count there any more,
    /// a pointer that straddles an end of the range is taken apart into symbolic bytes, and
    /// tables made from the range are forgotten.
    #[inline]
    pub(super) fn touch(&mut self, pool: &mut Pool, at: u64, n: u64) {
        if self.pending.touches(at, n) {
            self.cover_pending(pool, at, n);
        }
        self.tables.forget(at, n);
        let word = WORD as u64;
        if !at.is_multiple_of(word) {
            self.take_apart(pool, at);
        }
        if !(at + n).is_multiple_of(word) {
            self.take_apart(pool, at + n - 1);
        }
    }

    /// Turns the pointer around `at`, if there is one, into the bytes of its expression.
    fn take_apart(&mut self, pool: &mut Pool, at: u64) {
        let (Some(page), inside) = self.page(at) else {
            return;
        };
        let Some(pointer) = page.pointer(inside) else {
            return;
        };
        let expr = pointer.expr(pool);
        let (page, inside) = self.page_mut(at);
        page.forget_pointer(inside);
        let start = inside & !(WORD - 1);
        for part in 0..WORD {
            page.set_part(start + part, expr, part as u32);
        }
    }

    /// Writes `n` bytes (at least one, at most 8) if that is all there is to do: within a page,
    /// where there is no pointer, nothing symbolic and nothing made of it. Says whether it was.
    #[inline(always)]
    pub(crate) fn overwrite(&mut self, at: u64, n: usize, bits: u64) -> bool {
        if !self.pending.none() || !self.tables.none() {
            return false;
        }
        match self.pages.get_whole_mut(at, n) {
            Some((page, at)) => page.overwrite(at, n, bits),
            None => false,
        }
    }

    /// As [`Contents::overwrite`], with a pointer at a word boundary.
    #[inline]
    pub fn overwrite_pointer(&mut self, at: u64, pointer: Stored) -> bool {
        if !self.pending.none() || !self.tables.none() {
            return false;
        }
        let (page, at) = self.page_mut(at);
        page.set_pointer(at, pointer);
        true
    }

    /// Writes a value of `bits` bits; bits up to the next whole byte become zero.
    #[inline]
    pub fn store(&mut self, pool: &mut Pool, at: u64, value: Value, bits: u32) {
        let n = bytes_of(bits);
        debug_assert!(at + u64::from(n) <= self.size);
        match value {
            Value::Int(word) if n as usize <= self.rest_of_page(at).min(WORD) => {
                self.touch(pool, at, u64::from(n));
                let (page, at) = self.page_mut(at);
                page.set_bits(at, n as usize, word & low_mask(bits));
            }
            Value::Pointer(object, offset) if bits == 64 && at.is_multiple_of(WORD as u64) => {
                self.touch(pool, at, WORD as u64);
                let (page, at) = self.page_mut(at);
                page.set_pointer(at, Stored { object, offset });
            }
            _ => {
                let mut expr = value.to_expr(pool, bits);
                if !bits.is_multiple_of(8) {
                    expr = pool.zext(expr, 8 * n);
                }
                self.store_expr(pool, at, expr, n);
            }
        }
    }

    /// Writes an expression of `8 * n` bits.
    pub fn store_expr(&mut self, pool: &mut Pool, at: u64, expr: ExprId, n: u32) {
        match Value::from_expr(pool, expr) {
            Value::Pointer(object, offset) if n == 8 && at.is_multiple_of(WORD as u64) => {
                return self.store(pool, at, Value::Pointer(object, offset), 64);
            }
            Value::Int(word) if n <= 8 => {
                return self.write_plain(pool, at, &word.to_le_bytes()[..n as usize]);
            }
            _ => {}
        }
        if let Some(limbs) = pool.as_limbs(expr) {
            let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
            return self.write_plain(pool, at, &bytes[..n as usize]);
        }
        self.touch(pool, at, u64::from(n));
        for part in 0..n {
            self.set_part(at + u64::from(part), expr, part);
        }
    }

    /// Makes one byte symbolic; [`Contents::touch`] has been called.
    pub(super) fn set_part(&mut self, at: u64, expr: ExprId, part: u32) {
        let (page, at) = self.page_mut(at);
        page.forget_pointer(at);
        page.set_part(at, expr, part);
    }
}

//! The contents of one segment.
//!
//! What is small and not symbolic lies in the storage itself, which is one line of the machine's
//! cache and is kept by value in a state's table: following a pointer to a small object costs the
//! misses that it must cost. Larger contents that were never written have no backing storage: they
//! are zero, as are the buffers that most calls make and few use. Everything else is shared
//! [`contents`].

mod absorb;
mod bulk;
mod contents;
mod difference;
mod merge;
pub mod page;
mod pages;
mod pending;
pub mod positions;
mod short;
mod small;
pub mod symbolic;

use contents::Contents;
use page::{Stored, WORD, Word};
use plat_allocator::own::own;
use plat_expr::{Byte, ExprId, Pool, Value};
pub use short::SHORT;
pub use small::SMALL;
use small::Small;
use std::rc::Rc;

/// Bytes, pointers and expressions at positions `0 .. size`. Positions are checked by whoever
/// resolved the pointer: an access outside is a bug in plat and panics.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Storage {
    /// What does not lie here.
    large: Option<Rc<Contents>>,
    /// See [`Storage::admit`].
    room: u32,
    /// The size, if there are no [`Contents`]. What is longer than [`SMALL`] is zero then, and so
    /// is `small`.
    size: u16,
    writable: bool,
    small: Small,
}

plat_expr::holder!(Storage { large } plain { room, size, writable, small });

const _: () = assert!(size_of::<Option<Storage>>() == 64);

/// Bytes that a value of `bits` bits takes in memory.
pub const fn bytes_of(bits: u32) -> u32 {
    bits.div_ceil(8)
}

/// The lowest `bits` bits set (`bits` at most 64).
#[inline]
pub(crate) const fn low_mask(bits: u32) -> u64 {
    if bits >= 64 { !0 } else { (1 << bits) - 1 }
}

impl Storage {
    /// `size` zero bytes.
    #[inline]
    pub fn zeros(size: u64) -> Self {
        let short = u16::try_from(size);
        Self {
            large: match short {
                Ok(_) => None,
                Err(_) => Some(Contents::shared(size)),
            },
            room: 0,
            size: short.unwrap_or(0),
            writable: false,
            small: Small::default(),
        }
    }

    /// Whether the contents lie here.
    #[inline(always)]
    fn is_here(&self) -> bool {
        self.large.is_none() && usize::from(self.size) <= SMALL
    }

    /// Whether the contents are zeros that lie nowhere.
    fn is_unwritten(&self) -> bool {
        self.large.is_none() && usize::from(self.size) > SMALL
    }

    /// Number of bytes.
    pub fn size(&self) -> u64 {
        match &self.large {
            None => u64::from(self.size),
            Some(contents) => contents.size(),
        }
    }

    /// Lets accesses to the one object that the contents are of go to them directly: those of its
    /// first `room` bytes.
    pub(crate) fn admit(&mut self, room: u64, writable: bool) {
        self.room = u32::try_from(room).unwrap_or(0);
        self.writable = writable;
    }

    /// The first bytes, that accesses go to directly.
    #[inline(always)]
    pub(crate) fn room(&self) -> u64 {
        u64::from(self.room)
    }

    /// Whether `n` bytes at `offset` may be read directly.
    #[inline(always)]
    pub(crate) fn readable(&self, offset: i64, n: u32) -> bool {
        let end = offset.cast_unsigned().checked_add(u64::from(n));
        end.is_some_and(|end| end <= u64::from(self.room))
    }

    /// Whether `n` bytes at `offset` may be written directly.
    #[inline(always)]
    pub(crate) fn writable(&self, offset: i64, n: u32) -> bool {
        self.writable && self.readable(offset, n)
    }

    /// The contents as they would be if they did not lie here.
    fn contents(&self) -> Rc<Contents> {
        match &self.large {
            Some(contents) => Rc::clone(contents),
            None if self.is_unwritten() => Contents::shared(self.size.into()),
            None => Rc::new(Contents::of_words(u64::from(self.size), |at| {
                self.small.word(at, WORD)
            })),
        }
    }

    /// The contents, which do not lie here from now on.
    fn contents_mut(&mut self) -> &mut Contents {
        if self.large.is_none() {
            self.large = Some(self.contents());
        }
        // They are there now.
        let contents = self
            .large
            .get_or_insert_with(|| Rc::new(Contents::zeros(0)));
        own(contents)
    }

    /// Whether no write at a symbolic position is pending.
    pub fn is_settled(&self) -> bool {
        self.large.as_ref().is_none_or(|large| large.pending.none())
    }

    /// Makes the storage at least `size` bytes long; new bytes are zero.
    pub fn grow(&mut self, size: u64) {
        if self.is_here() && size <= SMALL as u64 {
            self.size = self.size.max(size as u16);
        } else {
            self.contents_mut().grow(size);
        }
    }

    /// At least one and at most eight bytes within a page, if nothing symbolic is in the way.
    #[inline(always)]
    pub(crate) fn word(&self, at: u64, n: usize) -> Option<Word> {
        match &self.large {
            None if n <= WORD => self.small.word(at as usize, n),
            None => None,
            Some(contents) => contents.word(at, n),
        }
    }

    /// Writes `n` bytes (at least one, at most 8) if that is all there is to do: nothing is taken
    /// apart and nothing forgotten. Says whether it was.
    #[inline(always)]
    pub(crate) fn overwrite(&mut self, at: u64, n: usize, bits: u64) -> bool {
        match &mut self.large {
            None if usize::from(self.size) <= SMALL => self.small.overwrite(at as usize, n, bits),
            None => self.overwrite_first(at, n, bits),
            Some(contents) => own(contents).overwrite(at, n, bits),
        }
    }

    /// [`Storage::overwrite`] where nothing has been written yet.
    #[cold]
    #[inline(never)]
    fn overwrite_first(&mut self, at: u64, n: usize, bits: u64) -> bool {
        self.contents_mut().overwrite(at, n, bits)
    }

    /// As [`Storage::overwrite`], with a pointer.
    #[inline(always)]
    pub(crate) fn overwrite_pointer(&mut self, at: u64, pointer: Stored) -> bool {
        if !at.is_multiple_of(WORD as u64) {
            return false;
        }
        match &mut self.large {
            None if usize::from(self.size) <= SMALL => {
                self.small.set_pointer(at as usize, pointer);
                true
            }
            None => self.overwrite_pointer_first(at, pointer),
            Some(contents) => own(contents).overwrite_pointer(at, pointer),
        }
    }

    /// [`Storage::overwrite_pointer`] where nothing has been written yet.
    #[cold]
    #[inline(never)]
    fn overwrite_pointer_first(&mut self, at: u64, pointer: Stored) -> bool {
        self.contents_mut().overwrite_pointer(at, pointer)
    }

    /// Reads a value of `bits` bits.
    #[inline]
    pub fn load(&self, pool: &mut Pool, at: u64, bits: u32) -> Value {
        match self.word(at, bytes_of(bits) as usize) {
            Some(Word::Bits(word)) => Value::Int(word & low_mask(bits)),
            Some(Word::Pointer(pointer)) if bits == 64 => pointer.value(),
            _ => self.contents().load(pool, at, bits),
        }
    }

    /// Reads `n` bytes as an expression of `8 * n` bits.
    pub fn expr(&self, pool: &mut Pool, at: u64, n: u32) -> ExprId {
        if self.is_unwritten() {
            return pool.constant_limbs(8 * n, &[0]);
        }
        self.contents().expr(pool, at, n)
    }

    /// Writes a value of `bits` bits; bits up to the next whole byte become zero.
    #[inline]
    pub fn store(&mut self, pool: &mut Pool, at: u64, value: Value, bits: u32) {
        if self.is_here() {
            let n = bytes_of(bits) as usize;
            match value {
                Value::Int(word) if n <= WORD => {
                    let bytes = (word & low_mask(bits)).to_le_bytes();
                    if self.small.set_plain(at as usize, &bytes[..n]) {
                        return;
                    }
                }
                Value::Pointer(object, offset)
                    if bits == 64 && self.overwrite_pointer(at, Stored { object, offset }) =>
                {
                    return;
                }
                _ => {}
            }
        }
        self.contents_mut().store(pool, at, value, bits);
    }

    /// Reads `n` bytes at `index`, which lies in `low ..= high`.
    pub fn read_at(&self, pool: &mut Pool, index: ExprId, low: u64, high: u64, n: u32) -> ExprId {
        if self.is_unwritten() {
            return pool.constant_limbs(8 * n, &[0]);
        }
        self.contents().read_at(pool, index, low, high, n)
    }

    /// Writes `n` bytes at `index`, which lies in `low ..= high`, if `guard` holds.
    #[allow(clippy::too_many_arguments, reason = "an access has this many parts")]
    pub fn write_at(
        &mut self,
        pool: &mut Pool,
        index: ExprId,
        range: (u64, u64),
        value: ExprId,
        n: u32,
        guard: Option<ExprId>,
    ) {
        let contents = self.contents_mut();
        contents.write_at(pool, index, range, value, n, guard);
    }

    /// Reads `n` bytes one by one; bytes of pointers are bytes of their expressions.
    pub fn read_bytes(&self, pool: &mut Pool, at: u64, n: u64) -> Vec<Byte> {
        if self.is_here()
            && let Some(bytes) = self.small.plain(at as usize, n as usize)
        {
            let bytes = &bytes[..n as usize];
            return bytes.iter().map(|&byte| Byte::Concrete(byte)).collect();
        }
        self.contents().read_bytes(pool, at, n)
    }

    /// Some of the `n` bytes from `at` on, at least one, when they are concrete; those that lie here
    /// are copied to `room`.
    pub fn plain<'s>(&'s self, at: u64, n: u64, room: &'s mut [u8; SMALL]) -> Option<&'s [u8]> {
        match &self.large {
            None if self.is_unwritten() => {
                *room = [0; SMALL];
                Some(&room[..(n as usize).min(SMALL)])
            }
            None => {
                *room = self.small.plain(at as usize, n as usize)?;
                Some(&room[..n as usize])
            }
            Some(contents) => contents.plain(at, n as usize),
        }
    }

    /// Bytes from `at` on, up to `n`, that are zero and have no backing storage.
    pub fn absent(&self, at: u64, n: u64) -> u64 {
        match &self.large {
            None if self.is_unwritten() => n,
            None => 0,
            Some(contents) => contents.absent(at, n),
        }
    }

    /// The `n` bytes from `at` on, when all are concrete.
    pub fn read_concrete(&self, at: u64, n: u64) -> Option<Vec<u8>> {
        match &self.large {
            None if self.is_unwritten() => Some(vec![0; n as usize]),
            None => {
                let bytes = self.small.plain(at as usize, n as usize)?;
                Some(bytes[..n as usize].to_vec())
            }
            Some(contents) => contents.read_concrete(at, n),
        }
    }

    /// Writes concrete bytes.
    pub fn write_plain(&mut self, pool: &mut Pool, at: u64, bytes: &[u8]) {
        if !self.is_here() || !self.small.set_plain(at as usize, bytes) {
            self.contents_mut().write_plain(pool, at, bytes);
        }
    }

    /// Writes bytes, some perhaps symbolic.
    pub fn write_bytes(&mut self, pool: &mut Pool, at: u64, bytes: &[Byte]) {
        if self.is_here() {
            let known = |&byte: &Byte| match byte {
                Byte::Concrete(byte) => Some(byte),
                Byte::Symbolic(expr) => pool.as_u64(expr).map(|known| known as u8),
            };
            let plain: Option<Vec<u8>> = bytes.iter().map(known).collect();
            if let Some(plain) = plain {
                return self.write_plain(pool, at, &plain);
            }
        }
        self.contents_mut().write_bytes(pool, at, bytes);
    }

    /// Writes the same concrete byte `n` times.
    pub fn fill(&mut self, pool: &mut Pool, at: u64, n: u64, byte: u8) {
        if byte == 0 && self.is_unwritten() {
            return;
        }
        let bytes = [byte; SMALL];
        let few = bytes.get(..n as usize).filter(|_| self.is_here());
        if few.is_none_or(|few| !self.small.set_plain(at as usize, few)) {
            self.contents_mut().fill(pool, at, n, byte);
        }
    }

    /// Moves `n` bytes within the storage; the ranges may overlap.
    pub fn copy_within(&mut self, pool: &mut Pool, at: u64, from: u64, n: u64) {
        if self.large.is_some() {
            return self.contents_mut().copy_within(pool, at, from, n);
        }
        let source = self.clone();
        self.copy(pool, at, &source, from, n);
    }

    /// Copies a few words one by one, if all are numbers and pointers, over such words; says whether
    /// all of them were. If not, some may have been.
    fn copy_words(&mut self, at: u64, source: &Storage, from: u64, n: u64) -> bool {
        (at | from | n).is_multiple_of(WORD as u64)
            && (0..n).step_by(WORD).all(|next| {
                let to = at + next;
                match source.word(from + next, WORD) {
                    Some(Word::Bits(bits)) => self.overwrite(to, WORD, bits),
                    Some(Word::Pointer(pointer)) => self.overwrite_pointer(to, pointer),
                    None => false,
                }
            })
    }

    /// Copies `n` bytes from `source` at `from`. Whole pointers and expressions stay whole.
    pub fn copy(&mut self, pool: &mut Pool, at: u64, source: &Storage, from: u64, n: u64) {
        if source.is_unwritten() {
            return self.fill(pool, at, n, 0);
        }
        if source.large.is_none() {
            let (at, from, n) = (at as usize, from as usize, n as usize);
            let words = self.is_here() && self.small.copy_words(at, &source.small, from, n);
            if words {
                return;
            }
            if let Some(bytes) = source.small.plain(from, n) {
                return self.write_plain(pool, at as u64, &bytes[..n]);
            }
        } else if self.is_here()
            && let Some(bytes) = source.read_concrete(from, n)
        {
            return self.write_plain(pool, at, &bytes);
        }
        if (source.large.is_none() || self.is_here()) && self.copy_words(at, source, from, n) {
            return;
        }
        let contents = source.contents();
        self.contents_mut().copy(pool, at, &contents, from, n);
    }
}

//! Contents of a small object: a few words with the pointers in them, and nothing symbolic.

use super::page::{Mark, Stored, WORD, Word};
use plat_expr::ObjectId;

/// Bytes that are small.
pub const SMALL: usize = 32;

const WORDS: usize = SMALL / WORD;

/// The words. Positions that are written are below [`SMALL`]; bytes that do not exist are zero.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
#[repr(C)]
pub(super) struct Small {
    marks: [Mark; WORDS],
    /// Under a pointer, its offset.
    words: [u64; WORDS],
}

/// The lowest `n` bytes (at least one, at most eight) set.
#[inline(always)]
const fn bytes_mask(n: usize) -> u64 {
    u64::MAX >> (64 - 8 * n)
}

impl Small {
    /// The pointer that the word around `at` holds.
    #[inline(always)]
    pub fn pointer(&self, at: usize) -> Option<Stored> {
        let word = at / WORD % WORDS;
        Some(Stored {
            object: ObjectId(self.marks[word].checked_sub(1)?),
            offset: self.words[word].cast_signed(),
        })
    }

    /// Reads `n` bytes (at least one, at most 8); `None` when some are part of a pointer only.
    #[inline(always)]
    pub fn word(&self, at: usize, n: usize) -> Option<Word> {
        let (word, inside) = (at / WORD % WORDS, at % WORD);
        if inside + n > WORD {
            return self.two_words(at, n);
        }
        if self.marks[word] == 0 {
            return Some(Word::Bits(self.words[word] >> (8 * inside) & bytes_mask(n)));
        }
        match self.pointer(at) {
            Some(pointer) if n == WORD => Some(Word::Pointer(pointer)),
            _ => None,
        }
    }

    /// Behind the end is what [`super::Storage`] has nowhere: zeros.
    #[cold]
    fn two_words(&self, at: usize, n: usize) -> Option<Word> {
        if at + n > SMALL {
            return Some(Word::Bits(0));
        }
        let bytes = self.plain(at, n)?;
        let mut word = [0; WORD];
        word[..n].copy_from_slice(&bytes[..n]);
        Some(Word::Bits(u64::from_le_bytes(word)))
    }

    /// Writes `n` bytes (at least one, at most 8) within a word, unless they are a part of a
    /// pointer; says whether they were.
    #[inline(always)]
    pub fn overwrite(&mut self, at: usize, n: usize, bits: u64) -> bool {
        let (word, inside) = (at / WORD % WORDS, at % WORD);
        if inside + n > WORD || (self.marks[word] != 0 && n != WORD) {
            return false;
        }
        self.marks[word] = 0;
        let mask = bytes_mask(n);
        let kept = self.words[word] & !(mask << (8 * inside));
        self.words[word] = kept | (bits & mask) << (8 * inside);
        true
    }

    /// Writes a whole pointer at a word boundary.
    #[inline(always)]
    pub fn set_pointer(&mut self, at: usize, pointer: Stored) {
        let word = at / WORD % WORDS;
        self.marks[word] = pointer.object.0 + 1;
        self.words[word] = pointer.offset.cast_unsigned();
    }

    /// All bytes from `at` on, if the first `n` of them are not parts of pointers.
    pub fn plain(&self, at: usize, n: usize) -> Option<[u8; SMALL]> {
        let words = at / WORD..(at + n).div_ceil(WORD);
        if self.marks[words].iter().any(|&mark| mark != 0) {
            return None;
        }
        let mut bytes = [0; SMALL];
        for (slot, word) in bytes.chunks_exact_mut(WORD).zip(self.words) {
            slot.copy_from_slice(&word.to_le_bytes());
        }
        bytes.copy_within(at.., 0);
        Some(bytes)
    }

    /// Whether a pointer lies over an end of `at .. at + n`.
    fn cuts(&self, at: usize, n: usize) -> bool {
        let over = |at: usize| !at.is_multiple_of(WORD) && self.marks[at / WORD] != 0;
        over(at) || over(at + n)
    }

    /// Writes plain bytes, unless they would cut a pointer; says whether they were.
    pub fn set_plain(&mut self, at: usize, bytes: &[u8]) -> bool {
        if self.cuts(at, bytes.len()) {
            return false;
        }
        let mut done = 0;
        while done < bytes.len() {
            let here = at + done;
            let n = (WORD - here % WORD).min(bytes.len() - done);
            let mut word = [0; WORD];
            word[..n].copy_from_slice(&bytes[done..done + n]);
            self.marks[here / WORD] = 0;
            self.overwrite(here, n, u64::from_le_bytes(word));
            done += n;
        }
        true
    }

    /// Copies `n` bytes of `source` if all of them are whole words, and land on words.
    pub fn copy_words(&mut self, at: usize, source: &Small, from: usize, n: usize) -> bool {
        if !(at | from | n).is_multiple_of(WORD) {
            return false;
        }
        let (to, from, n) = (at / WORD, from / WORD, n / WORD);
        self.marks[to..to + n].copy_from_slice(&source.marks[from..from + n]);
        self.words[to..to + n].copy_from_slice(&source.words[from..from + n]);
        true
    }
}

//! Copies of a few plain bytes, or of a few words that may be pointers: what most calls of `memcpy`
//! are.

use super::contents::Contents;
use super::page::{Page, WORD, Word};
use super::{SMALL, Storage};
use plat_allocator::own::own;

/// Bytes that are few.
pub const SHORT: usize = 64;

impl Storage {
    /// Puts as many bytes from `at` on as `to` has room for there (at most [`SHORT`]), if all are
    /// plain and together; says whether they were.
    pub(crate) fn read_short(&self, at: u64, to: &mut [u8]) -> bool {
        let n = to.len();
        match &self.large {
            None if usize::from(self.size) > SMALL => to.fill(0),
            None => match self.small.plain(at as usize, n) {
                Some(bytes) => to.copy_from_slice(&bytes[..n]),
                None => return false,
            },
            Some(contents) => match contents.plain(at, n) {
                Some(bytes) if bytes.len() == n => to.copy_from_slice(bytes),
                _ => return false,
            },
        }
        true
    }

    /// Writes a few bytes if that is all there is to do: nothing is taken apart and nothing
    /// forgotten. Says whether it was.
    pub(crate) fn write_short(&mut self, at: u64, bytes: &[u8]) -> bool {
        if self.is_here() {
            return self.small.set_plain(at as usize, bytes);
        }
        match &mut self.large {
            Some(contents) => own(contents).write_short(at, bytes),
            None => self.contents_mut().write_short(at, bytes),
        }
    }

    /// Puts as many whole words from `at` on, a multiple of [`WORD`], as `to` has room for there, if
    /// nothing symbolic is among them; says whether it has.
    pub(crate) fn read_words(&self, at: u64, to: &mut [Word]) -> bool {
        for (place, word) in (at..).step_by(WORD).zip(to) {
            match self.word(place, WORD) {
                Some(there) => *word = there,
                None => return false,
            }
        }
        true
    }

    /// Writes words from `at` on, a multiple of [`WORD`], as [`Storage::write_short`] writes bytes.
    pub(crate) fn write_words(&mut self, at: u64, words: &[Word]) -> bool {
        if !self.is_here() {
            return self.contents_mut().write_words(at, words);
        }
        for (place, &word) in (at as usize..).step_by(WORD).zip(words) {
            match word {
                Word::Bits(bits) => {
                    self.small.overwrite(place, WORD, bits);
                }
                Word::Pointer(pointer) => self.small.set_pointer(place, pointer),
            }
        }
        true
    }
}

impl Contents {
    fn write_words(&mut self, at: u64, words: &[Word]) -> bool {
        let whole = self.rest_of_page(at) >= WORD * words.len();
        if !whole || !self.pending.none() || !self.tables.none() {
            return false;
        }
        let (page, at) = self.page_mut(at);
        page.overwrite_words(at, words)
    }

    fn write_short(&mut self, at: u64, bytes: &[u8]) -> bool {
        let whole = self.rest_of_page(at) >= bytes.len();
        if !whole || !self.pending.none() || !self.tables.none() {
            return false;
        }
        let (page, at) = self.page_mut(at);
        page.overwrite_bytes(at, bytes)
    }
}

impl Page {
    /// Writes whole words where nothing is symbolic; says whether it has.
    fn overwrite_words(&mut self, at: usize, words: &[Word]) -> bool {
        if self.is_symbolic(at, WORD * words.len()) {
            return false;
        }
        for (place, &word) in (at..).step_by(WORD).zip(words) {
            match word {
                Word::Bits(bits) => {
                    self.overwrite(place, WORD, bits);
                }
                Word::Pointer(pointer) => self.set_pointer(place, pointer),
            }
        }
        true
    }

    /// Writes bytes where there are plain bytes; says whether there were.
    fn overwrite_bytes(&mut self, at: usize, bytes: &[u8]) -> bool {
        match self.plain_mut(at, bytes.len()) {
            Some(plain) => plain.copy_from_slice(bytes),
            None => return false,
        }
        true
    }
}

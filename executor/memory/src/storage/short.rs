//! Copies of a few plain bytes: what most calls of `memcpy` are.

use super::contents::Contents;
use super::page::Page;
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
}

impl Contents {
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
    /// Writes bytes where there are plain bytes; says whether there were.
    fn overwrite_bytes(&mut self, at: usize, bytes: &[u8]) -> bool {
        match self.plain_mut(at, bytes.len()) {
            Some(plain) => plain.copy_from_slice(bytes),
            None => return false,
        }
        true
    }
}

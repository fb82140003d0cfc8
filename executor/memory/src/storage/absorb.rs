//! Taking in the whole of another storage.

use super::Storage;
use super::contents::Contents;
use plat_expr::Pool;

impl Storage {
    /// Copies all of `source` to `at`, where there must be room: bytes, pointers and expressions
    /// as they are, and writes at symbolic positions that are still pending there as pending
    /// writes here. Earlier ones here that could hit the room do not count in it any more.
    pub fn absorb(&mut self, pool: &mut Pool, at: u64, source: &Storage) {
        match &source.large {
            None => self.copy(pool, at, source, 0, source.size()),
            Some(contents) => self.contents_mut().absorb(pool, at, contents),
        }
    }
}

impl Contents {
    fn absorb(&mut self, pool: &mut Pool, at: u64, source: &Contents) {
        self.copy_pages(pool, at, source, 0, source.size());
        self.append_pending(pool, &source.pending, at);
    }
}

//! Whole ranges: reading and writing bytes, filling, moving.

use super::contents::Contents;
use super::page::{Cell, WORD};
use plat_expr::{Byte, Pool};

/// Bytes that are moved within contents by way of a copy of theirs.
const FEW: u64 = 1 << 20;

impl Contents {
    /// Reads `n` bytes one by one; bytes of pointers are bytes of their expressions.
    pub fn read_bytes(&self, pool: &mut Pool, at: u64, n: u64) -> Vec<Byte> {
        let mut bytes = Vec::with_capacity(n as usize);
        let mut done = 0;
        while done < n {
            let here = at + done;
            let chunk = (n - done).min(self.rest_of_page(here) as u64);
            if self.pending.touches(here, chunk) {
                bytes.extend((here..here + chunk).map(|at| {
                    let byte = self.expr(pool, at, 1);
                    Byte::from_expr(pool, byte)
                }));
                done += chunk;
                continue;
            }
            match self.page(here) {
                (None, _) => bytes.extend((0..chunk).map(|_| Byte::Concrete(0))),
                (Some(page), inside) => match page.plain(inside, chunk as usize) {
                    Some(plain) => bytes.extend(plain.iter().map(|&byte| Byte::Concrete(byte))),
                    None => bytes.extend((0..chunk).map(|next| {
                        let cell = page.cell(inside + next as usize);
                        byte_of(pool, cell)
                    })),
                },
            }
            done += chunk;
        }
        bytes
    }

    /// As many of the `n` bytes from `at` on as lie in one page, when they are concrete and the page
    /// is there.
    pub fn plain(&self, at: u64, n: usize) -> Option<&[u8]> {
        let n = n.min(self.rest_of_page(at));
        if self.pending.touches(at, n as u64) {
            return None;
        }
        let (page, inside) = self.page(at);
        page?.plain(inside, n)
    }

    /// The `n` bytes from `at` on, when all are concrete.
    pub fn read_concrete(&self, at: u64, n: u64) -> Option<Vec<u8>> {
        if self.pending.touches(at, n) {
            return None;
        }
        let mut bytes = Vec::with_capacity(n as usize);
        let mut done = 0;
        while done < n {
            let here = at + done;
            let chunk = (n - done).min(self.rest_of_page(here) as u64) as usize;
            match self.page(here) {
                (None, _) => bytes.resize(bytes.len() + chunk, 0),
                (Some(page), inside) => bytes.extend_from_slice(page.plain(inside, chunk)?),
            }
            done += chunk as u64;
        }
        Some(bytes)
    }

    /// Writes concrete bytes.
    pub fn write_plain(&mut self, pool: &mut Pool, at: u64, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.touch(pool, at, bytes.len() as u64);
        let mut done = 0;
        while done < bytes.len() {
            let here = at + done as u64;
            let chunk = (bytes.len() - done).min(self.rest_of_page(here));
            let (page, inside) = self.page_mut(here);
            page.set_plain(inside, &bytes[done..done + chunk]);
            done += chunk;
        }
    }

    /// Writes bytes, some perhaps symbolic.
    pub fn write_bytes(&mut self, pool: &mut Pool, at: u64, bytes: &[Byte]) {
        if bytes.is_empty() {
            return;
        }
        self.touch(pool, at, bytes.len() as u64);
        for (next, &byte) in bytes.iter().enumerate() {
            let here = at + next as u64;
            let byte = match byte {
                Byte::Symbolic(expr) => pool
                    .as_u64(expr)
                    .map_or(byte, |known| Byte::Concrete(known as u8)),
                Byte::Concrete(_) => byte,
            };
            match byte {
                Byte::Concrete(byte) => {
                    let (page, inside) = self.page_mut(here);
                    page.set_bits(inside, 1, u64::from(byte));
                }
                Byte::Symbolic(expr) => self.set_part(here, expr, 0),
            }
        }
    }

    /// Writes the same concrete byte `n` times.
    pub fn fill(&mut self, pool: &mut Pool, at: u64, n: u64, byte: u8) {
        if n == 0 {
            return;
        }
        self.touch(pool, at, n);
        self.pages.fill(at, n, byte);
    }

    /// Bytes from `at` on, up to `n`, that have no backing storage: they are zero.
    pub fn absent(&self, at: u64, n: u64) -> u64 {
        let mut absent = 0;
        while absent < n {
            match self.pages.absent(at + absent) {
                0 => break,
                more => absent += more,
            }
        }
        let absent = absent.min(n);
        if self.pending.touches(at, absent) {
            0
        } else {
            absent
        }
    }

    /// Moves `n` bytes within the storage; the ranges may overlap.
    pub fn copy_within(&mut self, pool: &mut Pool, at: u64, from: u64, n: u64) {
        let few = if n <= FEW {
            self.read_concrete(from, n)
        } else {
            None
        };
        match few {
            Some(bytes) => self.write_plain(pool, at, &bytes),
            None => {
                // A clone shares the pages, so that each page that is written is copied first.
                let source = self.clone();
                self.copy(pool, at, &source, from, n);
            }
        }
    }

    /// Copies `n` bytes from `source` at `from`. Whole pointers and expressions stay whole.
    pub fn copy(&mut self, pool: &mut Pool, at: u64, source: &Contents, from: u64, n: u64) {
        if n == 0 {
            return;
        }
        if source.pending.touches(from, n) {
            let mut flushed = source.clone();
            flushed.flush(pool);
            return self.copy(pool, at, &flushed, from, n);
        }
        self.copy_pages(pool, at, source, from, n);
    }

    /// Copies what the pages of `source` have, pending writes aside.
    pub(super) fn copy_pages(
        &mut self,
        pool: &mut Pool,
        at: u64,
        source: &Contents,
        from: u64,
        n: u64,
    ) {
        if n == 0 {
            return;
        }
        self.touch(pool, at, n);
        let mut done = 0;
        while done < n {
            let (to, from, rest) = (at + done, from + done, n - done);
            let absent = source.pages.absent(from).min(rest);
            if absent > 0 {
                self.pages.clear(to, absent);
                done += absent;
                continue;
            }
            let shared = self.pages.share(to, &source.pages, from, (n, rest));
            if shared > 0 {
                done += shared;
                continue;
            }
            let rests = self.rest_of_page(to).min(source.rest_of_page(from)) as u64;
            let chunk = rests.min(rest);
            match source.page(from) {
                (None, _) => {}
                (Some(page), inside) => match page.plain(inside, chunk as usize) {
                    Some(plain) => {
                        let (page, inside) = self.page_mut(to);
                        page.set_plain(inside, plain);
                    }
                    None => {
                        let (target, at) = self.page_mut(to);
                        if !target.copy_words(at, page, inside, chunk as usize) {
                            self.copy_cells(pool, to, source, from, chunk);
                        }
                    }
                },
            }
            done += chunk;
        }
    }

    /// Copies cell by cell, within a page on both sides; pointers that stay aligned as words.
    fn copy_cells(&mut self, pool: &mut Pool, at: u64, source: &Contents, from: u64, n: u64) {
        let word = WORD as u64;
        let mut done = 0;
        while done < n {
            let (to, cell) = (at + done, source.cell(from + done));
            match cell {
                Cell::Concrete(byte) => {
                    let (page, inside) = self.page_mut(to);
                    page.set_bits(inside, 1, u64::from(byte));
                }
                Cell::Part { expr, part } => self.set_part(to, expr, part),
                Cell::Pointer { pointer, part: 0 }
                    if to.is_multiple_of(word) && n - done >= word =>
                {
                    let (page, inside) = self.page_mut(to);
                    page.set_pointer(inside, pointer);
                    done += word - 1;
                }
                Cell::Pointer { pointer, part } => {
                    let expr = pointer.expr(pool);
                    self.set_part(to, expr, part);
                }
            }
            done += 1;
        }
    }
}

/// A cell as the byte that it is.
fn byte_of(pool: &mut Pool, cell: Cell) -> Byte {
    let (whole, part) = match cell {
        Cell::Concrete(byte) => return Byte::Concrete(byte),
        Cell::Part { expr, part } => (expr, part),
        Cell::Pointer { pointer, part } => (pointer.expr(pool), part),
    };
    let byte = pool.extract(whole, 8 * part, 8);
    Byte::from_expr(pool, byte)
}

//! The contents of two paths that go on as one: where they differ, a choice between the two.

use super::Storage;
use super::contents::Contents;
use super::page::WORD;
use plat_expr::{ExprId, Pool, Value};
use std::rc::Rc;

impl Storage {
    /// Whether both are known to be the same without a look at every byte.
    pub(crate) fn same(&self, other: &Self) -> bool {
        match (&self.large, &other.large) {
            (Some(mine), Some(theirs)) => Rc::ptr_eq(mine, theirs),
            (None, None) => self.size == other.size && self.small == other.small,
            _ => false,
        }
    }

    /// Makes the `n` bytes from `from` on what they are in `other`, unless `guard` holds.
    pub(crate) fn merge(
        &mut self,
        pool: &mut Pool,
        other: &Self,
        guard: ExprId,
        from: u64,
        n: u64,
    ) {
        let (mut at, end) = (from, from + n);
        while at < end {
            if let (Some(mine), Some(theirs)) = (&self.large, &other.large)
                && let Some(next) = mine.shared_until(theirs, at)
            {
                at = next;
                continue;
            }
            let rest = (WORD as u64 - at % WORD as u64).min(end - at) as u32;
            self.merge_word(pool, other, guard, at, rest);
            at += u64::from(rest);
        }
    }

    /// As [`Storage::merge`], at most a word.
    fn merge_word(&mut self, pool: &mut Pool, other: &Self, guard: ExprId, at: u64, n: u32) {
        let words = (self.word(at, n as usize), other.word(at, n as usize));
        if words.0.is_some() && words.0 == words.1 {
            return;
        }
        let (mine, theirs) = (self.expr(pool, at, n), other.expr(pool, at, n));
        if mine == theirs {
            return;
        }
        let pointers = pool.number(mine) != mine || pool.number(theirs) != theirs;
        let (start, len) = if pointers {
            (0, n)
        } else {
            differing(pool, mine, theirs, n)
        };
        let mine = pool.extract(mine, 8 * start, 8 * len);
        let theirs = pool.extract(theirs, 8 * start, 8 * len);
        let choice = pool.ite(guard, mine, theirs);
        let choice = Value::from_expr(pool, choice);
        self.store(pool, at + u64::from(start), choice, 8 * len);
    }
}

/// The part of two expressions of `n` bytes that holds all bytes in which they differ: an aligned
/// one of one, two, four or eight bytes, as the program will read it; or the whole.
fn differing(pool: &mut Pool, mine: ExprId, theirs: ExprId, n: u32) -> (u32, u32) {
    let differs = |&at: &u32| pool.extract(mine, 8 * at, 8) != pool.extract(theirs, 8 * at, 8);
    let bytes: Vec<u32> = (0..n).filter(differs).collect();
    let (Some(&first), Some(&last)) = (bytes.first(), bytes.last()) else {
        return (0, n);
    };
    let parts = [1, 2, 4].into_iter();
    let whole = parts.map(|len| (first / len * len, len));
    let mut fitting = whole.filter(|(start, len)| last < start + len && start + len <= n);
    fitting.next().unwrap_or((0, n))
}

impl Contents {
    /// The end of the page or group of pages around `at`, if both have the very same one there.
    pub(super) fn shared_until(&self, other: &Self, at: u64) -> Option<u64> {
        if !self.pending.none() || !other.pending.none() {
            return None;
        }
        match self.pages.same(&other.pages, at) {
            0 => None,
            same => Some(at + same),
        }
    }
}

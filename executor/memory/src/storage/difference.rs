//! Where the contents of two storages differ.

use super::Storage;
use super::page::{WORD, Word};
use crate::alike::Alike;
use plat_expr::Pool;

impl Storage {
    /// A position at which the two differ, if there is one. Pages that both share are not looked at.
    pub(crate) fn difference(
        &self,
        pool: &mut Pool,
        other: &Self,
        alike: Alike<'_>,
    ) -> Option<u64> {
        if self.same(other) {
            return None;
        }
        let (mut at, end) = (0, self.size());
        if end != other.size() {
            return Some(0);
        }
        while at < end {
            let here = self.shared_until(other, at);
            if here > 0 {
                at += here;
                continue;
            }
            let n = self.rest_of_word(at);
            let same = match self.words(other, at, n) {
                Some((mine, theirs)) => mine == theirs,
                None => {
                    let (mine, theirs) = (self.expr(pool, at, n), other.expr(pool, at, n));
                    mine == theirs || alike(pool, mine, theirs)
                }
            };
            if !same {
                return Some(at);
            }
            at += u64::from(n);
        }
        None
    }

    /// Whether the two are known to differ from a position to the end of its word: nothing there is
    /// symbolic.
    pub(crate) fn differs_at(&self, other: &Self, at: u64) -> bool {
        if at >= self.size() || at >= other.size() {
            return true;
        }
        let words = self.words(other, at, self.rest_of_word(at));
        words.is_some_and(|(mine, theirs)| mine != theirs)
    }

    /// Bytes from a position to the end of its word.
    fn rest_of_word(&self, at: u64) -> u32 {
        (WORD as u64 - at % WORD as u64).min(self.size() - at) as u32
    }

    /// What is in both, if nothing of it is symbolic.
    fn words(&self, other: &Self, at: u64, n: u32) -> Option<(Word, Word)> {
        Some((self.word(at, n as usize)?, other.word(at, n as usize)?))
    }

    /// How many bytes from a position on are known to be the same in both.
    fn shared_until(&self, other: &Self, at: u64) -> u64 {
        if let (Some(mine), Some(theirs)) = (&self.large, &other.large)
            && let Some(next) = mine.shared_until(theirs, at)
        {
            return next - at;
        }
        let rest = self.size() - at;
        match self.absent(at, rest) {
            0 => 0,
            absent => absent.min(other.absent(at, rest)),
        }
    }
}

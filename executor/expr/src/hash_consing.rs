//! The table that finds equal nodes: a hash table whose lines lie in the order of time.
//!
//! A node is looked for near the *newest* of its operands: eight ids share a line of twelve places,
//! which is one line of the cache. What is built now mostly uses what was built just before, so that
//! a search touches lines that are in the cache already, whatever the size of the pool, where a table
//! by hash alone takes a miss for every node. Lines are never moved, so growing costs nothing. What
//! finds its line full, and what has no operands, lies in an ordinary table by hash.

use crate::ids::ExprId;

/// As a power of two, how many ids share a line.
const SHARE: u32 = 3;
/// Places in a line.
const PLACES: usize = 12;
/// Lines in one allocation.
const CHUNK: usize = 1 << 10;
/// A byte in each byte.
const BYTES: u64 = 0x0101_0101_0101_0101;

/// Twelve nodes, each with eight bits of its hash (not 0).
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Line {
    tags: u64,
    more_tags: u32,
    filled: u32,
    ids: [u32; PLACES],
}

/// Where a node belongs that was not found.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    /// In the line near its newest operand.
    Near(u32),
    /// At this position of the table by hash.
    Far(usize),
}

/// Nodes by what they consist of.
pub(crate) struct HashConsing {
    chunks: Vec<Box<[Line]>>,
    /// Open addressing: id + 1 of the node in each slot (0 when free) and its hash.
    far: Vec<(u32, u32)>,
    far_filled: usize,
}

/// The highest bit of each byte of `word` that is 0 (and perhaps of bytes above one that is).
#[inline(always)]
const fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(BYTES) & !word & (BYTES << 7)
}

#[inline(always)]
const fn tag(hash: u32) -> u8 {
    (hash >> 24) as u8 | 1
}

impl HashConsing {
    pub(crate) fn new() -> Self {
        Self {
            chunks: Vec::new(),
            far: vec![(0, 0); 1 << 10],
            far_filled: 0,
        }
    }

    /// Looks for a node of that hash whose newest operand is `newest`; `equal` compares.
    #[inline(always)]
    pub(crate) fn find_near(
        &self,
        hash: u32,
        newest: ExprId,
        mut equal: impl FnMut(u32) -> bool,
    ) -> Result<ExprId, Place> {
        let home = newest.0 >> SHARE;
        let Some(chunk) = self.chunks.get(home as usize / CHUNK) else {
            return Err(Place::Near(home));
        };
        let line = &chunk[home as usize % CHUNK];
        let wanted = u64::from(tag(hash)) * BYTES;
        let halves = [(line.tags, 0), (u64::from(line.more_tags), 8)];
        for (tags, first) in halves {
            let mut found = zero_bytes(tags ^ wanted);
            while found != 0 {
                let at = first + found.trailing_zeros() as usize / 8;
                if at < PLACES && equal(line.ids[at]) {
                    return Ok(ExprId(line.ids[at]));
                }
                found &= found - 1;
            }
        }
        if (line.filled as usize) < PLACES {
            return Err(Place::Near(home));
        }
        self.find_far(hash, equal)
    }

    /// Looks for a node of that hash in the table by hash.
    pub(crate) fn find_far(
        &self,
        hash: u32,
        mut equal: impl FnMut(u32) -> bool,
    ) -> Result<ExprId, Place> {
        let mut slot = hash as usize & (self.far.len() - 1);
        loop {
            let (found, its_hash) = self.far[slot];
            if found == 0 {
                return Err(Place::Far(slot));
            }
            if its_hash == hash && equal(found - 1) {
                return Ok(ExprId(found - 1));
            }
            slot = (slot + 1) & (self.far.len() - 1);
        }
    }

    /// Puts a new node where it was looked for.
    #[inline(always)]
    pub(crate) fn insert(&mut self, place: Place, hash: u32, id: ExprId) {
        match place {
            Place::Near(home) => {
                let chunk = home as usize / CHUNK;
                while self.chunks.len() <= chunk {
                    self.chunks
                        .push(vec![Line::default(); CHUNK].into_boxed_slice());
                }
                let line = &mut self.chunks[chunk][home as usize % CHUNK];
                let at = line.filled;
                line.filled += 1;
                line.ids[at as usize] = id.0;
                if at < 8 {
                    line.tags |= u64::from(tag(hash)) << (8 * at);
                } else {
                    line.more_tags |= u32::from(tag(hash)) << (8 * (at - 8));
                }
            }
            Place::Far(slot) => {
                self.far[slot] = (id.0 + 1, hash);
                self.far_filled += 1;
                if self.far_filled * 3 > self.far.len() * 2 {
                    self.grow();
                }
            }
        }
    }

    /// Puts in a node that is known not to be there: near its newest operand, if it has any.
    pub(crate) fn add(&mut self, hash: u32, newest: Option<ExprId>, id: ExprId) {
        let none = |_| false;
        let found = match newest {
            Some(newest) => self.find_near(hash, newest, none),
            None => self.find_far(hash, none),
        };
        if let Err(place) = found {
            self.insert(place, hash, id);
        }
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.chunks.len() * CHUNK * size_of::<Line>() + self.far.len() * size_of::<(u32, u32)>()
    }

    #[cold]
    fn grow(&mut self) {
        let size = self.far.len() * 2;
        let old = std::mem::replace(&mut self.far, vec![(0, 0); size]);
        for (id, hash) in old.into_iter().filter(|&(id, _)| id != 0) {
            let mut slot = hash as usize & (size - 1);
            while self.far[slot].0 != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.far[slot] = (id, hash);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys are numbers that hash badly; many share their newest operand, so that lines overflow.
    #[test]
    fn what_was_put_in_is_found_and_nothing_else() {
        let mut table = HashConsing::new();
        let mut keys: Vec<(u32, ExprId)> = Vec::new();
        for number in 0..30_000u32 {
            let hash = number.wrapping_mul(0x9e37_79b9) & 0xff00_0fff;
            let newest = ExprId(if number % 3 == 0 { 7 } else { number / 5 * 4 });
            let look = |table: &HashConsing, key| {
                table.find_near(hash, newest, |id| keys.get(id as usize) == Some(&key))
            };
            let Err(place) = look(&table, (number, newest)) else {
                panic!("{number} was there already")
            };
            table.insert(place, hash, ExprId(number));
            keys.push((number, newest));
        }
        for &(number, newest) in &keys {
            let hash = number.wrapping_mul(0x9e37_79b9) & 0xff00_0fff;
            let found = table.find_near(hash, newest, |id| keys[id as usize].0 == number);
            assert!(found.is_ok_and(|id| id.0 == number), "{number}");
        }
    }
}

//! A persistent ordered map of disjoint address intervals.
//!
//! The entries are kept sorted by start in chunks behind `Rc`s. A clone shares every chunk, so
//! forking a state copies one vector of pointers; an insertion copies at most one chunk. The
//! common cases, appending at the end and removing from the end, touch the last chunk only.

use std::rc::Rc;

/// Entries per chunk: above this a chunk is split in two.
const CHUNK: usize = 32;

/// One entry: the addresses `start .. start + size` and what they belong to. An entry of size 0
/// occupies its start address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval<T> {
    /// First address.
    pub start: u64,
    /// Number of bytes.
    pub size: u64,
    /// What is there.
    pub value: T,
}

impl<T> Interval<T> {
    /// The first address after the entry.
    pub fn end(&self) -> u64 {
        self.start.saturating_add(self.size.max(1))
    }

    /// Whether `address` lies in the entry.
    pub fn contains(&self, address: u64) -> bool {
        self.start <= address && address < self.end()
    }
}

/// The map. Entries never overlap.
#[derive(Clone, Debug)]
pub struct Intervals<T> {
    chunks: Vec<Rc<Vec<Interval<T>>>>,
    len: usize,
}

impl<T> Default for Intervals<T> {
    fn default() -> Self {
        Self {
            chunks: Vec::new(),
            len: 0,
        }
    }
}

impl<T: Copy> Intervals<T> {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The chunk that holds, or would hold, the last entry starting at or before `address`.
    fn chunk_of(&self, address: u64) -> usize {
        self.chunks
            .partition_point(|chunk| chunk[0].start <= address)
            .saturating_sub(1)
    }

    /// The last entry that starts at or before `address`.
    pub fn floor(&self, address: u64) -> Option<&Interval<T>> {
        let chunk = self.chunks.get(self.chunk_of(address))?;
        let at = chunk.partition_point(|entry| entry.start <= address);
        at.checked_sub(1).map(|at| &chunk[at])
    }

    /// The entry that `address` lies in.
    pub fn find(&self, address: u64) -> Option<&Interval<T>> {
        self.floor(address).filter(|entry| entry.contains(address))
    }

    /// The entries that touch `low ..= high`, in address order.
    pub fn overlapping(&self, low: u64, high: u64) -> impl Iterator<Item = &Interval<T>> {
        let first = self.chunk_of(low);
        self.chunks[first.min(self.chunks.len())..]
            .iter()
            .flat_map(|chunk| chunk.iter())
            .skip_while(move |entry| entry.end() <= low)
            .take_while(move |entry| entry.start <= high)
    }

    /// All entries in address order.
    pub fn iter(&self) -> impl Iterator<Item = &Interval<T>> {
        self.chunks.iter().flat_map(|chunk| chunk.iter())
    }

    /// Adds an entry; whatever it overlaps is removed first.
    pub fn insert(&mut self, start: u64, size: u64, value: T) {
        let entry = Interval { start, size, value };
        let last_end = self.chunks.last().and_then(|chunk| chunk.last());
        if last_end.is_some_and(|last| last.end() > start) {
            let mut stale: Vec<u64> = Vec::new();
            stale.extend(
                self.overlapping(start, entry.end() - 1)
                    .map(|entry| entry.start),
            );
            for start in stale {
                self.remove(start);
            }
        }
        self.insert_disjoint(entry);
    }

    fn insert_disjoint(&mut self, entry: Interval<T>) {
        self.len += 1;
        if self.chunks.is_empty() {
            self.chunks.push(Rc::new(vec![entry]));
            return;
        }
        let at = self.chunk_of(entry.start);
        let appends = at + 1 == self.chunks.len()
            && self.chunks[at].last().map(|last| last.start) < Some(entry.start);
        if appends && self.chunks[at].len() >= CHUNK {
            self.chunks.push(Rc::new(vec![entry]));
            return;
        }
        let chunk = Rc::make_mut(&mut self.chunks[at]);
        let position = chunk.partition_point(|other| other.start < entry.start);
        chunk.insert(position, entry);
        if chunk.len() > CHUNK {
            let upper = chunk.split_off(CHUNK / 2);
            self.chunks.insert(at + 1, Rc::new(upper));
        }
    }

    /// Removes the entry that starts at `start`.
    pub fn remove(&mut self, start: u64) -> Option<Interval<T>> {
        let at = self.chunk_of(start);
        let chunk = self.chunks.get(at)?;
        let position = chunk
            .binary_search_by_key(&start, |entry| entry.start)
            .ok()?;
        self.len -= 1;
        let removed = chunk[position];
        if chunk.len() == 1 {
            self.chunks.remove(at);
        } else {
            Rc::make_mut(&mut self.chunks[at]).remove(position);
        }
        Some(removed)
    }

    /// Replaces the value of the entry that starts at `start`. False if there is none.
    pub fn set(&mut self, start: u64, value: T) -> bool {
        let at = self.chunk_of(start);
        let Some(chunk) = self.chunks.get_mut(at) else {
            return false;
        };
        let Ok(position) = chunk.binary_search_by_key(&start, |entry| entry.start) else {
            return false;
        };
        Rc::make_mut(chunk)[position].value = value;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::Reference;
    use fastrand::Rng;

    #[test]
    fn agrees_with_the_reference_map_also_after_clones() {
        let mut random = Rng::with_seed(7);
        let mut pairs = vec![(Intervals::new(), Reference::default())];
        for step in 0..20_000u32 {
            let which = random.usize(..pairs.len());
            if step % 2_000 == 0 {
                pairs.push(pairs[which].clone());
            }
            let (map, reference) = &mut pairs[which];
            let start = random.u64(..40_000);
            match random.u64(..4) {
                0 | 1 => {
                    let size = random.u64(..60);
                    map.insert(start, size, step);
                    reference.insert(start, size, step);
                }
                2 => assert_eq!(map.remove(start), reference.remove(start)),
                _ => {
                    assert_eq!(map.find(start).copied(), reference.find(start));
                    let high = start + random.u64(..500);
                    let seen: Vec<_> = map.overlapping(start, high).copied().collect();
                    assert_eq!(seen, reference.overlapping(start, high));
                }
            }
            assert_eq!(map.len(), reference.entries().len());
        }
        for (map, reference) in &pairs {
            let all: Vec<_> = map.iter().copied().collect();
            assert_eq!(all, reference.entries());
        }
    }
}

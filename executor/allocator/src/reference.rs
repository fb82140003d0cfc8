//! A plain interval map, for property tests.
//!
//! Deliberately naive: one unsorted vector, scanned for every query. It shares no code with what is
//! tested against it.

use crate::intervals::Interval;

/// An obviously correct interval map.
#[derive(Clone, Debug)]
pub struct Reference<T> {
    list: Vec<Interval<T>>,
}

impl<T> Default for Reference<T> {
    fn default() -> Self {
        Self { list: Vec::new() }
    }
}

impl<T: Copy> Reference<T> {
    /// Adds an entry and removes whatever it overlaps.
    pub fn insert(&mut self, start: u64, size: u64, value: T) {
        let new = Interval { start, size, value };
        self.list
            .retain(|old| old.end() <= new.start || new.end() <= old.start);
        self.list.push(new);
    }

    /// Whether `start .. start + size` touches an entry.
    pub fn overlaps(&self, start: u64, size: u64) -> bool {
        let end = start + size.max(1);
        self.list
            .iter()
            .any(|entry| entry.start < end && start < entry.end())
    }

    /// Removes the entry that starts at `start`.
    pub fn remove(&mut self, start: u64) -> Option<Interval<T>> {
        let at = self.list.iter().position(|entry| entry.start == start)?;
        Some(self.list.swap_remove(at))
    }

    /// The entry that `address` lies in.
    pub fn find(&self, address: u64) -> Option<Interval<T>> {
        self.list
            .iter()
            .find(|entry| entry.contains(address))
            .copied()
    }

    /// The entries that touch `low ..= high`, in address order.
    pub fn overlapping(&self, low: u64, high: u64) -> Vec<Interval<T>> {
        let mut touched = self.entries();
        touched.retain(|entry| entry.start <= high && low < entry.end());
        touched
    }

    /// All entries in address order.
    pub fn entries(&self) -> Vec<Interval<T>> {
        let mut all = self.list.clone();
        all.sort_by_key(|entry| entry.start);
        all
    }
}

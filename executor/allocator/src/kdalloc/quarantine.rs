//! The quarantine of a bin (KDAlloc, sections 4.6 and 5.6): a FIFO of freed addresses. An address
//! leaves it after a fixed number of further deallocations in the bin. It counts deallocations and
//! not bytes, as a quarantined block costs no memory.

/// A ring buffer of freed blocks.
#[derive(Clone, Debug)]
pub struct Ring {
    length: usize,
    entries: Vec<u64>,
    /// The position of the oldest entry, once the ring is full.
    oldest: usize,
}

impl Ring {
    /// An empty quarantine for `length` entries.
    pub fn new(length: u32) -> Self {
        Self {
            length: length as usize,
            entries: Vec::new(),
            oldest: 0,
        }
    }

    /// Adds an entry. Returns the one that leaves the quarantine, if any.
    #[inline]
    pub fn push(&mut self, entry: u64) -> Option<u64> {
        if self.entries.len() < self.length {
            self.entries.push(entry);
            return None;
        }
        let Some(oldest) = self.entries.get_mut(self.oldest) else {
            return Some(entry);
        };
        let free = std::mem::replace(oldest, entry);
        self.oldest += 1;
        if self.oldest == self.length {
            self.oldest = 0;
        }
        Some(free)
    }

    /// Whether the same entries will leave both, in the same order.
    pub fn continues_as(&self, other: &Self) -> bool {
        let same = self.length == other.length && self.entries.len() == other.entries.len();
        same && self.in_order().eq(other.in_order())
    }

    /// The entries, oldest first.
    fn in_order(&self) -> impl Iterator<Item = u64> {
        let (new, old) = self.entries.split_at(self.oldest);
        old.iter().chain(new).copied()
    }

    /// Whether an entry is in quarantine.
    pub fn holds(&self, entry: u64) -> bool {
        self.entries.contains(&entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_leaves_after_as_many_others() {
        let mut ring = Ring::new(2);
        assert_eq!((ring.push(1), ring.push(2)), (None, None));
        assert!(ring.holds(1) && ring.holds(2));
        assert_eq!(ring.push(3), Some(1));
        assert!(!ring.holds(1) && ring.holds(3));
        for entry in 4..9 {
            assert_eq!(ring.push(entry), Some(entry - 2));
        }
        assert_eq!(Ring::new(0).push(7), Some(7));
    }
}

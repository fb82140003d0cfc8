//! The quarantine of a bin (KDAlloc, sections 4.6 and 5.6): freed addresses wait here, first in,
//! first out, until so many further ones of the bin have been freed. It counts deallocations and
//! not bytes: what waits costs no memory but its entry.

use std::collections::VecDeque;

/// What waits, oldest first.
#[derive(Clone, Debug)]
pub struct Ring {
    length: usize,
    waiting: VecDeque<u64>,
}

impl Ring {
    /// An empty quarantine for `length` entries.
    pub fn new(length: u32) -> Self {
        Self {
            length: length as usize,
            waiting: VecDeque::new(),
        }
    }

    /// Puts an entry in; the one that it pushes out is really free now.
    pub fn push(&mut self, entry: u64) -> Option<u64> {
        if self.length == 0 {
            return Some(entry);
        }
        let oldest = (self.waiting.len() == self.length).then(|| self.waiting.pop_front());
        self.waiting.push_back(entry);
        oldest.flatten()
    }

    /// Whether an entry waits.
    pub fn holds(&self, entry: u64) -> bool {
        self.waiting.contains(&entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_waits_for_as_many_others() {
        let mut ring = Ring::new(2);
        assert_eq!((ring.push(1), ring.push(2)), (None, None));
        assert!(ring.holds(1) && ring.holds(2));
        assert_eq!(ring.push(3), Some(1));
        assert!(!ring.holds(1) && ring.holds(3));
        assert_eq!(Ring::new(0).push(7), Some(7));
    }
}

//! The quarantine of a bin (KDAlloc, sections 4.6 and 5.6): freed addresses wait here, first in,
//! first out, until so many further ones of the bin have been freed. It counts deallocations and
//! not bytes: what waits costs no memory but its entry.

/// What waits.
#[derive(Clone, Debug)]
pub struct Ring {
    length: usize,
    waiting: Vec<u64>,
    /// Where the oldest entry is, once as many wait as can.
    oldest: usize,
}

impl Ring {
    /// An empty quarantine for `length` entries.
    pub fn new(length: u32) -> Self {
        Self {
            length: length as usize,
            waiting: Vec::new(),
            oldest: 0,
        }
    }

    /// Puts an entry in; the one that it pushes out is really free now.
    #[inline]
    pub fn push(&mut self, entry: u64) -> Option<u64> {
        if self.waiting.len() < self.length {
            self.waiting.push(entry);
            return None;
        }
        let Some(oldest) = self.waiting.get_mut(self.oldest) else {
            return Some(entry);
        };
        let free = std::mem::replace(oldest, entry);
        self.oldest += 1;
        if self.oldest == self.length {
            self.oldest = 0;
        }
        Some(free)
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
        for entry in 4..9 {
            assert_eq!(ring.push(entry), Some(entry - 2));
        }
        assert_eq!(Ring::new(0).push(7), Some(7));
    }
}

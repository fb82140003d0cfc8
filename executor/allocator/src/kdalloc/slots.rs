//! The slots of one size (KDAlloc, section 5.4): which are taken, and which is next.
//!
//! The free slot with the lowest index is allocated, so an allocation's address depends on the live
//! slots and not on their history. A bitmap by index is the only state. With an unlimited
//! quarantine a counter gives the next slot, and the bitmap has the live ones.

use super::bitmap::Bitmap;
use super::position::{capacity, index};
use super::quarantine::Ring;
use crate::config::Quarantine;

/// The state of a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Slot {
    /// Live, at this position.
    Live(u64),
    /// Freed, but not reusable yet, at this position.
    Quarantined(u64),
    /// Free, and was allocated before.
    Free,
    /// Never allocated.
    Unused,
}

#[derive(Clone, Debug)]
enum QuarantineState {
    Ring(Ring),
    Unlimited,
}

/// The slots of a bin.
#[derive(Clone, Debug)]
pub struct Slots {
    bin_bits: u32,
    slot_bits: u32,
    /// By index: live or in the ring; with an unlimited quarantine, live.
    taken: Bitmap,
    /// Indices below this have been allocated at some time.
    used: u64,
    quarantine: QuarantineState,
}

impl Slots {
    /// Free slots of `1 << slot_bits` bytes in a bin of `1 << bin_bits` bytes.
    pub fn new(bin_bits: u32, slot_bits: u32, quarantine: Quarantine) -> Self {
        Self {
            bin_bits,
            slot_bits,
            taken: Bitmap::new(),
            used: 0,
            quarantine: match quarantine {
                Quarantine::Frees(length) => QuarantineState::Ring(Ring::new(length)),
                Quarantine::Unlimited => QuarantineState::Unlimited,
            },
        }
    }

    /// The index of a fresh slot, if there is one.
    #[inline]
    pub fn allocate(&mut self) -> Option<u64> {
        let index = match self.quarantine {
            QuarantineState::Ring(_) => self.taken.lowest_zero(),
            QuarantineState::Unlimited => self.used,
        };
        if index >= self.used {
            if index >= capacity(self.bin_bits, self.slot_bits) {
                return None;
            }
            self.used = index + 1;
        }
        self.taken.set(index);
        Some(index)
    }

    /// Gives back a slot, by its position.
    #[inline]
    pub fn release(&mut self, position: u64) {
        let index = index(self.bin_bits, position);
        let free = match &mut self.quarantine {
            QuarantineState::Ring(ring) => ring.push(index),
            QuarantineState::Unlimited => Some(index),
        };
        if let Some(index) = free {
            self.taken.clear(index);
        }
    }

    /// Whether both give the same slots to the same calls from now on.
    pub fn continues_as(&self, other: &Self) -> bool {
        let quarantine = match (&self.quarantine, &other.quarantine) {
            (QuarantineState::Ring(mine), QuarantineState::Ring(theirs)) => {
                mine.continues_as(theirs)
            }
            (QuarantineState::Unlimited, QuarantineState::Unlimited) => self.used == other.used,
            _ => false,
        };
        quarantine && self.taken == other.taken
    }

    /// The slot at a distance from the start of the bin.
    pub fn locate(&self, distance: u64) -> Slot {
        let start = distance >> self.slot_bits << self.slot_bits;
        if start == 0 || distance >> self.bin_bits != 0 {
            return Slot::Unused;
        }
        let index = index(self.bin_bits, start);
        match (&self.quarantine, self.taken.get(index)) {
            _ if index >= self.used => Slot::Unused,
            (QuarantineState::Ring(ring), true) if ring.holds(index) => Slot::Quarantined(start),
            (_, true) => Slot::Live(start),
            (QuarantineState::Ring(_), false) => Slot::Free,
            (QuarantineState::Unlimited, false) => Slot::Quarantined(start),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::position::position;
    use super::*;

    /// The position of a fresh slot.
    fn give(slots: &mut Slots) -> Option<u64> {
        let index = slots.allocate()?;
        Some(position(slots.bin_bits, index))
    }

    #[test]
    fn the_lowest_free_slot_is_allocated_until_the_bin_is_full() {
        // Seven slots of 2 bytes in 32.
        let mut slots = Slots::new(5, 1, Quarantine::Frees(0));
        let given: Vec<u64> = std::iter::from_fn(|| give(&mut slots)).collect();
        assert_eq!(given.len(), 7);
        slots.release(given[5]);
        slots.release(given[2]);
        assert_eq!(slots.locate(given[2]), Slot::Free);
        assert_eq!(give(&mut slots), Some(given[2]));
        assert_eq!(give(&mut slots), Some(given[5]));
        assert_eq!(slots.allocate(), None);
    }

    #[test]
    fn the_quarantine_delays_reuse() {
        let mut slots = Slots::new(20, 4, Quarantine::Frees(2));
        let mut next = || give(&mut slots).unwrap();
        let (a, b, c) = (next(), next(), next());
        slots.release(a);
        assert_eq!(slots.locate(a + 15), Slot::Quarantined(a));
        slots.release(b);
        let d = give(&mut slots).unwrap();
        assert!(d != a && d != b);
        slots.release(c);
        assert_eq!(slots.locate(a), Slot::Free);
        assert_eq!(give(&mut slots), Some(a));
        assert_eq!(slots.locate(a), Slot::Live(a));
    }

    #[test]
    fn an_unlimited_quarantine_never_reuses() {
        let mut slots = Slots::new(20, 4, Quarantine::Unlimited);
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..1_000 {
            let at = give(&mut slots).unwrap();
            assert!(seen.insert(at));
            assert_eq!(slots.locate(at), Slot::Live(at));
            slots.release(at);
            assert_eq!(slots.locate(at), Slot::Quarantined(at));
        }
    }
}

//! The large-object bin (KDAlloc, sections 4.5 and 5.5): blocks of whole pages, each allocated in
//! the middle of the largest free region, with at least a free page on both sides.

use super::quarantine::Ring;
use super::treap::{Span, Treap};
use crate::config::Quarantine;

/// Starts and sizes of blocks are multiples of this.
pub const GRAIN: u64 = 4096;

/// The state of an address in the bin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spot {
    /// In a live block, which is this span.
    Live(Span),
    /// In a freed block that cannot be reused yet.
    Quarantined(Span),
    /// In a free page next to a block, or at an end of the bin.
    RedZone,
    /// In a free page that could become part of a block.
    Free,
}

#[derive(Clone, Debug)]
enum QuarantineState {
    Ring(Ring),
    /// The starts of freed blocks, which are never reused.
    Unlimited(crate::Intervals<()>),
}

/// The bin.
#[derive(Clone, Debug)]
pub struct Large {
    free: Treap,
    quarantine: QuarantineState,
}

impl Large {
    /// A bin in which all of `free` is free.
    pub fn new(free: Span, quarantine: Quarantine) -> Self {
        let mut treap = Treap::new();
        treap.insert(free);
        Self {
            free: treap,
            quarantine: match quarantine {
                Quarantine::Frees(length) => QuarantineState::Ring(Ring::new(length)),
                Quarantine::Unlimited => QuarantineState::Unlimited(crate::Intervals::new()),
            },
        }
    }

    /// Whether both give the same addresses to the same calls from now on, where the same blocks are
    /// live.
    pub fn continues_as(&self, other: &Self) -> bool {
        let quarantine = match (&self.quarantine, &other.quarantine) {
            (QuarantineState::Ring(mine), QuarantineState::Ring(theirs)) => {
                mine.continues_as(theirs)
            }
            (QuarantineState::Unlimited(_), QuarantineState::Unlimited(_)) => true,
            _ => false,
        };
        quarantine && self.free == other.free
    }

    /// The address of a fresh block, a multiple of `align` and of [`GRAIN`], if there is room.
    pub fn allocate(&mut self, size: u64, align: u64) -> Option<u64> {
        let size = size.max(1).checked_next_multiple_of(GRAIN)?;
        let align = align.max(GRAIN);
        let largest = self.free.largest()?;
        let spare = largest.size().checked_sub(size)?;
        let (low, high) = (largest.start + GRAIN, largest.end - GRAIN);
        let middle = largest.start + spare / 2;
        let address = match middle / align * align {
            at if at >= low => at,
            _ => middle.checked_next_multiple_of(align)?,
        };
        if address < low || address.checked_add(size)? > high {
            return None;
        }
        self.free.pop_largest();
        self.free.insert(Span {
            start: largest.start,
            end: address,
        });
        self.free.insert(Span {
            start: address + size,
            end: largest.end,
        });
        Some(address)
    }

    /// Gives back a block, by its address.
    pub fn release(&mut self, address: u64) {
        let free = match &mut self.quarantine {
            QuarantineState::Ring(ring) => ring.push(address),
            QuarantineState::Unlimited(freed) => {
                freed.insert(address, 1, ());
                None
            }
        };
        let Some(address) = free else { return };
        let below = self.free.floor(address);
        let above = self.free.above(address);
        let (Some(below), Some(above)) = (below, above) else {
            debug_assert!(false, "a block has free pages on both sides");
            return;
        };
        self.free.remove(below.start);
        self.free.remove(above.start);
        self.free.insert(Span {
            start: below.start,
            end: above.end,
        });
    }

    /// The state of an address in the bin.
    pub fn locate(&self, address: u64) -> Spot {
        let Some(below) = self.free.floor(address) else {
            return Spot::RedZone;
        };
        if address < below.end {
            let edge = address - below.start < GRAIN || below.end - address <= GRAIN;
            return if edge { Spot::RedZone } else { Spot::Free };
        }
        let Some(above) = self.free.above(address) else {
            return Spot::RedZone;
        };
        let block = Span {
            start: below.end,
            end: above.start,
        };
        let freed = match &self.quarantine {
            QuarantineState::Ring(ring) => ring.holds(block.start),
            QuarantineState::Unlimited(freed) => freed.find(block.start).is_some(),
        };
        if freed {
            Spot::Quarantined(block)
        } else {
            Spot::Live(block)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BIN: Span = Span {
        start: 1 << 30,
        end: (1 << 30) + 64 * GRAIN,
    };

    #[test]
    fn blocks_lie_in_the_middle_of_the_largest_region() {
        let mut large = Large::new(BIN, Quarantine::Frees(0));
        let first = large.allocate(2 * GRAIN, 1).unwrap();
        assert_eq!(first, BIN.start + 31 * GRAIN);
        let second = large.allocate(2_049, 1).unwrap();
        let third = large.allocate(2_049, 1).unwrap();
        let page = |at: u64| (at - BIN.start) / GRAIN;
        let mut pages = [page(second), page(third)];
        pages.sort_unstable();
        assert_eq!(pages, [15, 48]);
        large.release(first);
        large.release(third);
        large.release(second);
        assert_eq!(large.free.largest(), Some(BIN));
    }

    #[test]
    fn exhaustion_is_a_failed_allocation() {
        let mut large = Large::new(BIN, Quarantine::Frees(0));
        assert_eq!(large.allocate(63 * GRAIN, 1), None);
        assert_eq!(large.allocate(u64::MAX, 1), None);
        assert_eq!(large.allocate(1, 1 << 40), None);
        let all = large.allocate(62 * GRAIN, 1).unwrap();
        assert_eq!(all, BIN.start + GRAIN);
        assert_eq!(large.allocate(1, 1), None);
        large.release(all);
        let mut count = 0;
        while large.allocate(1, 1).is_some() {
            count += 1;
        }
        assert!((16..=31).contains(&count), "{count}");
    }

    #[test]
    fn large_alignments_hold() {
        let mut large = Large::new(BIN, Quarantine::Frees(1));
        for _ in 0..3 {
            let at = large.allocate(5_000, 4 * GRAIN).unwrap();
            assert!(at.is_multiple_of(4 * GRAIN));
            let block = Span {
                start: at,
                end: at + 2 * GRAIN,
            };
            assert_eq!(large.locate(at + 5_000), Spot::Live(block));
            assert_eq!(large.locate(at - 1), Spot::RedZone);
            assert_eq!(large.locate(block.end), Spot::RedZone);
            large.release(at);
            assert_eq!(large.locate(at), Spot::Quarantined(block));
        }
    }
}

//! `bump`: consecutive addresses.
//!
//! Blocks follow one another with a red zone between them. Addresses of the heap, globals and
//! constants are never reused, so a freed block can be recognised for the whole run. The stack is
//! released last in, first out and reuses its addresses, so a function called in a loop sees the
//! same addresses in every iteration.

use crate::{Allocator, AllocatorConfig, Bounds, Intervals, Location, NULL_PAGE, Region};
use std::any::Any;

/// Bytes between two blocks.
pub const RED_ZONE: u64 = 16;

/// Blocks start at multiples of this at least.
const MIN_ALIGN: u64 = 16;

/// One region: the next address, and the blocks; `true` is live.
#[derive(Clone)]
struct Zone {
    bounds: Bounds,
    next: u64,
    blocks: Intervals<bool>,
}

/// The allocator.
#[derive(Clone)]
pub struct Bump {
    zones: [Zone; 4],
}

impl Bump {
    /// Nothing allocated.
    pub fn new(config: &AllocatorConfig) -> Self {
        Self {
            zones: config.regions.map(|bounds| Zone {
                bounds,
                next: bounds.base,
                blocks: Intervals::new(),
            }),
        }
    }
}

impl Allocator for Bump {
    fn name(&self) -> &'static str {
        "bump"
    }

    fn allocate(&mut self, region: Region, size: u64, align: u64) -> Option<u64> {
        let zone = &mut self.zones[region as usize];
        let address = zone
            .next
            .checked_next_multiple_of(align.max(MIN_ALIGN).next_power_of_two())?;
        let next = address.checked_add(size.max(1))?.checked_add(RED_ZONE)?;
        if next > zone.bounds.end() {
            return None;
        }
        zone.next = next;
        zone.blocks.insert(address, size, true);
        Some(address)
    }

    fn release(&mut self, region: Region, address: u64, _size: u64) {
        let zone = &mut self.zones[region as usize];
        if region != Region::Stack {
            zone.blocks.set(address, false);
            return;
        }
        zone.blocks.remove(address);
        zone.next = zone
            .blocks
            .floor(u64::MAX)
            .map_or(zone.bounds.base, |last| last.end() + RED_ZONE);
    }

    fn regions(&self) -> [Bounds; 4] {
        self.zones.each_ref().map(|zone| zone.bounds)
    }

    fn locate(&self, address: u64) -> Location {
        if address < NULL_PAGE {
            return Location::NullPage;
        }
        for zone in &self.zones {
            if !zone.bounds.contains(address) {
                continue;
            }
            if let Some(block) = zone.blocks.find(address) {
                let (base, size) = (block.start, block.size);
                return match block.value {
                    true => Location::Live { base, size },
                    false => Location::Quarantined { base, size },
                };
            }
            return if address < zone.next {
                Location::RedZone
            } else {
                Location::Unmapped
            };
        }
        Location::Outside
    }

    fn fork(&self) -> Box<dyn Allocator> {
        Box::new(self.clone())
    }

    fn continues_as(&self, other: &dyn Allocator, region: Region) -> bool {
        let other = other.as_any().and_then(|any| any.downcast_ref::<Self>());
        let next = |allocator: &Self| allocator.zones[region as usize].next;
        other.is_some_and(|other| next(self) == next(other))
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::Reference;
    use fastrand::Rng;

    #[test]
    fn blocks_are_disjoint_aligned_and_located() {
        let mut random = Rng::with_seed(11);
        let mut bump = Bump::new(&AllocatorConfig::default());
        let mut live = Reference::default();
        let mut blocks: Vec<(Region, u64, u64)> = Vec::new();
        for _ in 0..3_000 {
            let free_heap = blocks.iter().position(|block| block.0 == Region::Heap);
            match (random.u64(..3), free_heap) {
                (0, Some(at)) => {
                    let (region, address, size) = blocks.remove(at);
                    bump.release(region, address, size);
                    live.remove(address);
                    let seen = bump.locate(address + random.u64(..size.max(1)));
                    let base = address;
                    assert_eq!(seen, Location::Quarantined { base, size });
                }
                _ => {
                    let region = Region::ALL[random.usize(..4)];
                    let (size, align) = (random.u64(..100), 1 << random.u64(..8));
                    let address = bump.allocate(region, size, align).unwrap();
                    assert_eq!(address % align, 0);
                    let (from, bytes) = (address - RED_ZONE, size.max(1) + 2 * RED_ZONE);
                    assert!(!live.overlaps(from + 1, bytes - 2));
                    live.insert(address, size, ());
                    blocks.push((region, address, size));
                    let base = address;
                    assert_eq!(bump.locate(address), Location::Live { base, size });
                    assert_eq!(bump.locate(address + size.max(1)), Location::RedZone);
                }
            }
        }
        assert_eq!(bump.locate(12), Location::NullPage);
        assert_eq!(bump.locate(u64::MAX), Location::Outside);
    }

    #[test]
    fn the_stack_reuses_addresses_and_forks_are_independent() {
        let mut bump = Bump::new(&AllocatorConfig::default());
        let outer = bump.allocate(Region::Stack, 40, 8).unwrap();
        let first = bump.allocate(Region::Stack, 8, 8).unwrap();
        let mut other = bump.fork();
        bump.release(Region::Stack, first, 8);
        assert_eq!(bump.allocate(Region::Stack, 8, 8), Some(first));
        bump.release(Region::Stack, first, 8);
        bump.release(Region::Stack, outer, 40);
        assert_eq!(bump.allocate(Region::Stack, 16, 8), Some(outer));
        assert_ne!(other.allocate(Region::Stack, 8, 8), Some(first));
        let heap = bump.allocate(Region::Heap, 8, 8).unwrap();
        bump.release(Region::Heap, heap, 8);
        assert_ne!(bump.allocate(Region::Heap, 8, 8), Some(heap));
        assert_eq!(bump.allocate(Region::Heap, u64::MAX, 8), None);
    }
}

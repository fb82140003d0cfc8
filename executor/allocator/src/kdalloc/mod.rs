//! `kdalloc`: the deterministic allocator of "A Deterministic Memory Allocator for Dynamic
//! Symbolic Execution" (ECOOP 2022), sections 4 and 5.
//!
//! Each region is divided into nine bins: eight for objects of up to 1, 4, 8, 16, 32, 64, 256 and
//! 2048 bytes ([`slots`]), and one for larger ones ([`large`]). Bins, regions and states are
//! independent of one another: an allocation's address depends only on what this state has done in
//! this bin. In a bin, addresses are as far apart as possible; freed ones stay in a [`quarantine`].
//!
//! A fork shares every region, and the first change of a bin afterwards copies a few nodes of it
//! ([`bitmap`], [`treap`]): neither cost depends on the number of live objects. Constants and
//! globals are allocated before the first fork, so all states share their bins.
//!
//! Departures from the paper's implementation: a full bin is a failed allocation, also for slots;
//! alignments above a page are respected; bitmaps are copied on write by node and not by bin.

pub mod bitmap;
pub mod large;
pub mod position;
pub mod quarantine;
pub mod slots;
pub mod treap;

use crate::config::{AllocatorConfig, Bounds, Quarantine};
use crate::own::{own, present};
use crate::{Allocator, Location, NULL_PAGE, Region};
use large::{Large, Spot};
use slots::{Slot, Slots};
use std::any::Any;
use std::rc::Rc;
use treap::Span;

/// The sizes of slots, as exponents of two.
const SLOT_BITS: [u32; 8] = [0, 2, 3, 4, 5, 6, 8, 11];

/// The bin of large objects.
const LARGE: usize = SLOT_BITS.len();

/// The exponent of the size of a region's slot bins: a ninth, rounded down to a power of two.
const fn bin_bits(bounds: Bounds) -> u32 {
    (bounds.size / (SLOT_BITS.len() as u64 + 1)).ilog2()
}

/// The bin of blocks of up to `1 << index` bytes.
const BINS: [u8; 12] = {
    let (mut bins, mut bits, mut bin) = ([0; 12], 0, 0);
    while bits < bins.len() {
        bin += (SLOT_BITS[bin] < bits as u32) as usize;
        bins[bits] = bin as u8;
        bits += 1;
    }
    bins
};

const _: () = assert!(BINS.len() as u32 == SLOT_BITS[LARGE - 1] + 1);

/// The bin for blocks of a size and an alignment.
#[inline]
fn bin_of(size: u64, align: u64) -> usize {
    let last = size.max(align).max(1) - 1;
    let bits = u64::BITS - last.leading_zeros();
    BINS.get(bits as usize).map_or(LARGE, |&bin| bin as usize)
}

/// The number of a slot, unique in its region: slots of the bins interleaved.
#[inline]
fn slot_number(bin: usize, index: u64) -> Option<u32> {
    u32::try_from(index * LARGE as u64 + bin as u64).ok()
}

/// One region: its bins, created on first use.
#[derive(Clone, Debug)]
struct RegionBins {
    bounds: Bounds,
    /// [`bin_bits`] of the bounds.
    bits: u32,
    quarantine: Quarantine,
    slots: [Option<Rc<Slots>>; LARGE],
    large: Option<Rc<Large>>,
}

impl RegionBins {
    const fn new(bounds: Bounds, quarantine: Quarantine) -> Self {
        Self {
            bounds,
            bits: bin_bits(bounds),
            quarantine,
            slots: [const { None }; LARGE],
            large: None,
        }
    }

    /// See [`Allocator::continues_as`].
    fn continues_as(&self, other: &Self) -> bool {
        /// Whether two bins, if there are any, are the same one or go on in the same way.
        fn same<T>(
            mine: Option<&Rc<T>>,
            theirs: Option<&Rc<T>>,
            continues: impl Fn(&T, &T) -> bool,
        ) -> bool {
            match (mine, theirs) {
                (Some(mine), Some(theirs)) => Rc::ptr_eq(mine, theirs) || continues(mine, theirs),
                (None, None) => true,
                _ => false,
            }
        }
        let mut slots = self.slots.iter().zip(&other.slots);
        slots.all(|(mine, theirs)| same(mine.as_ref(), theirs.as_ref(), Slots::continues_as))
            && same(
                self.large.as_ref(),
                other.large.as_ref(),
                Large::continues_as,
            )
    }

    fn slots_start(&self, bin: usize) -> u64 {
        self.bounds.base + ((bin as u64) << self.bits)
    }

    /// The address of a fresh block, and its number if it has one.
    #[inline]
    fn allocate(&mut self, size: u64, align: u64) -> Option<(u64, Option<u32>)> {
        let (bin, bounds, bits) = (bin_of(size, align), self.bounds, self.bits);
        let quarantine = self.quarantine;
        let start = self.slots_start(bin);
        if bin < LARGE {
            let slots = present(&mut self.slots[bin], || {
                Slots::new(bits, SLOT_BITS[bin], quarantine)
            });
            let index = own(slots).allocate()?;
            let address = start + position::position(bits, index);
            return Some((address, slot_number(bin, index)));
        }
        let large = self.large.get_or_insert_with(|| {
            let end = bounds.end();
            Rc::new(Large::new(Span { start, end }, quarantine))
        });
        let address = Rc::make_mut(large).allocate(size, align)?;
        Some((address, None))
    }

    /// The bin of an address in this region, and its distance from the bin's start.
    fn bin_at(&self, address: u64) -> (usize, u64) {
        let distance = address - self.bounds.base;
        let bin = (distance >> self.bits).min(LARGE as u64) as usize;
        (bin, distance - ((bin as u64) << self.bits))
    }

    #[inline]
    fn release(&mut self, address: u64) {
        match self.bin_at(address) {
            (LARGE, _) => {
                if let Some(large) = &mut self.large {
                    Rc::make_mut(large).release(address);
                }
            }
            (bin, position) => {
                if let Some(slots) = &mut self.slots[bin] {
                    own(slots).release(position);
                }
            }
        }
    }

    #[inline]
    fn slot(&self, address: u64) -> Option<u32> {
        match self.bin_at(address) {
            (LARGE, _) => None,
            (bin, distance) => {
                let bits = SLOT_BITS[bin];
                let position = distance >> bits << bits;
                let index = (position != 0).then(|| position::index(self.bits, position));
                slot_number(bin, index?)
            }
        }
    }

    fn locate(&self, address: u64) -> Location {
        let (bin, distance) = self.bin_at(address);
        if bin == LARGE {
            let Some(large) = &self.large else {
                return Location::Unmapped;
            };
            let block = |free: Span| (free.start, free.size());
            return match large.locate(address) {
                Spot::Live(free) => {
                    let (base, size) = block(free);
                    Location::Live { base, size }
                }
                Spot::Quarantined(free) => {
                    let (base, size) = block(free);
                    Location::Quarantined { base, size }
                }
                Spot::RedZone => Location::RedZone,
                Spot::Free => Location::Unmapped,
            };
        }
        let Some(slots) = &self.slots[bin] else {
            return Location::Unmapped;
        };
        let (start, size) = (self.slots_start(bin), 1 << SLOT_BITS[bin]);
        match slots.locate(distance) {
            Slot::Live(at) => Location::Live {
                base: start + at,
                size,
            },
            Slot::Quarantined(at) => Location::Quarantined {
                base: start + at,
                size,
            },
            Slot::Free => Location::Unmapped,
            Slot::Unused => Location::RedZone,
        }
    }
}

/// The allocator.
#[derive(Clone, Debug)]
pub struct Kdalloc {
    instances: [Rc<RegionBins>; 4],
}

impl Kdalloc {
    /// Nothing allocated. [`AllocatorConfig::check`] must accept the configuration.
    pub fn new(config: &AllocatorConfig) -> Self {
        let bins = |region| RegionBins::new(config.bounds(region), config.quarantine_of(region));
        Self {
            instances: Region::ALL.map(|region| Rc::new(bins(region))),
        }
    }
}

impl Allocator for Kdalloc {
    fn name(&self) -> &'static str {
        "kdalloc"
    }

    fn allocate(&mut self, region: Region, size: u64, align: u64) -> Option<u64> {
        let block = self.allocate_slot(region, size, align)?;
        Some(block.0)
    }

    fn allocate_slot(
        &mut self,
        region: Region,
        size: u64,
        align: u64,
    ) -> Option<(u64, Option<u32>)> {
        let instance = own(&mut self.instances[region as usize]);
        instance.allocate(size, align)
    }

    fn release(&mut self, region: Region, address: u64, _size: u64) {
        own(&mut self.instances[region as usize]).release(address);
    }

    fn slot(&self, region: Region, address: u64) -> Option<u32> {
        self.instances[region as usize].slot(address)
    }

    fn regions(&self) -> [Bounds; 4] {
        self.instances.each_ref().map(|instance| instance.bounds)
    }

    fn locate(&self, address: u64) -> Location {
        if address < NULL_PAGE {
            return Location::NullPage;
        }
        let instance = self
            .instances
            .iter()
            .find(|instance| instance.bounds.contains(address));
        instance.map_or(Location::Outside, |instance| instance.locate(address))
    }

    fn fork(&self) -> Box<dyn Allocator> {
        Box::new(self.clone())
    }

    fn continues_as(&self, other: &dyn Allocator, region: Region) -> bool {
        let other = other.as_any().and_then(|any| any.downcast_ref::<Self>());
        other.is_some_and(|other| {
            let bins = |allocator: &Self| Rc::clone(&allocator.instances[region as usize]);
            let (mine, theirs) = (bins(self), bins(other));
            Rc::ptr_eq(&mine, &theirs) || mine.continues_as(&theirs)
        })
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

//! Allocators: which numbers (addresses) objects get.
//!
//! An object's number never changes, whatever a memory model does with its contents. The address
//! policy is therefore independent of the model: each state has an [`Allocator`], forked with it
//! and chosen by name from [`ALL`].

#![forbid(unsafe_code)]

pub mod bump;
mod choice;
pub mod config;
pub mod intervals;
pub mod kdalloc;
pub mod own;
pub mod reference;

pub use choice::AllocatorChoice;
pub use config::{AllocatorConfig, Bounds, ConfigError, Quarantine};
pub use intervals::{Interval, Intervals};

use std::any::Any;
use std::fmt;

/// Addresses below this are the null page: no object is ever there.
pub const NULL_PAGE: u64 = 4096;

/// The four parts of the address space.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Region {
    /// Read-only globals and functions.
    Constants,
    /// Writable globals.
    Globals,
    /// Allocas.
    Stack,
    /// Everything that malloc and its relatives return.
    Heap,
}

impl Region {
    /// All regions, in the order of [`AllocatorConfig::regions`].
    pub const ALL: [Region; 4] = [
        Region::Constants,
        Region::Globals,
        Region::Stack,
        Region::Heap,
    ];

    /// The name in options and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Constants => "constants",
            Self::Globals => "globals",
            Self::Stack => "stack",
            Self::Heap => "heap",
        }
    }
}

impl fmt::Display for Region {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// What the allocator knows of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Location {
    /// In a block that is allocated.
    Live {
        /// First address of the block.
        base: u64,
        /// Bytes reserved for it: at least those that were asked for.
        size: u64,
    },
    /// In a block that was released and whose addresses have not been given out again.
    Quarantined {
        /// First address of the block.
        base: u64,
        /// Bytes reserved for it: at least those that were asked for.
        size: u64,
    },
    /// Between blocks: never part of an object.
    RedZone,
    /// In a region, but not allocated yet.
    Unmapped,
    /// Below [`NULL_PAGE`].
    NullPage,
    /// In no region.
    Outside,
}

/// An address policy. Deterministic: the same calls in the same order give the same addresses.
pub trait Allocator {
    /// The name it is chosen by.
    fn name(&self) -> &'static str;
    /// The address of a fresh block, a multiple of `align` (a power of two); `None` when the
    /// region is exhausted. Blocks of size 0 get an address of their own.
    fn allocate(&mut self, region: Region, size: u64, align: u64) -> Option<u64>;
    /// Gives a block back: the `address` and `size` of an earlier [`Allocator::allocate`].
    fn release(&mut self, region: Region, address: u64, size: u64);
    /// The bounds of the regions, in the order of [`Region::ALL`].
    fn regions(&self) -> [Bounds; 4];
    /// A small number for the block that contains `address`, if the allocator numbers it: one
    /// number for each base address. A numbered block overlaps only blocks allocated at the same
    /// base address before or after it. Addresses that were never allocated may have a number too.
    fn slot(&self, _region: Region, _address: u64) -> Option<u32> {
        None
    }
    /// As [`Allocator::allocate`], together with the block's [`Allocator::slot`].
    fn allocate_slot(
        &mut self,
        region: Region,
        size: u64,
        align: u64,
    ) -> Option<(u64, Option<u32>)> {
        let address = self.allocate(region, size, align)?;
        Some((address, self.slot(region, address)))
    }
    /// What an address is.
    fn locate(&self, address: u64) -> Location;
    /// An independent copy, for a forked state.
    fn fork(&self) -> Box<dyn Allocator>;
    /// Whether both are known to give the same addresses to the same calls in a region from now on,
    /// where the same blocks are live. By default nothing is known.
    fn continues_as(&self, _other: &dyn Allocator, _region: Region) -> bool {
        false
    }
    /// The allocator itself, for [`Allocator::continues_as`] of its kind.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }
}

/// One of plat's own allocators.
pub struct Entry {
    /// The name on the command line.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// Makes one for the initial state. [`AllocatorConfig::check`] must accept the configuration.
    pub make: fn(&AllocatorConfig) -> Box<dyn Allocator>,
}

/// Every allocator, sorted by name.
pub static ALL: &[Entry] = &[
    Entry {
        name: "bump",
        help: "consecutive addresses with red zones; the heap never reuses an address, the stack always does",
        make: |config| Box::new(bump::Bump::new(config)),
    },
    Entry {
        name: "kdalloc",
        help: "deterministic on each path, addresses far apart, reused after a quarantine",
        make: |config| Box::new(kdalloc::Kdalloc::new(config)),
    },
];

/// The allocator that is used if none is named.
pub const DEFAULT: &str = "kdalloc";

/// The entry of the given name.
pub fn named(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}

//! The configuration of allocators: regions and quarantine.

use crate::{NULL_PAGE, Region};
use std::fmt;

/// Region bounds are multiples of this.
const PAGE: u64 = 4096;

/// The end of the user address space on x86-64.
const ADDRESS_LIMIT: u64 = 1 << 47;

/// Smaller regions have no room for the bins.
const SMALLEST: u64 = 1 << 20;

/// The addresses `base .. base + size`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// First address.
    pub base: u64,
    /// Number of bytes.
    pub size: u64,
}

impl Bounds {
    /// The first address after it.
    pub const fn end(self) -> u64 {
        self.base.saturating_add(self.size)
    }

    /// Whether `address` lies inside.
    pub const fn contains(self, address: u64) -> bool {
        self.base <= address && address < self.end()
    }
}

/// After how many further deallocations in its bin a freed address may be reused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quarantine {
    /// This many; 0 is no quarantine.
    Frees(u32),
    /// Addresses are never reused.
    Unlimited,
}

impl Quarantine {
    /// The quarantine written as a number: -1 is unlimited. `None` for other negative numbers.
    pub fn from_number(number: i64) -> Option<Self> {
        match number {
            -1 => Some(Self::Unlimited),
            _ => u32::try_from(number).ok().map(Self::Frees),
        }
    }
}

/// An allocator's options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AllocatorConfig {
    /// Default 8.
    pub quarantine: Quarantine,
    /// That of the stack, if it is another one. Default none.
    pub stack_quarantine: Option<Quarantine>,
    /// Bounds of the regions, in the order of [`Region::ALL`]. Default 10, 10, 128 and 1024 GiB of
    /// addresses.
    pub regions: [Bounds; 4],
}

impl Default for AllocatorConfig {
    /// Regions start at powers of two, so that the low bits of their addresses are zero.
    fn default() -> Self {
        const GIB: u64 = 1 << 30;
        let region = |exponent: u32, gib: u64| Bounds {
            base: 1 << exponent,
            size: gib * GIB,
        };
        Self {
            quarantine: Quarantine::Frees(8),
            stack_quarantine: None,
            regions: [
                region(41, 10),
                region(42, 10),
                region(43, 128),
                region(44, 1024),
            ],
        }
    }
}

/// Why a configuration cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConfigError {
    /// Bounds that are not multiples of the page size.
    Unaligned(Region),
    /// Less than a MiB.
    TooSmall(Region),
    /// On the null page, or above the addresses of user programs.
    OutOfRange(Region),
    /// Two regions with addresses in common.
    Overlap(Region, Region),
}

impl fmt::Display for ConfigError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unaligned(region) => {
                write!(out, "the {region} region is not a multiple of {PAGE}")
            }
            Self::TooSmall(region) => write!(out, "the {region} region is smaller than 1 MiB"),
            Self::OutOfRange(region) => {
                write!(
                    out,
                    "the {region} region is not inside {PAGE:#x}..{ADDRESS_LIMIT:#x}"
                )
            }
            Self::Overlap(one, other) => write!(out, "the {one} and {other} regions overlap"),
        }
    }
}

impl std::error::Error for ConfigError {}

impl AllocatorConfig {
    /// The bounds of a region.
    pub const fn bounds(&self, region: Region) -> Bounds {
        self.regions[region as usize]
    }

    /// The quarantine of a region.
    pub fn quarantine_of(&self, region: Region) -> Quarantine {
        let own = (region == Region::Stack).then_some(self.stack_quarantine);
        own.flatten().unwrap_or(self.quarantine)
    }

    /// Whether allocators can work with these bounds.
    ///
    /// # Errors
    /// With the first thing that is wrong.
    pub fn check(&self) -> Result<(), ConfigError> {
        for (at, region) in Region::ALL.into_iter().enumerate() {
            let bounds = self.regions[at];
            if !bounds.base.is_multiple_of(PAGE) || !bounds.size.is_multiple_of(PAGE) {
                return Err(ConfigError::Unaligned(region));
            }
            if bounds.size < SMALLEST {
                return Err(ConfigError::TooSmall(region));
            }
            if bounds.base < NULL_PAGE || bounds.end() > ADDRESS_LIMIT {
                return Err(ConfigError::OutOfRange(region));
            }
            for (other, before) in Region::ALL.into_iter().zip(&self.regions[..at]) {
                if before.base < bounds.end() && bounds.base < before.end() {
                    return Err(ConfigError::Overlap(other, region));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_checked() {
        let good = AllocatorConfig::default();
        assert_eq!(good.check(), Ok(()));
        let with = |base, size| {
            let mut config = AllocatorConfig::default();
            config.regions[3] = Bounds { base, size };
            config.check()
        };
        use Region::{Globals, Heap};
        assert_eq!(with(1 << 44, 1 << 20), Ok(()));
        assert_eq!(with(1, 1 << 20), Err(ConfigError::Unaligned(Heap)));
        assert_eq!(with(1 << 44, 4096), Err(ConfigError::TooSmall(Heap)));
        assert_eq!(with(0, 1 << 20), Err(ConfigError::OutOfRange(Heap)));
        assert_eq!(with(1 << 46, 1 << 60), Err(ConfigError::OutOfRange(Heap)));
        assert_eq!(
            with((1 << 42) + 4096, 1 << 20),
            Err(ConfigError::Overlap(Globals, Heap))
        );
        assert_eq!(Quarantine::from_number(-1), Some(Quarantine::Unlimited));
        assert_eq!(Quarantine::from_number(0), Some(Quarantine::Frees(0)));
        assert_eq!(Quarantine::from_number(-2), None);
    }
}

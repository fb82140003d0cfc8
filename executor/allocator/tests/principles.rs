//! The design principles of deterministic allocation (KDAlloc, section 3), as properties.

use fastrand::Rng;
use plat_allocator::kdalloc::Kdalloc;
use plat_allocator::reference::Reference;
use plat_allocator::{Allocator, AllocatorConfig, Location, Quarantine, Region};

fn kdalloc(quarantine: Quarantine) -> Kdalloc {
    Kdalloc::new(&AllocatorConfig {
        quarantine,
        ..AllocatorConfig::default()
    })
}

/// Typical sizes: mostly small, sometimes large.
fn size(random: &mut Rng) -> u64 {
    let exponent = random.u64(..17);
    random.u64(..1 << exponent)
}

/// One block.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Block {
    region: Region,
    address: u64,
    size: u64,
}

/// A path: an allocator and its reference interval map.
#[derive(Clone)]
struct Path {
    allocator: Kdalloc,
    map: Reference<()>,
    live: Vec<Block>,
    trace: Vec<u64>,
}

impl Path {
    fn new(quarantine: Quarantine) -> Self {
        Self {
            allocator: kdalloc(quarantine),
            map: Reference::default(),
            live: Vec::new(),
            trace: Vec::new(),
        }
    }

    /// One random step, checked against the map.
    fn step(&mut self, random: &mut Rng) {
        if !self.live.is_empty() && random.u64(..100) < 45 {
            let at = random.usize(..self.live.len());
            let block = self.live.remove(at);
            self.allocator
                .release(block.region, block.address, block.size);
            self.map.remove(block.address);
        } else {
            let region = Region::ALL[random.usize(..4)];
            let (size, align) = (size(random), 1 << random.u64(..14));
            let address = self.allocator.allocate(region, size, align).unwrap();
            assert!(address.is_multiple_of(align));
            // Red zones: at least the slot's size on both sides.
            let room = size.max(align).max(1);
            assert!(
                !self
                    .map
                    .overlaps(address - room.min(4096), room + 2 * room.min(4096))
            );
            self.map.insert(address, size, ());
            self.live.push(Block {
                region,
                address,
                size,
            });
            self.trace.push(address);
        }
    }

    fn check_live(&self) {
        for block in &self.live {
            match self
                .allocator
                .locate(block.address + block.size.saturating_sub(1))
            {
                Location::Live { base, size } => {
                    assert!(base == block.address && size >= block.size);
                }
                other => panic!("{block:?}: {other:?}"),
            }
        }
    }
}

fn quarantines() -> [Quarantine; 4] {
    [
        Quarantine::Frees(0),
        Quarantine::Frees(1),
        Quarantine::Frees(8),
        Quarantine::Unlimited,
    ]
}

#[test]
fn blocks_are_disjoint_and_known_on_every_path() {
    for quarantine in quarantines() {
        for seed in 0..6 {
            let mut random = Rng::with_seed(seed);
            let mut paths = vec![Path::new(quarantine)];
            for step in 0..1_500 {
                let which = random.usize(..paths.len());
                if step % 400 == 399 {
                    paths.push(paths[which].clone());
                }
                paths[which].step(&mut random);
            }
            paths.iter().for_each(Path::check_live);
        }
    }
}

#[test]
fn cross_run_determinism() {
    let run = || {
        let mut random = Rng::with_seed(42);
        let mut path = Path::new(Quarantine::Frees(8));
        (0..2_000).for_each(|_| path.step(&mut random));
        path.trace
    };
    assert_eq!(run(), run());
}

#[test]
fn cross_path_determinism() {
    // A path sees the same addresses alone and among a thousand others.
    let alone = |seed: u64| {
        let mut path = Path::new(Quarantine::Frees(8));
        let mut random = Rng::with_seed(1);
        (0..200).for_each(|_| path.step(&mut random));
        let mut random = Rng::with_seed(seed);
        (0..40).for_each(|_| path.step(&mut random));
        path.trace
    };
    let mut trunk = Path::new(Quarantine::Frees(8));
    let mut random = Rng::with_seed(1);
    (0..200).for_each(|_| trunk.step(&mut random));
    let mut paths: Vec<(Path, Rng)> = (0..1_000)
        .map(|seed| (trunk.clone(), Rng::with_seed(seed)))
        .collect();
    for _ in 0..40 {
        for (path, random) in &mut paths {
            path.step(random);
        }
    }
    for seed in (0..1_000).step_by(97) {
        assert_eq!(paths[seed].0.trace, alone(seed as u64));
    }
}

#[test]
fn spatial_distance() {
    // Section 5.4: with n blocks in a bin, two are at least bin / 2^ceil(log2(n + 1)) - slot
    // apart. The heap's bins have 64 GiB.
    let mut allocator = kdalloc(Quarantine::Frees(8));
    let mut addresses = Vec::new();
    for n in 1..=2_000u64 {
        addresses.push(allocator.allocate(Region::Heap, 24, 16).unwrap());
        let mut sorted = addresses.clone();
        sorted.sort_unstable();
        let closest = sorted.windows(2).map(|pair| pair[1] - pair[0] - 32).min();
        let power = (n + 1).next_power_of_two();
        assert!(closest.is_none_or(|closest| closest >= (64 << 30) / power - 32));
    }
}

#[test]
fn temporal_distance() {
    for length in [1u32, 3, 8] {
        for size in [1, 24, 2_000, 100_000] {
            let mut allocator = kdalloc(Quarantine::Frees(length));
            let first = allocator.allocate(Region::Heap, size, 1).unwrap();
            allocator.release(Region::Heap, first, size);
            for _ in 0..length {
                assert!(
                    matches!(allocator.locate(first), Location::Quarantined { base, .. } if base == first)
                );
                let next = allocator.allocate(Region::Heap, size, 1).unwrap();
                assert_ne!(next, first);
                allocator.release(Region::Heap, next, size);
            }
            assert!(!matches!(
                allocator.locate(first),
                Location::Quarantined { .. }
            ));
            // Other bins do not affect the quarantine.
            let mut allocator = kdalloc(Quarantine::Frees(length));
            let first = allocator.allocate(Region::Heap, size, 1).unwrap();
            allocator.release(Region::Heap, first, size);
            for _ in 0..100 {
                for (region, other) in [(Region::Heap, 60), (Region::Stack, size)] {
                    let at = allocator.allocate(region, other, 1).unwrap();
                    allocator.release(region, at, other);
                }
            }
            assert!(matches!(
                allocator.locate(first),
                Location::Quarantined { .. }
            ));
        }
    }
    let mut allocator = kdalloc(Quarantine::Unlimited);
    let mut seen = std::collections::BTreeSet::new();
    for size in [8, 5_000].repeat(500) {
        let at = allocator.allocate(Region::Heap, size, 8).unwrap();
        assert!(seen.insert(at));
        allocator.release(Region::Heap, at, size);
        assert!(matches!(allocator.locate(at), Location::Quarantined { .. }));
    }
}

#[test]
fn stability() {
    // With the quarantine off, an extra temporary block leaves the rest in place.
    let mut random = Rng::with_seed(9);
    let mut path = Path::new(Quarantine::Frees(0));
    (0..300).for_each(|_| path.step(&mut random));
    let mut other = path.clone();
    let mut other_random = random.clone();
    for _ in 0..300 {
        let size = size(&mut Rng::with_seed(other.trace.len() as u64));
        let extra = other.allocator.allocate(Region::Heap, size, 1).unwrap();
        other.allocator.release(Region::Heap, extra, size);
        path.step(&mut random);
        other.step(&mut other_random);
    }
    assert_eq!(path.trace, other.trace);
}

#[test]
fn exhaustion_is_a_failed_allocation() {
    let mut config = AllocatorConfig::default();
    for (at, bounds) in config.regions.iter_mut().enumerate() {
        (bounds.base, bounds.size) = ((at as u64 + 1) << 32, 1 << 20);
    }
    assert_eq!(config.check(), Ok(()));
    let mut allocator = Kdalloc::new(&config);
    for size in [1, 4, 64, 2_048, 2_049] {
        let mut blocks = Vec::new();
        while let Some(at) = allocator.allocate(Region::Heap, size, 1) {
            blocks.push(at);
        }
        assert!(blocks.len() >= 15, "{size}: {}", blocks.len());
        blocks.sort_unstable();
        assert!(blocks.windows(2).all(|pair| pair[1] - pair[0] >= 2 * size));
        assert!(config.bounds(Region::Heap).contains(blocks[0]));
        assert!(blocks.last().unwrap() + size <= config.bounds(Region::Heap).end());
    }
    assert!(allocator.allocate(Region::Stack, 1, 1).is_some());
}

#[test]
fn what_an_address_is() {
    let mut allocator = kdalloc(Quarantine::Frees(8));
    let at = allocator.allocate(Region::Heap, 20, 1).unwrap();
    assert_eq!(
        allocator.locate(at + 31),
        Location::Live { base: at, size: 32 }
    );
    assert_eq!(allocator.locate(at + 32), Location::RedZone);
    assert_eq!(allocator.locate(at - 1), Location::RedZone);
    assert_eq!(allocator.locate(100), Location::NullPage);
    assert_eq!(allocator.locate(u64::MAX), Location::Outside);
    // Region starts have zero low bits, so few bits of an address are set.
    assert!(at.count_ones() <= 4 && at.trailing_zeros() >= 32);
}

/// An allocator that goes on as another gives the same addresses to the same calls, whatever the two
/// have done before; and a loop that allocates and frees comes back to such an allocator.
#[test]
fn loops_come_back_to_allocators_that_go_on_in_the_same_way() {
    for (quarantine, comes_back) in [
        (Quarantine::Frees(0), true),
        (Quarantine::Frees(3), true),
        (Quarantine::Frees(8), true),
        (Quarantine::Unlimited, false),
    ] {
        let mut met = 0;
        for seed in 0..30 {
            let mut random = Rng::with_seed(seed);
            let mut path = Path::new(quarantine);
            for _ in 0..random.u64(..40) {
                path.step(&mut random);
            }
            // Where the next large block is under a quarantine depends on all that are in it.
            let largest = if quarantine == Quarantine::Frees(0) {
                100_000
            } else {
                2_048
            };
            let sizes: Vec<u64> = (0..1 + random.usize(..4))
                .map(|_| size(&mut random).min(largest))
                .collect();
            let turn = |allocator: &mut Kdalloc| {
                let blocks = sizes.iter().map(|&size| {
                    let address = allocator.allocate(Region::Heap, size, 1).unwrap();
                    (address, size)
                });
                let mut blocks: Vec<_> = blocks.collect();
                blocks.rotate_left(seed as usize % sizes.len());
                for &(address, size) in &blocks {
                    allocator.release(Region::Heap, address, size);
                }
                blocks
            };
            // What is behind the quarantine at the beginning leaves it first.
            for _ in 0..20 {
                turn(&mut path.allocator);
            }
            let start = path.allocator.clone();
            let back = (1..200).find(|_| {
                turn(&mut path.allocator);
                start.continues_as(&path.allocator, Region::Heap)
            });
            assert_eq!(
                back.is_some(),
                comes_back,
                "{quarantine:?} with seed {seed}"
            );
            let (mut early, mut late) = (start, path.allocator);
            if back.is_some() {
                met += 1;
                for _ in 0..50 {
                    assert_eq!(turn(&mut early), turn(&mut late));
                }
            }
        }
        assert_eq!(met > 0, comes_back);
    }
}

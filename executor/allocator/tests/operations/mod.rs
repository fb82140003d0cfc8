//! Decodes bytes into operations on forking allocators, each checked against a reference interval
//! map. Used by `fuzz.rs` with seeds and by `tests/fuzz` of the repository under libFuzzer.

use plat_allocator::reference::Reference;
use plat_allocator::{Allocator, AllocatorConfig, Bounds, Entry, Location, Quarantine, Region};

/// A path: an allocator, and its live blocks by region.
struct Path {
    allocator: Box<dyn Allocator>,
    map: Reference<(Region, u64)>,
}

/// Small regions, so that they are exhausted too.
fn config(choice: u8) -> AllocatorConfig {
    let mut config = AllocatorConfig::default();
    if choice & 1 == 1 {
        for (at, bounds) in (1..).zip(&mut config.regions) {
            let (base, size) = (at << 32, (1 + u64::from(choice >> 4)) << 20);
            *bounds = Bounds { base, size };
        }
    }
    config.quarantine = match choice >> 1 & 3 {
        0 => Quarantine::Unlimited,
        1 => Quarantine::Frees(0),
        2 => Quarantine::Frees(1),
        _ => Quarantine::Frees(8),
    };
    config
}

fn allocate(path: &mut Path, config: &AllocatorConfig, region: Region, size: u64, align: u64) {
    let Some(address) = path.allocator.allocate(region, size, align) else {
        return;
    };
    let bounds = config.bounds(region);
    assert!(bounds.contains(address) && address + size <= bounds.end());
    assert!(address.is_multiple_of(align));
    assert!(
        !path.map.overlaps(address - 1, size.max(1) + 2),
        "neighbours touch"
    );
    path.map.insert(address, size, (region, size));
    for at in [address, address + size.saturating_sub(1)] {
        match path.allocator.locate(at) {
            Location::Live { base, size: room } => assert!(base == address && room >= size),
            other => panic!("a fresh block is {other:?}"),
        }
    }
}

fn free(path: &mut Path, config: &AllocatorConfig, which: u64) {
    let entries = path.map.entries();
    let Some(entry) = entries.get(which as usize % entries.len().max(1)) else {
        return;
    };
    let (region, size) = entry.value;
    path.allocator.release(region, entry.start, size);
    path.map.remove(entry.start);
    let located = path.allocator.locate(entry.start);
    assert!(!matches!(located, Location::Live { base, .. } if base == entry.start));
    let waits = !matches!(config.quarantine, Quarantine::Frees(0));
    if waits && path.allocator.name() == "kdalloc" {
        assert!(matches!(located, Location::Quarantined { base, .. } if base == entry.start));
    }
}

/// Executes the operations that `data` encodes; every byte sequence is valid.
pub fn run(entry: &Entry, data: &[u8]) {
    let mut input = data.iter().copied();
    let mut next = || input.next();
    let Some(choice) = next() else { return };
    let config = config(choice);
    assert_eq!(config.check(), Ok(()));
    let mut paths = vec![Path {
        allocator: (entry.make)(&config),
        map: Reference::default(),
    }];
    while let (Some(op), Some(a), Some(b)) = (next(), next(), next()) {
        let count = paths.len();
        let path = &mut paths[usize::from(op >> 4) % count];
        match op % 16 {
            0 if count < 6 => {
                let (allocator, map) = (path.allocator.fork(), path.map.clone());
                paths.push(Path { allocator, map });
            }
            1..=6 => {
                // The stack of `bump` is released last in, first out, as frames are.
                let last = path.map.entries().len().wrapping_sub(1) as u64;
                let stack = |value: &(Region, u64)| value.0 == Region::Stack;
                let any = path.map.entries().iter().any(|entry| stack(&entry.value));
                if entry.name == "bump" && any {
                    let entries = path.map.entries();
                    let top = entries.iter().rposition(|entry| stack(&entry.value));
                    free(path, &config, top.map_or(last, |top| top as u64));
                } else {
                    free(path, &config, u64::from(a) << 8 | u64::from(b));
                }
            }
            kind => {
                let region = Region::ALL[usize::from(a & 3)];
                let size = match kind {
                    7..=11 => u64::from(b),
                    12 | 13 => u64::from(b) << 4,
                    14 => u64::from(b) << 12,
                    _ => (u64::from(b) << 24) | u64::from(a),
                };
                allocate(path, &config, region, size, 1 << (a >> 2 & 15));
            }
        }
    }
    for path in &paths {
        for entry in path.map.entries() {
            let located = path.allocator.locate(entry.start);
            assert!(matches!(located, Location::Live { base, .. } if base == entry.start));
        }
    }
}

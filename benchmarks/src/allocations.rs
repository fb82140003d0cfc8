//! The allocators by themselves: time of an operation, of a fork, and memory.

use std::hint::black_box;
use std::time::Instant;

use fastrand::Rng;
use plat_allocator::{ALL, Allocator, AllocatorConfig, Entry, Region};

use crate::table::Table;

/// Operations of the churn: half allocations, half frees.
const OPERATIONS: u64 = 10_000_000;
/// Blocks that live when forks are timed.
const LIVE: [u64; 3] = [1_000, 30_000, 1_000_000];
/// Most live allocations that the KDAlloc paper saw in a run.
const MOST: u64 = 5_500_000;

/// Sizes as programs ask for them: mostly small, one in a hundred above 2048 bytes.
fn size(random: &mut Rng) -> u64 {
    match random.u64(..100) {
        0 => 2_049 + random.u64(..100_000),
        _ => 1 + random.u64(..200),
    }
}

fn filled(entry: &Entry, count: u64) -> Box<dyn Allocator> {
    let mut allocator = (entry.make)(&AllocatorConfig::default());
    let mut random = Rng::with_seed(1);
    for _ in 0..count {
        let size = size(&mut random);
        black_box(allocator.allocate(Region::Heap, size, 16));
    }
    allocator
}

/// Nanoseconds of an operation when blocks come and go.
fn churn(entry: &Entry) -> f64 {
    let mut allocator = (entry.make)(&AllocatorConfig::default());
    let mut random = Rng::with_seed(2);
    let mut live: Vec<(u64, u64)> = Vec::new();
    let start = Instant::now();
    for step in 0..OPERATIONS {
        // A few thousand blocks live at a time.
        if step % 2 == 0 || live.len() < 5_000 {
            let size = size(&mut random);
            if let Some(address) = allocator.allocate(Region::Heap, size, 16) {
                live.push((address, size));
            }
        } else {
            let at = random.usize(..live.len());
            let (address, size) = live.swap_remove(at);
            allocator.release(Region::Heap, address, size);
        }
    }
    per(start, OPERATIONS) * 1e9
}

#[expect(clippy::cast_precision_loss, reason = "counts below 2^53")]
fn per(start: Instant, count: u64) -> f64 {
    start.elapsed().as_secs_f64() / count as f64
}

/// Microseconds of a fork, and of a fork with one allocation and one free of each size after it.
fn fork(entry: &Entry, live: u64) -> (f64, f64) {
    let allocator = filled(entry, live);
    let rounds = 2_000;
    let start = Instant::now();
    for _ in 0..rounds {
        black_box(allocator.fork());
    }
    let alone = per(start, rounds) * 1e6;
    let start = Instant::now();
    for _ in 0..rounds {
        let mut copy = allocator.fork();
        for size in [16, 200, 5_000] {
            if let Some(address) = copy.allocate(Region::Heap, size, 16) {
                copy.release(Region::Heap, address, size);
            }
        }
        black_box(copy);
    }
    (alone, per(start, rounds) * 1e6)
}

/// Bytes that this process holds on the C library's heap.
fn held() -> u64 {
    // SAFETY: reads the C library's own counters.
    let counts = unsafe { libc::mallinfo2() };
    (counts.uordblks + counts.hblkhd) as u64
}

/// The table.
pub fn allocations() {
    let mut table = Table::new(
        "Allocators alone: 10 million operations; forks with so many live blocks; 5.5 million live",
        &[
            "allocator",
            "ns/op",
            "live",
            "fork us",
            "fork + 6 ops us",
            "5.5M live KiB",
        ],
    );
    for entry in ALL {
        let before = held();
        let many = filled(entry, MOST);
        let memory = (held() - before) >> 10;
        drop(many);
        let operation = churn(entry);
        for live in LIVE {
            let (alone, used) = fork(entry, live);
            table.row(vec![
                entry.name.to_owned(),
                format!("{operation:.1}"),
                live.to_string(),
                format!("{alone:.2}"),
                format!("{used:.2}"),
                memory.to_string(),
            ]);
        }
    }
    table.print();
}

//! Random sequences of operations. Runs for a second by itself; `PLAT_FUZZ_SEEDS=FIRST..LAST` makes
//! a long run of it, and a failure names its seed. `make fuzz` searches by coverage instead.

mod operations;

use plat_allocator::ALL;
use plat_allocator::reference::Random;

#[test]
fn every_sequence_of_operations_keeps_blocks_apart() {
    let seeds = std::env::var("PLAT_FUZZ_SEEDS").unwrap_or_else(|_| "0..120".into());
    let (first, last) = seeds.split_once("..").expect("FIRST..LAST");
    let number = |text: &str| text.parse::<u64>().expect("a number");
    for seed in number(first)..number(last) {
        let mut random = Random::new(seed);
        let length = 3 * random.below(1_200);
        let data: Vec<u8> = (0..length).map(|_| random.bits() as u8).collect();
        for entry in ALL {
            let run = std::panic::catch_unwind(|| operations::run(entry, &data));
            assert!(run.is_ok(), "seed {seed}, {}", entry.name);
        }
    }
}

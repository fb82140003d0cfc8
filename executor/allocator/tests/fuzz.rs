//! Random sequences of operations. Runs for a second by default; `PLAT_FUZZ_SEEDS=FIRST..LAST`
//! makes a longer run. A failure names its seed. `make fuzz` is guided by coverage instead.

mod operations;

use fastrand::Rng;
use plat_allocator::ALL;

#[test]
fn blocks_never_overlap() {
    let seeds = std::env::var("PLAT_FUZZ_SEEDS").unwrap_or_else(|_| "0..120".into());
    let (first, last) = seeds.split_once("..").expect("FIRST..LAST");
    let number = |text: &str| text.parse::<u64>().expect("a number");
    for seed in number(first)..number(last) {
        let mut random = Rng::with_seed(seed);
        let length = 3 * random.u64(..1_200);
        let data: Vec<u8> = (0..length).map(|_| random.u8(..)).collect();
        for entry in ALL {
            let run = std::panic::catch_unwind(|| operations::run(entry, &data));
            assert!(run.is_ok(), "seed {seed}, {}", entry.name);
        }
    }
}

//! The options of seeds, and what they mean.

use crate::args::seeds::SeedArgs;
use plat::Error;
use plat::seeds::{paths, seed};
use plat_engine::seeds::{Seed, Seeds};

/// What a run is to follow.
///
/// # Errors
/// When a test case cannot be read, or the options contradict each other.
pub fn read(args: &SeedArgs) -> Result<Seeds, Error> {
    let replayed = paths(&args.replay_ktest_file, &args.replay_ktest_dir)?;
    let followed = paths(&args.seed_file, &args.seed_dir)?;
    if !replayed.is_empty() && !followed.is_empty() {
        return Err(Error::input(
            "--replay-ktest-file and --seed-file exclude each other",
        ));
    }
    let only_replay = args.only_replay_seeds || !replayed.is_empty();
    let all: Vec<Seed> = replayed
        .iter()
        .chain(&followed)
        .map(|path| seed(path))
        .collect::<Result<_, _>>()?;
    if all.is_empty() && (args.only_seed || only_replay) {
        return Err(Error::input(
            "no seeds; --seed-file and --seed-dir name them",
        ));
    }
    Ok(Seeds {
        all,
        only_seed: args.only_seed,
        only_replay,
        allow_extension: args.allow_seed_extension,
        allow_truncation: args.allow_seed_truncation,
        by_name: args.named_seed_matching,
    })
}

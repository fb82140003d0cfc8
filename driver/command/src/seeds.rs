//! The options of seeds, and what they mean.

use crate::args::seeds::SeedArgs;
use plat::corpus::Raw;
use plat::input::{self, Kind};
use plat::seeds::{SeedFile, paths, read as read_seed, seed, tests};
use plat::suite::Cases;
use plat::{Error, Fuzzer};
use plat_engine::seeds::{Seed, Seeds};
use std::path::Path;
use std::time::Duration;

/// The fuzzers that the run is to work beside.
pub fn fuzzer(args: &SeedArgs) -> Option<Fuzzer> {
    let directory = args.fuzzer_corpus.as_ref()?;
    let fuzzer = Fuzzer::at(directory).node(&args.fuzzer_node);
    Some(fuzzer.sync(Duration::from_secs(args.sync)))
}

/// The directions of branches in a `.path` file.
///
/// # Errors
/// When it cannot be read, or has something else.
pub fn directions(file: &Path) -> Result<Vec<bool>, Error> {
    let text = input::read_text(file, Kind::Result)?;
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let directions = lines.map(|(at, line)| match line.trim() {
        "1" => Ok(true),
        "0" => Ok(false),
        other => Err(Error::input(format!(
            "{}:{}: `{other}` is no direction; --write-paths writes a 0 or 1 in each line",
            file.display(),
            at + 1
        ))),
    });
    directions.collect()
}

/// What a run is to follow: test cases, and inputs of fuzzers.
///
/// # Errors
/// When a file cannot be read, or the options contradict each other.
pub fn read(args: &SeedArgs) -> Result<(Seeds, Vec<Raw>), Error> {
    let mut cases = Cases::default();
    let replayed = tests(&mut cases, &args.replay_ktest_file, &args.replay_ktest_dir)?;
    let followed = paths(&mut cases, &args.seed_file, &args.seed_dir)?;
    if !replayed.is_empty() && !followed.is_empty() {
        return Err(Error::input(
            "--replay-ktest-file and --seed-file exclude each other",
        ));
    }
    let only_replay = args.only_replay_seeds || !replayed.is_empty();
    let replayed = replayed.iter().map(|path| seed(&mut cases, path));
    let mut all: Vec<Seed> = replayed.collect::<Result<_, _>>()?;
    let mut raw = Vec::new();
    for path in &followed {
        match read_seed(&mut cases, path)? {
            SeedFile::Test(seed) => all.push(seed),
            SeedFile::Raw(input) => raw.push(input),
        }
    }
    if all.is_empty() && raw.is_empty() && (args.only_seed || only_replay) {
        return Err(Error::input(
            "no seeds; --seed-file and --seed-dir name them",
        ));
    }
    let seeds = Seeds {
        longest: None,
        all,
        only_seed: args.only_seed,
        only_replay,
        allow_extension: args.allow_seed_extension,
        allow_truncation: args.allow_seed_truncation,
        by_name: args.named_seed_matching,
    };
    Ok((seeds, raw))
}

//! Seeds: test cases read from files and directories.

use crate::args::seeds::SeedArgs;
use crate::failure::Failure;
use crate::input::{self, Kind};
use plat_engine::seeds::{Seed, Seeds};
use plat_env::Ktest;
use std::fs;
use std::path::{Path, PathBuf};

/// What a run is to follow.
///
/// # Errors
/// When a test case cannot be read, or the options contradict each other.
pub fn read(args: &SeedArgs) -> Result<Seeds, Failure> {
    let replayed = paths(&args.replay_ktest_file, &args.replay_ktest_dir)?;
    let followed = paths(&args.seed_file, &args.seed_dir)?;
    if !replayed.is_empty() && !followed.is_empty() {
        return Err(Failure::input(
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
        return Err(Failure::input(
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

fn seed(path: &Path) -> Result<Seed, Failure> {
    input::check(path, Kind::TestCase)?;
    let test = Ktest::read(path).map_err(Failure::input)?;
    let objects = test.objects.into_iter();
    Ok(objects.map(|object| (object.name, object.bytes)).collect())
}

/// The files, and those of the directories that are test cases, in order.
fn paths(files: &[PathBuf], directories: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut all = files.to_vec();
    for directory in directories {
        let wrong = |why| Failure::input(format!("{}: {why}", directory.display()));
        let entries = fs::read_dir(directory).map_err(wrong)?;
        let entries = entries.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
        let mut found: Vec<PathBuf> = entries
            .into_iter()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == "ktest"))
            .collect();
        if found.is_empty() {
            return Err(Failure::input(format!(
                "{}: no .ktest files",
                directory.display()
            )));
        }
        found.sort();
        all.append(&mut found);
    }
    Ok(all)
}

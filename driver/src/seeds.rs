//! Seeds: test cases read from files and directories.

use crate::Error;
use crate::input::{self, Kind};
use plat_engine::seeds::Seed;
use plat_env::Ktest;
use std::fs;
use std::path::{Path, PathBuf};

/// Reads a test case.
///
/// # Errors
/// When it is not usable.
pub fn seed(path: &Path) -> Result<Seed, Error> {
    input::check(path, Kind::TestCase)?;
    let test = Ktest::read(path).map_err(Error::input)?;
    let objects = test.objects.into_iter();
    Ok(objects.map(|object| (object.name, object.bytes)).collect())
}

/// The files, and those of the directories that are test cases, in order.
///
/// # Errors
/// When a directory cannot be read or has none.
pub fn paths(files: &[PathBuf], directories: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    let mut all = files.to_vec();
    for directory in directories {
        let wrong = |why| Error::input(format!("{}: {why}", directory.display()));
        let entries = fs::read_dir(directory).map_err(wrong)?;
        let entries = entries.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
        let mut found: Vec<PathBuf> = entries
            .into_iter()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == "ktest"))
            .collect();
        if found.is_empty() {
            return Err(Error::input(format!(
                "{}: no .ktest files",
                directory.display()
            )));
        }
        found.sort();
        all.append(&mut found);
    }
    Ok(all)
}

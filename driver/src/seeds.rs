//! Seeds: test cases and inputs of fuzzers, read from files and directories.

use crate::Error;
use crate::corpus::{Raw, files};
use crate::input::{self, Kind};
use crate::suite::{Cases, Container};
use plat_engine::seeds::Seed;
use plat_env::Ktest;
use std::path::{Path, PathBuf};

/// A file that a run follows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SeedFile {
    /// A test case.
    Test(Seed),
    /// An input of a fuzzer's: any file that is no test case.
    Raw(Raw),
}

/// Reads a seed.
///
/// # Errors
/// When it is not usable.
pub fn read(cases: &mut Cases, path: &Path) -> Result<SeedFile, Error> {
    if !path.exists() && cases.kept(path)?.is_some() {
        return seed(cases, path).map(SeedFile::Test);
    }
    let bytes = input::read(path, Kind::TestCase)?;
    if is_test_case(&bytes) {
        return test_case(path, &bytes).map(SeedFile::Test);
    }
    let name = path.display().to_string();
    Ok(SeedFile::Raw(Raw { name, bytes }))
}

/// Reads a test case: a file, or a test of a run that has none.
///
/// # Errors
/// When it is none, or not usable.
pub fn seed(cases: &mut Cases, path: &Path) -> Result<Seed, Error> {
    let objects = cases.read(path)?.test.objects.into_iter();
    let objects: Vec<_> = objects.map(|object| (object.name, object.bytes)).collect();
    Ok(objects.into())
}

fn test_case(path: &Path, bytes: &[u8]) -> Result<Seed, Error> {
    let wrong = |why| Error::input(format!("{}: {why}", path.display()));
    let test = Ktest::from_bytes(bytes).map_err(wrong)?;
    let objects = test.objects.into_iter();
    let objects: Vec<_> = objects.map(|object| (object.name, object.bytes)).collect();
    Ok(objects.into())
}

/// Whether a file begins as KLEE's test cases do.
fn is_test_case(bytes: &[u8]) -> bool {
    bytes.starts_with(b"KTEST") || bytes.starts_with(b"BOUT\n")
}

/// The files, and those of the directories: the test cases of one that has any, otherwise the inputs
/// of a fuzzer ([`files::inputs`]).
///
/// # Errors
/// When a directory cannot be read or has none.
pub fn paths(
    cases: &mut Cases,
    files: &[PathBuf],
    directories: &[PathBuf],
) -> Result<Vec<PathBuf>, Error> {
    in_directories(cases, files, directories, true)
}

/// The files, and the test cases of the directories, in order.
///
/// # Errors
/// When a directory cannot be read or has none.
pub fn tests(
    cases: &mut Cases,
    files: &[PathBuf],
    directories: &[PathBuf],
) -> Result<Vec<PathBuf>, Error> {
    in_directories(cases, files, directories, false)
}

fn in_directories(
    cases: &mut Cases,
    files: &[PathBuf],
    directories: &[PathBuf],
    raw: bool,
) -> Result<Vec<PathBuf>, Error> {
    let mut all = files.to_vec();
    for directory in directories {
        if Container::is_in(directory) {
            all.extend(cases.in_directory(directory)?);
            continue;
        }
        let mut found = files::entries(directory)?;
        found.retain(|path| path.extension().is_some_and(|end| end == "ktest"));
        if found.is_empty() && raw {
            found = files::inputs(directory)?;
        }
        if found.is_empty() {
            let none = if raw { "no seeds" } else { "no .ktest files" };
            return Err(Error::input(format!("{}: {none}", directory.display())));
        }
        all.append(&mut found);
    }
    Ok(all)
}

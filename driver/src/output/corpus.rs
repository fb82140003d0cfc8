//! The tests of a run as a fuzzer's corpus: a file of plain bytes for each input.

use super::directory::write_whole;
use super::tests_jsonl;
use crate::Error;
use crate::corpus::{self, files, names};
use crate::input::{self, Kind};
use crate::suite::Cases;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// How inputs are named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Naming {
    /// By the SHA-1 of their bytes.
    LibFuzzer,
    /// By number, `id:000000,orig:test000001`, behind those that are there.
    Afl,
}

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Exported {
    /// Inputs.
    pub written: usize,
    /// Tests whose input is there already, or another test's.
    pub known: usize,
}

/// The test cases that are to be exported: files, and those of run directories. With `only_new`, of a
/// directory those that were the first to cover something, and those of faults.
///
/// # Errors
/// When a directory cannot be read, or has no tests.
pub fn tests(named: &[PathBuf], only_new: bool) -> Result<Vec<PathBuf>, Error> {
    let mut all = Vec::new();
    for path in named {
        if !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let mut found = Cases::default().in_directory(path)?;
        if only_new {
            let file = path.join("tests.jsonl");
            let wrong = |why: String| Error::input(format!("{}: {why}", file.display()));
            let lines = tests_jsonl::parse(&input::read_text(&file, Kind::Result)?);
            let lines = lines.map_err(wrong)?.into_iter();
            let new = lines.filter(|line| line.covers_new || line.end == tests_jsonl::End::Fault);
            let new: HashSet<String> = new.map(|line| format!("test{:06}", line.test)).collect();
            found.retain(|path| {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                new.contains(stem.as_ref())
            });
        }
        all.append(&mut found);
    }
    Ok(all)
}

/// Writes the inputs of test cases to a directory, which is made if it is not there. No input is
/// written twice, and nothing that is there is changed.
///
/// # Errors
/// When a test case is of no use to a fuzzer, or a file cannot be read or written.
pub fn export(tests: &[PathBuf], directory: &Path, naming: Naming) -> Result<Exported, Error> {
    fs::create_dir_all(directory).map_err(|why| {
        Error::input(format!("{}: cannot be created: {why}", directory.display()))
    })?;
    let mut known = HashSet::new();
    let mut next = 0;
    for path in files::inputs(directory)? {
        known.insert(names::libfuzzer(&files::read(&path)?));
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        next = next.max(names::afl_number(&name).map_or(0, |number| number + 1));
    }
    let mut exported = Exported::default();
    let mut cases = Cases::default();
    for path in tests {
        let test = cases.read(path)?.test;
        let bytes = corpus::input_of(&test)
            .map_err(|why| Error::input(format!("{}: {}", path.display(), why.message)))?;
        let digest = names::libfuzzer(&bytes);
        if known.contains(&digest) {
            exported.known += 1;
            continue;
        }
        let name = match naming {
            Naming::LibFuzzer => digest.clone(),
            Naming::Afl => {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                format!("{},orig:{stem}", names::afl_prefix(next))
            }
        };
        write_whole(&directory.join(name), &bytes)?;
        known.insert(digest);
        next += 1;
        exported.written += 1;
    }
    Ok(exported)
}

//! The directory of a run that is to go on: its tests, which may have been cut off anywhere, and files that
//! are begun anew.

use super::directory::write_whole;
use crate::Error;
use crate::suite::{Container, SavedTest, stem};
use plat_engine::outcome::test_identity;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// Files that the run writes anew; those of the earlier one are kept beside them.
const ANEW: [&str; 5] = [
    "info",
    "summary.json",
    "run.stats",
    "run.istats",
    "exec_tree.db",
];

/// How many tests there are, and which of them has which input. `tests.jsonl` is made anew: the run may
/// have been ended while it was behind `run.tests`, and so may the files of the tests of errors, which others
/// may have been about to replace.
///
/// # Errors
/// When they cannot be read or written.
pub fn tests(directory: &Path) -> Result<(u32, HashMap<u64, u32>), Error> {
    let mut known = HashMap::new();
    if !Container::is_in(directory) {
        return Ok((0, known));
    }
    let container = Container::open(directory)?;
    // Tests that others have replaced are known too.
    for test in container.all() {
        let test = test?;
        let identity = test_identity(&test.inputs, test.end.reach());
        known.insert(identity, test.number);
    }
    let last = container.numbers().next_back().unwrap_or(0);
    let mut lines = String::new();
    for test in container.tests() {
        let test = test?;
        lines += &test.line().to_line();
        if test.error().is_some() {
            write_again(directory, &test, &container.run().arguments)?;
        }
    }
    write_whole(&directory.join("tests.jsonl"), lines.as_bytes())?;
    remove_behind(directory, last)
        .map_err(|why| Error::input(format!("{}: {why}", directory.display())))?;
    Ok((last, known))
}

/// Writes the files of a test, if it has any.
fn write_again(directory: &Path, test: &SavedTest, arguments: &[Vec<u8>]) -> Result<(), Error> {
    let stem = stem(test.number);
    if !directory.join(format!("{stem}.ktest")).exists() {
        return Ok(());
    }
    for (end, contents) in test.files(arguments) {
        write_whole(&directory.join(format!("{stem}.{end}")), &contents)?;
    }
    Ok(())
}

/// Removes the files of tests behind the last one that was written whole.
fn remove_behind(directory: &Path, last: u32) -> std::io::Result<()> {
    for entry in fs::read_dir(directory)?.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let number = name
            .strip_prefix("test")
            .and_then(|rest| rest.split('.').next());
        if number
            .and_then(|number| number.parse().ok())
            .is_some_and(|number: u32| number > last)
        {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Keeps the files of the earlier run that this one writes anew.
///
/// # Errors
/// When they cannot be moved.
pub fn set_aside(directory: &Path, session: usize) -> Result<(), Error> {
    let aside = directory.join(format!("session-{session}"));
    let wrong = |why: std::io::Error| Error::input(format!("{}: {why}", aside.display()));
    for name in ANEW {
        let file = directory.join(name);
        if file.exists() {
            fs::create_dir_all(&aside).map_err(wrong)?;
            fs::rename(&file, aside.join(name)).map_err(wrong)?;
        }
    }
    Ok(())
}

//! Tests that a run takes over from a run of another version of its program: written as if the run had
//! made them itself.

use super::directory::Directory;
use super::files::Files;
use super::recording::{Subject, decisions};
use super::run_tests::RunTests;
use super::test_files::{Places, TestFiles};
use super::tests_jsonl::End;
use crate::Error;
use crate::suite::SavedTest;
use plat_engine::TestRecord;

/// A test that is taken over.
#[derive(Clone, Debug)]
pub struct Carried {
    /// As it was.
    pub old: SavedTest,
    /// Its path in the new version.
    pub path: TestRecord,
    /// Lines that are covered by it and by none before it.
    pub first: Places,
}

/// Writes tests to the directory of a run that has not begun, numbered from 1.
///
/// # Errors
/// When they cannot be written.
pub fn write<'t>(
    directory: &Directory,
    files: &Files,
    run: &Subject<'_>,
    tests: impl Iterator<Item = &'t Carried>,
) -> Result<(), Error> {
    if files.tests.none {
        return Ok(());
    }
    let writer = run.test_files(directory, files);
    let mut store = RunTests::create(directory, run.about(), decisions(run.config))?;
    for (number, carried) in (1..).zip(tests) {
        let test = of(&writer, number, carried);
        if writer.has_own(&test) {
            writer.write(&test)?;
        }
        store.add(test, false)?;
    }
    store.finish()
}

/// The test as it is in the new version. What the symbolic path alone can tell, its condition and
/// its choices, is what it was.
fn of(writer: &TestFiles<'_>, number: u32, carried: &Carried) -> SavedTest {
    let (old, first) = (&carried.old, carried.first.clone());
    let mut test = writer.test(number, &carried.path, first, old.made);
    test.work = old.work;
    if old.end == End::Limit {
        // The test itself goes on behind the limit.
        return SavedTest {
            number,
            covered_new: test.covered_new,
            first: test.first,
            ..old.clone()
        };
    }
    for (end, contents) in &old.files {
        let of_new = end.ends_with(".err") || ["early", "cov"].contains(&end.as_str());
        if of_new {
            continue;
        }
        match test.files.iter_mut().find(|(known, _)| known == end) {
            Some(known) => known.1.clone_from(contents),
            None => test.files.push((end.clone(), contents.clone())),
        }
    }
    test
}

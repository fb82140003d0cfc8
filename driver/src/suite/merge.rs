//! The tests of runs that have explored parts of one tree, put together.
//!
//! The same as if one run had explored all: a test that several have made, as work was done twice, is
//! there once, and of the paths that meet an error, the one with the fewest instructions stands for it, among equals
//! the one with the least input ([`plat_engine::deduplication`]). Tests are numbered by their inputs, so
//! that their numbers do not tell who has done what.

use super::{Container, RunInfo, SavedTest};
use crate::Error;
use crate::output::directory::Directory;
use crate::output::run_tests::RunTests;
use crate::suite::extract;
use crate::trie::{self, Trie};
use plat_engine::InputObject;
use plat_engine::deduplication::ErrorKey;
use plat_engine::outcome::test_identity;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// What was put together.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Merged {
    /// Tests.
    pub tests: usize,
    /// Those of errors, one for each.
    pub errors: usize,
    /// Tests that others have made as well, or that others stand for.
    pub dropped: usize,
}

/// Puts the tests of these runs into a directory that does not exist yet: all into its container, and
/// files for those of errors and for those that were the first of their run to cover something.
///
/// # Errors
/// When runs have no tests that can be read, are of several programs, or the directory cannot be filled.
pub fn merge(runs: &[PathBuf], to: &Path) -> Result<Merged, Error> {
    let mut gathered = Gathered::default();
    for run in runs {
        gathered.add(run)?;
    }
    let run = gathered.run.take().unwrap_or_default();
    let mut all = gathered.merged;
    all.errors = gathered.errors.len();
    let tests = gathered.kept();
    all.tests = tests.len();
    let directory = Directory::create(Some(to), to, crate::names::Names::PLAT)?;
    let mut store = RunTests::create(&directory, run.clone(), BTreeMap::new())?;
    for (mut test, number) in tests.into_iter().zip(1..) {
        test.number = number;
        if test.error().is_some() || test.covered_new {
            extract(&test, &run.arguments, directory.path())?;
        }
        store.add(test, false)?;
    }
    store.finish()?;
    Ok(all)
}

#[derive(Default)]
struct Gathered {
    run: Option<RunInfo>,
    seen: HashSet<u64>,
    tests: Vec<SavedTest>,
    errors: HashMap<ErrorKey, SavedTest>,
    merged: Merged,
}

impl Gathered {
    fn add(&mut self, directory: &Path) -> Result<(), Error> {
        // Work that has ended no path has no tests.
        if !Container::is_in(directory) && directory.join(trie::FILE).is_file() {
            return Ok(());
        }
        let container = Container::open(directory)?;
        let run = container.run();
        match &self.run {
            None => self.run = Some(run.clone()),
            Some(first) if first.arguments.get(1..) != run.arguments.get(1..) => {
                let place = directory.display();
                return Err(Error::input(format!(
                    "{place}: its tests are of another run: {} was run with other arguments",
                    run.program
                )));
            }
            Some(_) => {}
        }
        let known = errors(directory)?;
        for test in container.tests() {
            let test = test?;
            let identity = test_identity(&test.inputs, test.end.reach());
            let key = known.get(&test.inputs).filter(|_| test.error().is_some());
            match key {
                Some(key) => self.error(key, test),
                None if self.seen.insert(identity) => self.tests.push(test),
                None => self.merged.dropped += 1,
            }
        }
        Ok(())
    }

    fn error(&mut self, key: &ErrorKey, test: SavedTest) {
        let Some(known) = self.errors.get_mut(key) else {
            self.errors.insert(key.clone(), test);
            return;
        };
        if known.inputs == test.inputs {
            self.merged.dropped += 1;
            return;
        }
        let rank = |test: &SavedTest| (test.work.0, test.inputs.clone());
        let worse = match rank(&test) < rank(known) {
            true => std::mem::replace(known, test),
            false => test,
        };
        self.repeated(worse);
    }

    /// A test whose error has another one keeps no report. It stays for what it covers.
    fn repeated(&mut self, mut test: SavedTest) {
        let identity = test_identity(&test.inputs, test.end.reach());
        if !test.covered_new || !self.seen.insert(identity) {
            self.merged.dropped += 1;
            return;
        }
        test.repeats = true;
        test.files.retain(|(end, _)| !end.ends_with(".err"));
        self.tests.push(test);
    }

    fn kept(self) -> Vec<SavedTest> {
        let mut tests = self.tests;
        tests.extend(self.errors.into_values());
        tests.sort_by(|a, b| (&a.inputs, a.end as u8).cmp(&(&b.inputs, b.end as u8)));
        tests
    }
}

/// The errors of a run by the inputs of the paths that stand for them.
fn errors(directory: &Path) -> Result<HashMap<Vec<InputObject>, ErrorKey>, Error> {
    if !directory.join(trie::FILE).is_file() {
        return Ok(HashMap::new());
    }
    let faults = Trie::read(directory)?.faults.into_iter();
    Ok(faults.map(|fault| (fault.inputs, fault.key)).collect())
}

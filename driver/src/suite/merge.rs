//! The tests of runs that have explored parts of one tree, put together.
//!
//! The same as if one run had explored all: a test that several have made, as work was done twice, is
//! there once, and of the paths that meet an error, the one with the fewest instructions stands for it, among equals
//! the one with the least input ([`plat_engine::deduplication`]). Tests are numbered by their inputs, so
//! that their numbers do not tell who has done what.
//!
//! There may be millions of them. So they are copied as the bytes that they are in their containers, of which
//! the fields that decide are read in place ([`stored`]); whole ones are made only of errors and of what gets files.

use super::stored::{self, Fields, Input};
use super::{Container, RunInfo, SavedTest};
use crate::Error;
use crate::output::directory::Directory;
use crate::output::run_tests::RunTests;
use crate::suite::extract;
use crate::trie;
use plat_engine::InputObject;
use plat_engine::deduplication::ErrorKey;
use plat_engine::outcome::{Reach, test_identity};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, HashMap};
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
    let copies = gathered.kept().map_err(|why| no_test(&why))?;
    all.tests = copies.len();
    let directory = Directory::create(Some(to), to, crate::names::Names::PLAT)?;
    let mut store = RunTests::create(&directory, run.clone(), BTreeMap::new(), true)?;
    for (behind, number) in copies.sorted().map_err(|why| no_test(&why))?.zip(1..) {
        let entry = stored::numbered(number, behind).map_err(|why| no_test(&why))?;
        let fields = Fields::read(behind).map_err(|why| no_test(&why))?;
        if fields.covered_new || fields.end.reach() == Reach::Error {
            let test = stored::whole(&entry).map_err(|why| no_test(&why))?;
            if test.error().is_some() || test.covered_new {
                extract(&test, &run.arguments, directory.path())?;
            }
        }
        store.copy(&entry, &fields.line(number))?;
    }
    store.finish()?;
    Ok(all)
}

fn no_test(why: &plat_protocol::Error) -> Error {
    Error::input(format!("a test cannot be copied: {why}"))
}

/// Tests as they stand in their containers, behind their numbers.
#[derive(Default)]
struct Copies {
    /// One behind another.
    bytes: Vec<u8>,
    /// Where each begins.
    starts: Vec<usize>,
}

impl Copies {
    fn add(&mut self, behind: &[u8]) {
        self.starts.push(self.bytes.len());
        self.bytes.extend_from_slice(behind);
    }

    fn len(&self) -> usize {
        self.starts.len()
    }

    /// Where each begins and ends.
    fn ranges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let ends = self.starts.iter().skip(1).copied();
        let ends = ends.chain([self.bytes.len()]);
        self.starts.iter().copied().zip(ends)
    }

    /// In the order of their inputs, among equals of their ends.
    fn sorted(&self) -> Result<impl Iterator<Item = &[u8]>, plat_protocol::Error> {
        type Key<'a> = (Vec<Input<'a>>, u8);
        let mut order: Vec<(Key<'_>, &[u8])> = Vec::with_capacity(self.len());
        for (start, end) in self.ranges() {
            let behind = &self.bytes[start..end];
            let fields = Fields::read(behind)?;
            order.push(((fields.inputs, fields.end as u8), behind));
        }
        order.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(order.into_iter().map(|(_, behind)| behind))
    }
}

#[derive(Default)]
struct Gathered {
    run: Option<RunInfo>,
    seen: FxHashSet<u64>,
    tests: Copies,
    errors: BTreeMap<ErrorKey, SavedTest>,
    /// Tests whose errors have others.
    repeated: Vec<SavedTest>,
    merged: Merged,
}

impl Gathered {
    fn add(&mut self, directory: &Path) -> Result<(), Error> {
        // Work that has ended no path has no tests.
        if !Container::is_in(directory) && directory.join(trie::FILE).is_file() {
            return Ok(());
        }
        let container = Container::open(directory)?;
        self.add_run(container.run(), directory)?;
        let known = errors(directory)?;
        container.entries(&mut |entry| {
            let behind = stored::behind_number(entry)?;
            let fields = Fields::read(behind)?;
            if fields.end.reach() == Reach::Error {
                let test = stored::whole(entry)?;
                if let Some(key) = known.get(&test.inputs).filter(|_| test.error().is_some()) {
                    self.error(key, test);
                    return Ok(());
                }
            }
            match self.seen.insert(fields.identity()) {
                true => self.tests.add(behind),
                false => self.merged.dropped += 1,
            }
            Ok(())
        })
    }

    fn add_run(&mut self, run: &RunInfo, directory: &Path) -> Result<(), Error> {
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
        self.repeated.push(test);
    }

    fn kept(self) -> Result<Copies, plat_protocol::Error> {
        let mut tests = self.tests;
        for test in self.repeated.into_iter().chain(self.errors.into_values()) {
            tests.add(&stored::bytes_behind_number(test)?);
        }
        Ok(tests)
    }
}

/// The errors of a run by the inputs of the paths that stand for them.
fn errors(directory: &Path) -> Result<HashMap<Vec<InputObject>, ErrorKey>, Error> {
    if !directory.join(trie::FILE).is_file() {
        return Ok(HashMap::new());
    }
    let faults = trie::faults(directory)?.into_iter();
    Ok(faults.map(|fault| (fault.inputs, fault.key)).collect())
}

//! The container of a run's tests, read by their numbers.

use super::saved::{Entry, FILE, RunInfo, SavedTest};
use super::stored;
use crate::Error;
use crate::input::{self, Kind};
use plat_store::{Reader, Tail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The tests of a run, in its container. The run may go on: [`Container::refresh`] takes up what it
/// has found since.
#[derive(Debug)]
pub struct Container {
    path: PathBuf,
    reader: Reader<Entry>,
    run: RunInfo,
    /// The record of each test: the last that has its number.
    records: BTreeMap<u32, u64>,
    /// The record behind the last that was looked at.
    seen: u64,
}

impl Container {
    /// Whether a directory has one.
    pub fn is_in(directory: &Path) -> bool {
        directory.join(FILE).is_file()
    }

    /// Opens the container in the directory of a run.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn open(directory: &Path) -> Result<Self, Error> {
        let path = directory.join(FILE);
        input::check(&path, Kind::Tests)?;
        let reader = Reader::open(&path).map_err(|why| failed(&path, &why))?;
        let mut container = Container {
            path,
            reader,
            run: RunInfo::default(),
            records: BTreeMap::new(),
            seen: 0,
        };
        container.index()?;
        Ok(container)
    }

    /// Takes up the tests that were written since.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn refresh(&mut self) -> Result<(), Error> {
        self.reader
            .refresh()
            .map_err(|why| failed(&self.path, &why))?;
        self.index()
    }

    fn index(&mut self) -> Result<(), Error> {
        while self.seen < self.reader.len() {
            let number = self.reader.read(self.seen, stored::number);
            match number.map_err(|why| failed(&self.path, &why))? {
                Some(number) => drop(self.records.insert(number, self.seen)),
                None => self.run = self.run_at(self.seen)?,
            }
            self.seen += 1;
        }
        Ok(())
    }

    fn run_at(&self, record: u64) -> Result<RunInfo, Error> {
        match self.reader.get(record) {
            Ok(Entry::Run(run)) => Ok(run),
            Ok(Entry::Test(_)) => Ok(self.run.clone()),
            Err(why) => Err(failed(&self.path, &why)),
        }
    }

    /// The bytes of all tests in the order of their numbers, each of an entry.
    ///
    /// # Errors
    /// When one cannot be read, or what `take` says.
    pub(super) fn entries(
        &self,
        take: &mut dyn FnMut(&[u8]) -> Result<(), plat_protocol::Error>,
    ) -> Result<(), Error> {
        for &record in self.records.values() {
            let taken = self.reader.read(record, &mut *take);
            taken.map_err(|why| failed(&self.path, &why))?;
        }
        Ok(())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The run that the tests are of.
    pub fn run(&self) -> &RunInfo {
        &self.run
    }

    /// The numbers of the tests.
    pub fn numbers(&self) -> impl DoubleEndedIterator<Item = u32> + '_ {
        self.records.keys().copied()
    }

    /// Whether there is a test of this number.
    pub fn has(&self, number: u32) -> bool {
        self.records.contains_key(&number)
    }

    /// How many tests there are.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there is no test.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// A test by its number.
    ///
    /// # Errors
    /// When there is none, or the file cannot be read.
    pub fn test(&self, number: u32) -> Result<SavedTest, Error> {
        let none = || Error::input(format!("{}: no test {number}", self.path.display()));
        let record = *self.records.get(&number).ok_or_else(none)?;
        match self.reader.get(record) {
            Ok(Entry::Test(test)) => Ok(*test),
            Ok(Entry::Run(_)) => Err(none()),
            Err(why) => Err(failed(&self.path, &why)),
        }
    }

    /// All tests, in the order of their numbers.
    pub fn tests(&self) -> impl Iterator<Item = Result<SavedTest, Error>> + '_ {
        self.numbers().map(|number| self.test(number))
    }

    /// All tests that were ever written, those that others have replaced included.
    pub(crate) fn all(&self) -> impl Iterator<Item = Result<SavedTest, Error>> + '_ {
        let entries = self.reader.records(0);
        entries.filter_map(|entry| match entry {
            Ok(Entry::Test(test)) => Some(Ok(*test)),
            Ok(Entry::Run(_)) => None,
            Err(why) => Some(Err(failed(&self.path, &why))),
        })
    }

    /// What at the end of the file cannot be read, in words; none if all of it can.
    pub fn damage(&self) -> Option<String> {
        let Tail { at, bytes, kind } = self.reader.tail()?;
        let what = match kind {
            plat_store::TailKind::Torn => "were not written whole: the run was killed, or goes on",
            plat_store::TailKind::Damaged => "are damaged; tests behind them cannot be read",
        };
        let path = self.path.display();
        Some(format!(
            "{path}: the last {bytes} bytes, from {at} on, {what}"
        ))
    }
}

pub fn failed(path: &Path, why: &plat_store::Error) -> Error {
    Error::input(format!("{}: {why}", path.display()))
}

//! `run.tests` and `tests.jsonl`: all tests of a run in one file, and a line for each.
//!
//! Writing a file for each test can cost more than finding it. So tests gather in memory and are
//! written together: at once where a test is one that people wait for, otherwise when the last
//! writing is long enough ago. Whoever kills the run loses what came in that time.

use super::directory::Directory;
use super::tests_jsonl::{TestLine, sha256};
use crate::Error;
use crate::suite::{Entry, FILE, RunInfo, SavedTest};
use plat_store::{Header, Writer};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Tests are written when the last writing is so long ago.
const LONGEST: Duration = Duration::from_millis(20);

/// The tests of a run, for all that write what must not be ahead of them.
pub type SharedTests = Rc<RefCell<RunTests>>;

/// Writes both files.
#[derive(Debug)]
pub struct RunTests {
    directory: PathBuf,
    store: Writer<Entry>,
    /// None if there are to be no lines.
    lines: Option<File>,
    /// Lines that are to be written.
    gathered: String,
    /// Lines in place of those that were written before, by test.
    better: BTreeMap<u32, String>,
    last: u32,
    /// The test that was added last, until somebody has asked for it.
    added: Option<u32>,
    written: Instant,
}

impl RunTests {
    /// Makes the files, `tests.jsonl` if it is asked for. `decisions` are the options that change what paths do.
    ///
    /// # Errors
    /// When they cannot be made.
    pub fn create(
        directory: &Directory,
        run: RunInfo,
        decisions: BTreeMap<String, String>,
        lines: bool,
    ) -> Result<Self, Error> {
        let path = directory.path().join(FILE);
        let header = Header {
            program: program_hash(Path::new(&run.program)),
            decisions,
            about: [("program".to_owned(), run.program.clone())].into(),
        };
        let failed = |why| crate::suite::failed(&path, &why);
        let mut store = Writer::create(&path, &header).map_err(failed)?;
        store.append(&Entry::Run(run)).map_err(failed)?;
        store.flush().map_err(failed)?;
        RunTests::of(directory, store, 0, lines)
    }

    /// Goes on with the files of an earlier run that has made so many tests.
    ///
    /// # Errors
    /// When they cannot be opened.
    pub fn reopen(directory: &Directory, last: u32, lines: bool) -> Result<Self, Error> {
        let path = directory.path().join(FILE);
        let store = Writer::reopen(&path).map_err(|why| crate::suite::failed(&path, &why))?;
        RunTests::of(directory, store.0, last, lines)
    }

    fn of(
        directory: &Directory,
        store: Writer<Entry>,
        last: u32,
        lines: bool,
    ) -> Result<Self, Error> {
        let lines = lines.then(|| directory.lines("tests.jsonl"));
        Ok(RunTests {
            directory: directory.path().to_path_buf(),
            store,
            lines: lines.transpose()?,
            gathered: String::new(),
            better: BTreeMap::new(),
            last,
            added: None,
            written: Instant::now(),
        })
    }

    /// Adds a test.
    ///
    /// # Errors
    /// When the files cannot be written.
    pub fn add(&mut self, test: SavedTest, at_once: bool) -> Result<(), Error> {
        self.added = Some(test.number);
        if self.lines.is_some() {
            self.add_line(&test.line());
        }
        let appended = self.store.append(&Entry::Test(Box::new(test)));
        appended.map_err(|why| self.failed(&why))?;
        match at_once {
            true => self.flush(),
            false => self.flush_if_due(),
        }
    }

    /// Adds a test by the bytes of its entry, and its line.
    ///
    /// # Errors
    /// When the files cannot be written.
    pub fn copy(&mut self, entry: &[u8], line: &TestLine) -> Result<(), Error> {
        self.add_line(line);
        let appended = self.store.append_bytes(entry);
        appended.map_err(|why| self.failed(&why))?;
        self.flush_if_due()
    }

    fn add_line(&mut self, line: &TestLine) {
        let text = line.to_line();
        match line.test > self.last {
            true => {
                self.last = line.test;
                self.gathered += &text;
            }
            false => drop(self.better.insert(line.test, text)),
        }
    }

    /// The test that was added since this was asked last.
    pub fn added(&mut self) -> Option<u32> {
        self.added.take()
    }

    /// Writes what has gathered, if the last writing is long enough ago.
    ///
    /// # Errors
    /// When the files cannot be written.
    pub fn flush_if_due(&mut self) -> Result<(), Error> {
        match self.written.elapsed() >= LONGEST {
            true => self.flush(),
            false => Ok(()),
        }
    }

    /// Writes what has gathered.
    ///
    /// # Errors
    /// When the files cannot be written.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.written = Instant::now();
        self.store.flush().map_err(|why| self.failed(&why))?;
        let Some(lines) = &mut self.lines else {
            return Ok(());
        };
        let written = lines.write_all(self.gathered.as_bytes());
        self.gathered.clear();
        written.map_err(|why| {
            let path = self.directory.join("tests.jsonl");
            Error::input(format!("{}: {why}", path.display()))
        })
    }

    /// Completes the files: lines of tests that were replaced go to their places.
    ///
    /// # Errors
    /// When the files cannot be written.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.flush()?;
        if self.better.is_empty() {
            return Ok(());
        }
        let path = self.directory.join("tests.jsonl");
        let text = std::fs::read_to_string(&path)
            .map_err(|why| Error::input(format!("{}: {why}", path.display())))?;
        let lines = text.split_inclusive('\n').zip(1..);
        let lines = lines.map(|(line, test)| self.better.get(&test).map_or(line, String::as_str));
        let text: String = lines.collect();
        super::directory::write_whole(&path, text.as_bytes())
    }

    fn failed(&self, why: &plat_store::Error) -> Error {
        crate::suite::failed(&self.directory.join(FILE), why)
    }
}

/// The hash of the program's file; empty if it is in no file.
fn program_hash(program: &Path) -> String {
    match program.is_file() {
        true => std::fs::read(program).map_or_else(|_| String::new(), |bytes| sha256(&bytes)),
        false => String::new(),
    }
}

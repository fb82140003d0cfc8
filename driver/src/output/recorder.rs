//! The observer that writes the tests of a run and its messages.

use super::error_report::{self, ErrorReport};
use super::log::Log;
use super::run_tests::{RunTests, SharedTests};
use super::summary;
use super::targets::Targets;
use super::test_files::{Places, TestFiles};
use super::trouble::Trouble;
use crate::Error;
use crate::report::Numbers;
use crate::suite::RunInfo;
use plat_engine::deduplication::{self, ErrorKey};
use plat_engine::{
    FaultKind, Observer, PathEnd, Progress, Reached, StackLine, StateId, Target, TestRecord,
};
use plat_program::{InstId, LocId, Program};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Instant;

/// The observer of a run.
pub struct Recorder<'a> {
    tests: TestFiles<'a>,
    log: Log,
    /// All tests. None if there are to be no tests.
    store: Option<SharedTests>,
    numbers: Numbers,
    /// Errors that were announced.
    announced: BTreeSet<ErrorKey>,
    /// For each live state where it was the first to cover an instruction.
    covered: FxHashMap<StateId, Vec<LocId>>,
    trouble: Trouble,
    /// The exit code of the only path so far, or 128 + the signal that its fault would have raised.
    exit_code: Option<u8>,
    paths: u64,
    started: Instant,
    /// The report of the error that came last.
    last_error: Option<ErrorReport>,
    /// The places that are to be reached.
    targets: Targets,
}

impl<'a> Recorder<'a> {
    /// Opens the files of a run. `decisions` are the options that change what paths do, `show` gets
    /// the lines that are for people to see.
    ///
    /// # Errors
    /// When they cannot be made.
    pub(crate) fn new(
        tests: TestFiles<'a>,
        run: RunInfo,
        decisions: BTreeMap<String, String>,
        show: Box<dyn FnMut(&str)>,
        trouble: Trouble,
        numbers: Numbers,
    ) -> Result<Self, Error> {
        let directory = tests.directory;
        let files = &tests.files;
        let store = match files.tests.none {
            true => None,
            false if directory.has_tests_file() => {
                Some(RunTests::reopen(directory, numbers.last(), files.lines)?)
            }
            false => Some(RunTests::create(directory, run, decisions, files.lines)?),
        };
        Ok(Recorder {
            log: Log::create(directory, show, !files.quiet_warnings, files.names)?,
            store: store.map(|store| Rc::new(RefCell::new(store))),
            tests,
            numbers,
            announced: BTreeSet::new(),
            covered: FxHashMap::default(),
            trouble,
            exit_code: None,
            paths: 0,
            started: Instant::now(),
            last_error: None,
            targets: Targets::default(),
        })
    }

    /// Follows when these places are reached.
    pub(crate) fn follow(&mut self, targets: &[Target]) {
        self.targets = Targets::new(targets);
    }

    /// What has become of the places that were to be reached.
    pub(crate) fn targets(&self) -> Vec<summary::Target> {
        self.targets.results()
    }

    /// Says that the run ends for an error.
    pub fn ends_for_error(&mut self) {
        if let Some(report) = &self.last_error {
            let text = format!("ERROR: EXITING ON ERROR:\n{}", report.to_text());
            self.log.message(&text);
        }
    }

    /// Ends the recording: the number of tests, and the exit code of the program if there was one
    /// path.
    pub fn finish(&mut self) -> (u32, Option<u8>) {
        let finished = self.store.as_ref().map(|store| store.borrow_mut().finish());
        if let Some(Err(failure)) = finished {
            self.trouble.report(failure.message);
        }
        (self.numbers.last(), self.exit_code)
    }

    /// All tests, if there are to be any.
    pub fn tests(&self) -> Option<SharedTests> {
        self.store.clone()
    }

    /// The log, for messages on the run as a whole.
    pub fn log(&mut self) -> &mut Log {
        &mut self.log
    }

    fn write_test(&mut self, record: &TestRecord) -> Result<(), Error> {
        let Some(store) = &self.store else {
            return Ok(());
        };
        let number = self.numbers.number(record);
        for line in self.targets.test(record.state, number) {
            self.log.message(&line);
        }
        let error = deduplication::key(&record.end, record.blamed).filter(|_| !record.repeats);
        let covered = covered_by(&mut self.covered, record, error.is_some());
        let covered = lines_at(self.tests.program, covered);
        let elapsed = self.started.elapsed();
        let test = self.tests.test(number, record, covered, elapsed);
        let own = self.tests.has_own(&test);
        if own {
            self.tests.write(&test)?;
        }
        store.borrow_mut().add(test, own)
    }

    /// Writes the test of a record that has one.
    fn write_if_wanted(&mut self, record: &TestRecord) {
        if record.wanted
            && !self.trouble.any()
            && let Err(failure) = self.write_test(record)
        {
            self.trouble.report(failure.message);
        }
    }

    fn announce(&mut self, record: &TestRecord) {
        let Some(report) = self.tests.error_report(record) else {
            return;
        };
        let error = deduplication::key(&record.end, record.blamed);
        let first = error.is_some_and(|error| self.announced.insert(error));
        if first || self.tests.files.all_errors {
            let place = report.place();
            self.log
                .message(&format!("ERROR: {place}: {}", report.message));
            let at = &record.source;
            if self.tests.handler(record).is_some() && at.line > 0 {
                let check = format!("NOTE: the check is at {}:{}", at.file, at.line);
                self.log.message(&check);
            }
        }
        if first && !self.tests.files.all_errors {
            self.log
                .message("NOTE: now ignoring this error at this location");
        }
        self.last_error = Some(report);
    }
}

impl Observer for Recorder<'_> {
    fn path_ended(&mut self, _program: &Program, record: &TestRecord) {
        self.paths += 1;
        self.exit_code = (self.paths == 1).then(|| shell_code(record));
        self.announce(record);
        self.write_if_wanted(record);
        let is_error = deduplication::key(&record.end, record.blamed).is_some();
        if !(is_error && record.covered_new) {
            self.covered.remove(&record.state);
        }
    }

    fn further_test(&mut self, _program: &Program, record: &TestRecord) {
        self.write_if_wanted(record);
    }

    fn progress(&mut self, _progress: &Progress<'_>) {
        let store = self.store.as_ref();
        let flushed = store.map(|store| store.borrow_mut().flush_if_due());
        if let Some(Err(failure)) = flushed
            && !self.trouble.any()
        {
            self.trouble.report(failure.message);
        }
    }

    fn warning(&mut self, text: &str, once: bool) {
        if once {
            self.log.warning_once(text);
        } else {
            self.log.warning(text);
        }
    }

    fn message(&mut self, text: &str) {
        self.log.message(text);
    }

    fn print(&mut self, text: &str) {
        self.log.line(text);
    }

    fn stack(&mut self, lines: &[StackLine]) {
        let frames = lines.iter().map(|line| self.tests.frame(line));
        let text = error_report::stack_text(frames);
        self.log.line(text.trim_end());
    }

    fn reached(&mut self, reached: &Reached<'_>) {
        if let Some(line) = self.targets.reached(reached, self.started.elapsed()) {
            self.log.message(&line);
        }
    }

    fn covered(&mut self, state: StateId, inst: InstId) {
        let place = self.tests.program.place_of(inst);
        let places = self.covered.entry(state).or_default();
        if places.last() != Some(&place) {
            places.push(place);
        }
    }
}

/// Where a path was the first to cover an instruction. A better test for its error may take its
/// number: then there is another test for these places.
fn covered_by(
    all: &mut FxHashMap<StateId, Vec<LocId>>,
    record: &TestRecord,
    for_error: bool,
) -> Vec<LocId> {
    let covered = match for_error && record.covered_new {
        true => all.get(&record.state).cloned(),
        false => all.remove(&record.state),
    };
    covered.unwrap_or_default()
}

/// The lines of some places.
fn lines_at(program: &Program, mut places: Vec<LocId>) -> Places {
    places.sort_unstable();
    places.dedup();
    let locations = places.iter().map(|&place| program.location(place));
    let known = locations.filter(|location| location.line > 0);
    known
        .map(|location| (location.file.clone(), location.line))
        .collect()
}

/// What a shell would report: the exit code, or 128 + the signal of the fault.
fn shell_code(record: &TestRecord) -> u8 {
    const SIGABRT: u8 = 6;
    const SIGFPE: u8 = 8;
    const SIGSEGV: u8 = 11;
    match (&record.end, record.exit_code) {
        (PathEnd::Fault(fault), _) => {
            128 + match fault.kind {
                FaultKind::Assert | FaultKind::Abort => SIGABRT,
                FaultKind::Free | FaultKind::InvalidFree => SIGABRT,
                FaultKind::Divide | FaultKind::Overflow => SIGFPE,
                _ => SIGSEGV,
            }
        }
        (_, Some(code)) => code as u8,
        _ => 1,
    }
}

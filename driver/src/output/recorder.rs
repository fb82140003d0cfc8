//! The observer that writes the tests of a run and its messages.

use super::error_report::{self, ErrorReport};
use super::log::Log;
use super::test_files::{Places, TestFiles};
use super::tests_jsonl::{End, Fault, TestLine, sha256};
use super::trouble::Trouble;
use crate::Error;
use crate::report::Numbers;
use plat_engine::deduplication::{self, ErrorKey};
use plat_engine::{FaultKind, Observer, PathEnd, StackLine, StateId, TestRecord};
use plat_program::{InstId, Program};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io::Write as _;
use std::time::Instant;

/// The observer of a run.
pub struct Recorder<'a> {
    tests: TestFiles<'a>,
    log: Log,
    lines: File,
    numbers: Numbers,
    /// Errors that were announced.
    announced: BTreeSet<ErrorKey>,
    /// Lines of `tests.jsonl` in place of those that were written before, by test.
    better: BTreeMap<u32, String>,
    /// For each live state the lines that it was the first to cover, if they are asked for.
    covered: HashMap<StateId, Places>,
    trouble: Trouble,
    /// The exit code of the only path so far, or 128 + the signal that its fault would have raised.
    exit_code: Option<u8>,
    paths: u64,
    started: Instant,
    /// The report of the error that came last.
    last_error: Option<ErrorReport>,
}

impl<'a> Recorder<'a> {
    /// Opens the files of a run. `show` gets the lines that are for people to see.
    ///
    /// # Errors
    /// When they cannot be made.
    pub(crate) fn new(
        tests: TestFiles<'a>,
        show: Box<dyn FnMut(&str)>,
        trouble: Trouble,
        numbers: Numbers,
    ) -> Result<Self, Error> {
        let directory = tests.directory;
        let files = &tests.files;
        Ok(Recorder {
            log: Log::create(directory, show, !files.quiet_warnings, files.names)?,
            lines: directory.lines("tests.jsonl")?,
            tests,
            numbers,
            announced: BTreeSet::new(),
            better: BTreeMap::new(),
            covered: HashMap::new(),
            trouble,
            exit_code: None,
            paths: 0,
            started: Instant::now(),
            last_error: None,
        })
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
        if let Err(failure) = self.correct_lines() {
            self.trouble.report(failure.message);
        }
        (self.numbers.last(), self.exit_code)
    }

    /// The log, for messages on the run as a whole.
    pub fn log(&mut self) -> &mut Log {
        &mut self.log
    }

    fn write_test(&mut self, record: &TestRecord) -> Result<(), Error> {
        let before = self.numbers.last();
        let number = self.numbers.number(record);
        let error = deduplication::key(&record.end, record.blamed).filter(|_| !record.repeats);
        let covered = self.covered_by(record, error.is_some());
        let elapsed = self.started.elapsed();
        self.tests.write(number, record, &covered, elapsed)?;
        let line = test_line(number, record).to_line();
        if number <= before {
            self.better.insert(number, line);
            return Ok(());
        }
        self.lines.write_all(line.as_bytes()).map_err(|why| {
            let path = self.tests.directory.path().display();
            Error::input(format!("{path}/tests.jsonl: {why}"))
        })
    }

    /// The lines that a path was the first to cover. A better test for its error may take its number:
    /// then there is another test for them.
    fn covered_by(&mut self, record: &TestRecord, for_error: bool) -> Places {
        let covered = match for_error && record.covered_new {
            true => self.covered.get(&record.state).cloned(),
            false => self.covered.remove(&record.state),
        };
        covered.unwrap_or_default()
    }

    /// Writes the test of a record that has one.
    fn write_if_wanted(&mut self, record: &TestRecord) {
        if record.wanted
            && !self.tests.files.tests.none
            && !self.trouble.any()
            && let Err(failure) = self.write_test(record)
        {
            self.trouble.report(failure.message);
        }
    }

    /// Puts the lines of tests that were replaced in their places in `tests.jsonl`.
    fn correct_lines(&mut self) -> Result<(), Error> {
        if self.better.is_empty() {
            return Ok(());
        }
        let path = self.tests.directory.path().join("tests.jsonl");
        let text = std::fs::read_to_string(&path)
            .map_err(|why| Error::input(format!("{}: {why}", path.display())))?;
        let lines = text.split_inclusive('\n').zip(1..);
        let lines = lines.map(|(line, test)| self.better.get(&test).map_or(line, String::as_str));
        let text: String = lines.collect();
        self.tests.directory.write("tests.jsonl", text.as_bytes())
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

    fn covered(&mut self, state: StateId, inst: InstId) {
        let location = self.tests.program.location_of(inst);
        if self.tests.files.tests.covered && location.line > 0 {
            let place = (location.file.clone(), location.line);
            self.covered.entry(state).or_default().insert(place);
        }
    }
}

/// The line of `tests.jsonl`.
fn test_line(test: u32, record: &TestRecord) -> TestLine {
    let (end, kind) = match &record.end {
        PathEnd::Returned(_) => (End::Returned, None),
        PathEnd::Exited(_) | PathEnd::Silent => (End::Exited, None),
        PathEnd::Merged => (End::Limit, None),
        PathEnd::Fault(fault) => (End::Fault, Some(fault.kind.suffix())),
        PathEnd::Unsupported(_) | PathEnd::Internal(_) => (End::Unsupported, Some("exec")),
        PathEnd::Limit(limit, _) => (End::Limit, Some(limit.name())),
    };
    TestLine {
        test,
        end,
        exit_code: record.exit_code.map(|code| code as u8),
        fault: kind.map(|kind| Fault {
            kind: kind.to_string(),
            file: record.source.file.clone(),
            line: record.source.line,
            message: record.end.message().to_string(),
        }),
        repeats: record.repeats,
        instructions: record.instructions,
        forks: u64::from(record.depth),
        stdout_sha256: sha256(&record.stdout),
        stdout_cut: record.stdout_cut,
    }
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

//! Hears a run and writes its directory: a test for every path that deserves one, messages,
//! progress.

use crate::failure::Failure;
use crate::output::directory::Directory;
use crate::output::error_report::{ErrorReport, Frame};
use crate::output::log::Log;
use crate::output::tests_jsonl::{End, Fault, TestLine, sha256};
use crate::progress::Display;
use plat_engine::{FaultKind, Limit, Observer, PathEnd, Progress, StackLine, TestRecord};
use plat_env::Ktest;
use plat_env::ktest::Object;
use plat_program::Program;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The observer of a run.
pub struct Recorder<'a> {
    directory: &'a Directory,
    log: Log,
    tests: File,
    display: Display,
    /// The arguments that test cases record.
    args: Vec<Vec<u8>>,
    written: u32,
    /// Places of errors that were reported: the next one there is not news.
    reported: BTreeSet<(String, String)>,
    /// The first thing that could not be written; the run is stopped by it.
    failure: Option<Failure>,
    stop: Arc<AtomicBool>,
    /// Whether what the program writes to standard output is shown there.
    shows_output: bool,
    /// The exit code of the only path so far, or 128 + the signal that its fault would have raised.
    exit_code: Option<u8>,
    paths: u64,
}

impl<'a> Recorder<'a> {
    /// Opens the files of a run.
    ///
    /// # Errors
    /// When they cannot be made.
    pub fn new(
        directory: &'a Directory,
        display: Display,
        args: Vec<Vec<u8>>,
        shows_output: bool,
        stop: Arc<AtomicBool>,
    ) -> Result<Self, Failure> {
        let shown = display.clone();
        Ok(Recorder {
            directory,
            log: Log::create(directory, Box::new(move |line| shown.line(line)))?,
            tests: directory.lines("tests.jsonl")?,
            display,
            args,
            written: 0,
            reported: BTreeSet::new(),
            failure: None,
            stop,
            shows_output,
            exit_code: None,
            paths: 0,
        })
    }

    /// Ends the recording: the number of tests, and the exit code of the program if there was one path.
    ///
    /// # Errors
    /// When a file could not be written.
    pub fn finish(self) -> Result<(u32, Option<u8>), Failure> {
        self.display.finish();
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok((self.written, self.exit_code)),
        }
    }

    /// The log, for what the driver itself has to say.
    pub fn log(&mut self) -> &mut Log {
        &mut self.log
    }

    fn write_test(&mut self, record: &TestRecord) -> Result<(), Failure> {
        self.written += 1;
        let name = format!("test{:06}", self.written);
        let objects = record.inputs.iter().map(|input| Object {
            name: input.name.clone(),
            bytes: input.bytes.clone(),
        });
        let test = Ktest {
            args: self.args.clone(),
            objects: objects.collect(),
        };
        self.directory
            .write(&format!("{name}.ktest"), &test.to_bytes())?;
        self.directory
            .write(&format!("{name}.out"), &record.stdout)?;
        if let Some(report) = error_report(record) {
            let file = format!("{name}.{}.err", report.kind);
            self.directory.write(&file, report.to_text().as_bytes())?;
        } else if let PathEnd::Limit(limit, _) = &record.end {
            let text = format!("{}\n", early(*limit, record.end.message()));
            self.directory
                .write(&format!("{name}.early"), text.as_bytes())?;
        }
        let line = test_line(self.written, record).to_line();
        self.tests.write_all(line.as_bytes()).map_err(|why| {
            Failure::input(format!(
                "{}/tests.jsonl: {why}",
                self.directory.path().display()
            ))
        })
    }

    fn announce(&mut self, record: &TestRecord) {
        let Some(report) = error_report(record) else {
            return;
        };
        let place = report.place();
        if self
            .reported
            .insert((place.clone(), report.message.clone()))
        {
            self.log
                .message(&format!("ERROR: {place}: {}", report.message));
            self.log
                .message("NOTE: now ignoring this error at this location");
        }
    }
}

impl Observer for Recorder<'_> {
    fn path_ended(&mut self, _program: &Program, record: &TestRecord) {
        self.paths += 1;
        self.exit_code = (self.paths == 1).then(|| shell_code(record));
        self.announce(record);
        if record.wanted
            && self.failure.is_none()
            && let Err(failure) = self.write_test(record)
        {
            self.failure = Some(failure);
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn progress(&mut self, progress: &Progress<'_>) {
        self.display.show(progress);
    }

    fn output(&mut self, descriptor: i32, bytes: &[u8]) {
        // A reader that has gone away is no reason to stop exploring.
        self.display.aside(|| {
            let _ = match descriptor {
                2 => std::io::stderr().write_all(bytes),
                _ if !self.shows_output => Ok(()),
                _ => {
                    let mut out = std::io::stdout();
                    out.write_all(bytes).and_then(|()| out.flush())
                }
            };
        });
    }

    fn warning(&mut self, text: &str) {
        self.log.warning_once(text);
    }

    fn message(&mut self, text: &str) {
        self.log.message(text);
    }
}

/// The line of `tests.jsonl`.
fn test_line(test: u32, record: &TestRecord) -> TestLine {
    let (end, kind) = match &record.end {
        PathEnd::Returned(_) => (End::Returned, None),
        PathEnd::Exited(_) | PathEnd::Silent => (End::Exited, None),
        PathEnd::Fault(fault) => (End::Fault, Some(fault.kind.suffix())),
        PathEnd::Unsupported(_) => (End::Unsupported, Some("exec")),
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
        instructions: record.instructions,
        forks: u64::from(record.depth),
        stdout_sha256: sha256(&record.stdout),
    }
}

/// The `.err` file of a fault, or of something that plat lacks.
fn error_report(record: &TestRecord) -> Option<ErrorReport> {
    let (kind, info) = match &record.end {
        PathEnd::Fault(fault) => (fault.kind.suffix(), fault.info.clone()),
        PathEnd::Unsupported(_) => ("exec", Vec::new()),
        _ => return None,
    };
    Some(ErrorReport {
        kind: kind.to_string(),
        message: record.end.message().to_string(),
        file: record.source.file.clone(),
        line: record.source.line,
        instruction: record.inst.map_or(0, |inst| inst.0),
        state: record.state.0,
        stack: record.stack.iter().map(frame).collect(),
        info,
    })
}

fn frame(line: &StackLine) -> Frame {
    Frame {
        function: line.function.clone(),
        args: line.arguments.clone(),
        file: line.source.file.clone(),
        line: line.source.line,
        instruction: line.inst.0,
    }
}

/// The text of an `.early` file.
fn early(limit: Limit, text: &str) -> String {
    match text {
        "" => format!("the path was cut off by the limit on {}", limit.name()),
        text => format!(
            "the path was cut off by the limit on {}: {text}",
            limit.name()
        ),
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

//! The files of one test: what every test has, and what options add.

use super::assembly::Lines;
use super::directory::Directory;
use super::error_report::{CodePlace, ErrorReport, Frame};
use super::files::{Files, OwnFiles};
use super::handlers;
use super::tests_jsonl::{End, Fault};
use super::unsupported;
use super::xml_tests;
use crate::Error;
use crate::names::Names;
use crate::suite::{self, SavedTest};
use plat_engine::{Limit, PathEnd, StackLine, TestRecord};
use plat_program::{InstId, Program, text};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

/// Lines of source files.
pub type Places = BTreeSet<(String, u32)>;

/// Writes the files of tests.
#[derive(Clone, Debug)]
pub struct TestFiles<'a> {
    /// Where.
    pub directory: &'a Directory,
    /// Which.
    pub files: Files,
    /// The arguments that test cases record.
    pub args: Vec<Vec<u8>>,
    /// Where instructions stand in `assembly.ll`.
    pub lines: Rc<Lines>,
    /// The program that is executed.
    pub program: &'a Program,
    /// Whether machine code may be called.
    pub external: bool,
}

impl TestFiles<'_> {
    /// The test of this number; `covered` are the lines that its path was the first to cover, `made`
    /// is the time of the run.
    pub fn test(
        &self,
        number: u32,
        record: &TestRecord,
        covered: Places,
        made: Duration,
    ) -> SavedTest {
        let (end, fault) = self.end_of(record);
        SavedTest {
            number,
            end,
            exit_code: record.exit_code.map(|code| code as u8),
            fault,
            repeats: record.repeats,
            covered_new: record.covered_new || record.new_side,
            work: (record.instructions, u64::from(record.depth)),
            made,
            inputs: record.inputs.clone(),
            stdout: record.stdout.clone(),
            stdout_cut: record.stdout_cut,
            stderr: record.stderr.clone(),
            files: self.further(record, &covered, made),
            first: covered.into_iter().collect(),
        }
    }

    /// Writes the files of a test.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(&self, test: &SavedTest) -> Result<(), Error> {
        let name = suite::stem(test.number);
        for (end, contents) in test.files(&self.args) {
            self.directory.write(&format!("{name}.{end}"), &contents)?;
        }
        Ok(())
    }

    /// Whether a test has files of its own.
    pub fn has_own(&self, test: &SavedTest) -> bool {
        match self.files.tests.own {
            OwnFiles::All => true,
            OwnFiles::New => test.covered_new || test.error().is_some(),
            OwnFiles::None => false,
        }
    }

    /// The files of a test beside its input and output.
    fn further(
        &self,
        record: &TestRecord,
        covered: &Places,
        made: Duration,
    ) -> Vec<(String, Vec<u8>)> {
        let mut files = Vec::new();
        let mut add = |end: &str, text: String| files.push((end.to_owned(), text.into_bytes()));
        if let Some(report) = self.error_report(record) {
            add(&format!("{}.err", report.kind), report.to_text());
        } else if let PathEnd::Limit(limit, _) = &record.end {
            add(
                "early",
                format!("{}\n", early(*limit, record.end.message())),
            );
        } else if record.repeats {
            let text = format!("{} (another test reports it)\n", record.end.message());
            add("early", text);
        } else if record.end == PathEnd::Merged {
            add("early", "merged with another path\n".to_owned());
        }
        if let Some(kquery) = &record.kquery {
            add("kquery", kquery.clone());
        }
        if let Some(smt2) = &record.smt2 {
            add("smt2", smt2.clone());
        }
        let parts = self.files.tests;
        if parts.covered {
            let lines = covered.iter();
            let lines = lines.map(|(file, line)| format!("{file}:{line}\n"));
            add("cov", lines.collect());
        }
        if parts.branches {
            let branches = record.branches.iter();
            let digits = branches.map(|&taken| if taken { "1\n" } else { "0\n" });
            add("path", digits.collect());
        }
        if parts.forks {
            let choices = record.path.iter().map(|&side| symbolic_choice(side));
            add("sym.path", choices.collect());
        }
        if parts.info {
            let seconds = made.as_secs_f64();
            add(
                "info",
                format!("Time to generate test case: {seconds:.2}s\n"),
            );
        }
        if self.files.suite.is_some() {
            let fault = matches!(record.end, PathEnd::Fault(_));
            add("xml", xml_tests::test_case(&record.inputs, fault));
        }
        files
    }

    /// The `.err` file of a fault, or of something unsupported, unless another test has it.
    pub fn error_report(&self, record: &TestRecord) -> Option<ErrorReport> {
        if record.repeats {
            return None;
        }
        let (kind, message) = self.error(&record.end)?;
        let info = match &record.end {
            PathEnd::Fault(fault) => fault.info.clone(),
            _ => Vec::new(),
        };
        let shown = |text: &str| self.files.names.shown(text).into_owned();
        let frame = |line: &StackLine| {
            let frame = self.frame(line);
            let function = shown(&frame.function);
            Frame { function, ..frame }
        };
        let (file, line) = match self.handler(record) {
            Some((file, line)) => (file.to_owned(), line),
            None => (record.source.file.clone(), record.source.line),
        };
        Some(ErrorReport {
            kind,
            message: shown(&message),
            file,
            line,
            code: record.blamed.map(|inst| self.code_place(inst)),
            instruction: record.blamed.map_or(0, |inst| self.lines.of(inst)),
            state: record.state.0,
            stack: record.stack.iter().map(frame).collect(),
            info: info.iter().map(|line| shown(line)).collect(),
        })
    }

    /// Where KLEE says that an error is, if that is not in the program.
    pub fn handler(&self, record: &TestRecord) -> Option<(&'static str, u32)> {
        let klee = self.files.names == Names::KLEE;
        klee.then(|| handlers::place(self.program, record))?
    }

    /// The suffix and the message of an error.
    fn error(&self, end: &PathEnd) -> Option<(String, String)> {
        let (kind, message) = match end {
            PathEnd::Fault(fault) => (fault.kind.suffix(), fault.message.clone()),
            PathEnd::Unsupported(what) | PathEnd::Internal(what) => {
                unsupported::words(what, self.files.names, self.external)
            }
            _ => return None,
        };
        Some((kind.to_owned(), message))
    }

    /// How a path ended, and in what.
    fn end_of(&self, record: &TestRecord) -> (End, Option<Fault>) {
        let end = match &record.end {
            PathEnd::Returned(_) => End::Returned,
            PathEnd::Exited(_) | PathEnd::Silent => End::Exited,
            PathEnd::Merged | PathEnd::Limit(..) => End::Limit,
            PathEnd::Fault(_) => End::Fault,
            PathEnd::Unsupported(_) | PathEnd::Internal(_) => End::Unsupported,
        };
        let error = match &record.end {
            PathEnd::Limit(limit, what) => Some((limit.name().to_owned(), what.clone())),
            end => self.error(end),
        };
        let fault = error.map(|(kind, message)| Fault {
            kind,
            file: record.source.file.clone(),
            line: record.source.line,
            message,
        });
        (end, fault)
    }

    /// Where an instruction is, without debug information.
    fn code_place(&self, inst: InstId) -> CodePlace {
        let (function, position) = self.program.position(inst);
        let function = self.program.function(function);
        CodePlace {
            function: function.name.clone(),
            block: function.block_of(position).0,
            text: text::inst(self.program, function, position).to_string(),
        }
    }

    /// A call of a path, as reports show it.
    pub fn frame(&self, line: &StackLine) -> Frame {
        Frame {
            function: line.function.clone(),
            args: line.arguments.clone(),
            file: line.source.file.clone(),
            line: line.source.line,
            instruction: self.lines.of(line.inst),
        }
    }
}

/// A choice at a fork: 1 where the condition holds, 0 where it does not; of a fork with more sides,
/// the number of a further side.
fn symbolic_choice(side: u32) -> String {
    match side {
        0 => "1\n".into(),
        1 => "0\n".into(),
        further => format!("{further}\n"),
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

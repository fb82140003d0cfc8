//! The files of one test: what every test has, and what options add.

use super::assembly::Lines;
use super::directory::Directory;
use super::error_report::{CodePlace, ErrorReport, Frame};
use super::files::Files;
use super::xml_tests;
use crate::{Error, report};
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
}

impl TestFiles<'_> {
    /// Writes the test of this number; `covered` are the lines that its path was the first to
    /// cover, `elapsed` is the time of the run.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(
        &self,
        number: u32,
        record: &TestRecord,
        covered: &Places,
        elapsed: Duration,
    ) -> Result<(), Error> {
        let name = format!("test{number:06}");
        let write = |suffix: &str, contents: &[u8]| {
            self.directory.write(&format!("{name}.{suffix}"), contents)
        };
        let test = report::ktest(record, self.args.clone());
        write("ktest", &test.to_bytes())?;
        write("out", &record.stdout)?;
        if let Some(report) = self.error_report(record) {
            let suffix = format!("{}.err", report.kind);
            write(&suffix, report.to_text().as_bytes())?;
        } else if let PathEnd::Limit(limit, _) = &record.end {
            let text = format!("{}\n", early(*limit, record.end.message()));
            write("early", text.as_bytes())?;
        } else if record.repeats {
            let text = format!("{} (another test reports it)\n", record.end.message());
            write("early", text.as_bytes())?;
        } else if record.end == PathEnd::Merged {
            write("early", b"merged with another path\n")?;
        }
        if let Some(kquery) = &record.kquery {
            write("kquery", kquery.as_bytes())?;
        }
        if let Some(smt2) = &record.smt2 {
            write("smt2", smt2.as_bytes())?;
        }
        let parts = self.files.tests;
        if parts.covered {
            let lines = covered
                .iter()
                .map(|(file, line)| format!("{file}:{line}\n"));
            write("cov", lines.collect::<String>().as_bytes())?;
        }
        if parts.branches {
            let digits = record
                .branches
                .iter()
                .map(|&taken| if taken { "1\n" } else { "0\n" });
            write("path", digits.collect::<String>().as_bytes())?;
        }
        if parts.forks {
            let choices = record.path.iter().map(|&side| symbolic_choice(side));
            write("sym.path", choices.collect::<String>().as_bytes())?;
        }
        if parts.info {
            let text = format!(
                "Time to generate test case: {:.2}s\n",
                elapsed.as_secs_f64()
            );
            write("info", text.as_bytes())?;
        }
        if self.files.suite.is_some() {
            let fault = matches!(record.end, PathEnd::Fault(_));
            write(
                "xml",
                xml_tests::test_case(&record.inputs, fault).as_bytes(),
            )?;
        }
        Ok(())
    }

    /// The `.err` file of a fault, or of something that plat lacks, unless another test has it.
    pub fn error_report(&self, record: &TestRecord) -> Option<ErrorReport> {
        if record.repeats {
            return None;
        }
        let (kind, info) = match &record.end {
            PathEnd::Fault(fault) => (fault.kind.suffix(), fault.info.clone()),
            PathEnd::Unsupported(_) | PathEnd::Internal(_) => ("exec", Vec::new()),
            _ => return None,
        };
        Some(ErrorReport {
            kind: kind.to_string(),
            message: record.end.message().to_string(),
            file: record.source.file.clone(),
            line: record.source.line,
            code: record.blamed.map(|inst| self.code_place(inst)),
            instruction: record.blamed.map_or(0, |inst| self.lines.of(inst)),
            state: record.state.0,
            stack: record.stack.iter().map(|line| self.frame(line)).collect(),
            info,
        })
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

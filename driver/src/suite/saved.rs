//! A test as the container has it: everything that the files of a test are made from.

use crate::output::tests_jsonl::{End, Fault, TestLine, sha256};
use plat_engine::InputObject;
use plat_env::Ktest;
use plat_env::ktest::Object;
use plat_store::Record;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::time::Duration;

/// The name of the container in a run's directory.
pub const FILE: &str = "run.tests";

/// What stands in the container, in the order of the run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Entry {
    /// Comes first.
    Run(RunInfo),
    /// A test. One with the number of an earlier one takes its place: it is a shorter way to the
    /// same error.
    Test(Box<SavedTest>),
}

impl Record for Entry {
    const NAME: &'static str = "tests";
    const VERSION: u32 = 2;
}

/// The run that the tests are of.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct RunInfo {
    /// The program, as it was named.
    pub program: String,
    /// The arguments that `.ktest` files record.
    pub arguments: Vec<Vec<u8>>,
    /// How the run was asked for. Empty if a program has asked for it.
    pub command_line: Vec<String>,
    /// The working directory of the run.
    pub directory: String,
}

/// A test.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedTest {
    /// Its number: the N of `testN.ktest`.
    pub number: u32,
    /// How its path ended.
    pub end: End,
    /// The program's exit status (0 to 255), if it got to one.
    pub exit_code: Option<u8>,
    /// What went wrong, if `end` is a fault; what is missing, if it is something unsupported; which
    /// limit, if it is one.
    pub fault: Option<Fault>,
    /// Another test stands for this fault.
    pub repeats: bool,
    /// Whether its path was the first to cover something.
    pub covered_new: bool,
    /// The lines that its path was the first to cover. None are known of runs in several processes.
    pub first: Vec<(String, u32)>,
    /// Instructions and forks on its path.
    pub work: (u64, u64),
    /// When it was made, from the start of the run.
    pub made: Duration,
    /// The symbolic objects in the order of their making.
    pub inputs: Vec<InputObject>,
    /// What its path wrote to standard output, as far as it is kept,
    #[serde(with = "serde_bytes")]
    pub stdout: Vec<u8>,
    /// and how many bytes more.
    pub stdout_cut: u64,
    /// What it wrote to standard error, as far as it is kept.
    #[serde(with = "serde_bytes")]
    pub stderr: Vec<u8>,
    /// Its further files: what stands behind the name of the test, and the contents.
    pub files: Vec<(String, Vec<u8>)>,
}

/// The test case of these inputs.
pub fn ktest(inputs: &[InputObject], arguments: Vec<Vec<u8>>) -> Ktest {
    let objects = inputs.iter().map(|input| Object {
        name: input.name.clone(),
        bytes: input.bytes.clone(),
    });
    Ktest {
        args: arguments,
        objects: objects.collect(),
    }
}

impl SavedTest {
    /// The line of `tests.jsonl`.
    pub fn line(&self) -> TestLine {
        TestLine {
            test: self.number,
            end: self.end,
            exit_code: self.exit_code,
            fault: self.fault.clone(),
            repeats: self.repeats,
            covers_new: self.covered_new,
            instructions: self.work.0,
            forks: self.work.1,
            stdout_sha256: sha256(&self.stdout),
            stdout_cut: self.stdout_cut,
        }
    }

    /// The test case.
    pub fn to_ktest(&self, arguments: &[Vec<u8>]) -> Ktest {
        ktest(&self.inputs, arguments.to_vec())
    }

    /// The files of the test: what stands behind its name, and the contents.
    pub fn files(&self, arguments: &[Vec<u8>]) -> Vec<(&str, Cow<'_, [u8]>)> {
        let ktest = self.to_ktest(arguments).to_bytes();
        let mut files = vec![
            ("ktest", Cow::Owned(ktest)),
            ("out", Cow::Borrowed(&self.stdout[..])),
        ];
        let further = self.files.iter();
        files.extend(further.map(|(end, bytes)| (end.as_str(), Cow::Borrowed(&bytes[..]))));
        files
    }

    /// The suffix of its error report, if it has one: `ptr`, `assert`, ..., `exec`.
    pub fn error(&self) -> Option<&str> {
        let reports = self.files.iter();
        reports
            .filter_map(|(end, _)| end.strip_suffix(".err"))
            .next()
    }
}

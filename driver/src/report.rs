//! What a run finds, as values: tests, and what the run has come to.

use crate::Exchanged;
use crate::output::recording::Recorded;
use crate::suite;
use plat_engine::deduplication::{self, ErrorKey};
use plat_engine::{Fault, InputObject, PathEnd, StopReason, Summary, TestRecord};
use plat_env::Ktest;
use std::collections::BTreeMap;

/// A test case: the path that it was made for, with an input that leads along it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Test {
    /// Its number, from 1. A test with a number that another one had before takes its place: it is a
    /// shorter way to the same error.
    pub number: u32,
    /// The path: how it ended, where, with which inputs and outputs.
    pub path: TestRecord,
}

impl Test {
    /// How its path ended.
    pub fn end(&self) -> &PathEnd {
        &self.path.end
    }

    /// The fault in which its path ended, if it did.
    pub fn fault(&self) -> Option<&Fault> {
        match &self.path.end {
            PathEnd::Fault(fault) => Some(fault),
            _ => None,
        }
    }

    /// The symbolic objects in the order of their making, with the bytes that they have in this test.
    pub fn inputs(&self) -> &[InputObject] {
        &self.path.inputs
    }

    /// The bytes of the first symbolic object of this name (`arg00`, `stdin`, or as the program has
    /// called it).
    pub fn input(&self, name: &str) -> Option<&[u8]> {
        let object = self.inputs().iter().find(|object| object.name == name)?;
        Some(&object.bytes)
    }

    /// The test as a `.ktest` file has it. `arguments` are recorded in it, see
    /// [`plat_env::InputSpec::recorded_arguments`].
    pub fn to_ktest(&self, arguments: Vec<Vec<u8>>) -> Ktest {
        suite::ktest(&self.path.inputs, arguments)
    }
}

/// Gives tests their numbers.
#[derive(Clone, Default, Debug)]
pub(crate) struct Numbers {
    last: u32,
    /// The tests of errors, which a better path may replace.
    of_errors: BTreeMap<ErrorKey, u32>,
}

impl Numbers {
    /// For a run that goes on behind so many tests.
    pub fn after(last: u32) -> Self {
        Numbers {
            last,
            ..Numbers::default()
        }
    }

    /// Notes the test of an error.
    pub fn know(&mut self, error: ErrorKey, number: u32) {
        self.of_errors.insert(error, number);
    }

    /// The number of the test of a path.
    pub fn number(&mut self, record: &TestRecord) -> u32 {
        let error = deduplication::key(&record.end, record.blamed).filter(|_| !record.repeats);
        let known = error.as_ref().and_then(|error| self.of_errors.get(error));
        if let Some(&known) = known.filter(|_| record.replaces) {
            return known;
        }
        self.last += 1;
        if let Some(error) = error {
            self.of_errors.insert(error, self.last);
        }
        self.last
    }

    /// The number of tests.
    pub fn last(&self) -> u32 {
        self.last
    }
}

/// What a run has come to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// Why it stopped, and its counters.
    pub summary: Summary,
    /// What was written, if there is a directory of the run.
    pub recorded: Option<Recorded>,
    /// What was exchanged with fuzzers, if the run was beside any.
    pub exchanged: Option<Exchanged>,
}

impl Outcome {
    /// Why the run stopped.
    pub fn reason(&self) -> StopReason {
        self.summary.reason
    }

    /// Whether all paths have been explored to their ends.
    pub fn is_complete(&self) -> bool {
        self.summary.reason == StopReason::Finished && self.summary.lost == 0
    }
}

/// What a run has found and come to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// The tests, in the order of their numbers.
    pub tests: Vec<Test>,
    /// What the run has come to.
    pub outcome: Outcome,
}

impl Report {
    /// Why the run stopped, and its counters.
    pub fn summary(&self) -> &Summary {
        &self.outcome.summary
    }

    /// Whether all paths have been explored to their ends.
    pub fn is_complete(&self) -> bool {
        self.outcome.is_complete()
    }

    /// The tests of faults, one for each fault and place.
    pub fn faults(&self) -> impl Iterator<Item = (&Test, &Fault)> {
        let first = self.tests.iter().filter(|test| !test.path.repeats);
        first.filter_map(|test| Some((test, test.fault()?)))
    }
}

/// Puts a test in its place.
pub(crate) fn keep(tests: &mut Vec<Test>, test: Test) {
    let at = (test.number as usize).saturating_sub(1);
    match tests.get_mut(at) {
        Some(old) => *old = test,
        None => tests.push(test),
    }
}

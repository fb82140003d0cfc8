//! Tests executed concretely: what they cover, and what the program does with them.

use super::Prepared;
use crate::{Error, Interrupt, Processes};
use plat_engine::config::Errors;
use plat_engine::seeds::{Seed, Seeds};
use plat_engine::{Config, Covered, Limits, Observer, Run, Silent, Summary, TestRecord};
use plat_env::InputSpec;
use plat_program::Program;
use std::cell::RefCell;

/// A program with its input, to execute tests on: what is left of a [`Prepared`] run when that is
/// gone.
#[derive(Clone, Debug)]
pub struct Replayer {
    program: Program,
    config: Config,
    input: InputSpec,
}

/// What the program has done with a test.
#[derive(Debug)]
pub struct Executed<'c> {
    /// The path; none if the test has left something open, so that there were several or none.
    pub path: Option<TestRecord>,
    /// What it has covered.
    pub covered: Covered<'c>,
}

/// Keeps the record of the only path of a test.
#[derive(Default)]
struct Paths(RefCell<Vec<TestRecord>>);

impl Paths {
    fn take(&self) -> Option<TestRecord> {
        let mut paths = self.0.take();
        paths.pop().filter(|_| paths.is_empty())
    }
}

impl Observer for &Paths {
    fn path_ended(&mut self, _: &Program, record: &TestRecord) {
        self.0.borrow_mut().push(record.clone());
    }
}

impl Replayer {
    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Executes tests concretely, one after the other, and calls `each` with the position of the
    /// test and what the program has done; nothing if the test does not fit the program's input. A test
    /// that takes more instructions than `longest` ends at that limit.
    ///
    /// # Errors
    /// When the program cannot be run.
    pub fn run(
        &self,
        tests: Vec<Seed>,
        longest: u64,
        mut each: impl FnMut(usize, Option<Executed<'_>>),
    ) -> Result<(), Error> {
        let mut config = self.config.clone();
        only_tests(&mut config, tests);
        config.search.seeds.longest = Some(longest);
        // So that each path has its output.
        config.errors.all = true;
        config.tests.only_covering_new = false;
        config.tests.of_live_states = true;
        let paths = Paths::default();
        let mut observer = &paths;
        let interrupt = Interrupt::default();
        let run = Run::new(&self.program, &config, &mut observer, interrupt.flag());
        let run = run.map_err(Error::input)?;
        let done = run.replay(&self.input, |test, covered| {
            let path = paths.take();
            each(test, covered.map(|covered| Executed { path, covered }));
        });
        done.map(drop).map_err(Error::input)
    }
}

/// Has a run execute tests and nothing else.
fn only_tests(config: &mut Config, tests: Vec<Seed>) {
    config.search.seeds = Seeds {
        all: tests,
        only_replay: true,
        ..Seeds::default()
    };
    config.search.searchers.clear();
    config.search.targets.clear();
    config.search.exit_on_targets = false;
    config.workers.processes = 1;
    config.limits = Limits {
        stack: config.limits.stack,
        stack_frames: config.limits.stack_frames,
        ..Limits::default()
    };
    config.errors = Errors::default();
}

impl Prepared<'_> {
    /// What executes tests on this program, also when the run is over.
    pub fn replayer(&self) -> Replayer {
        let mut config = self.explorer.config.clone();
        start_in_processes(&mut config, &self.explorer.processes);
        Replayer {
            program: self.program.clone().into_owned(),
            config,
            input: self.explorer.input.clone(),
        }
    }

    /// Executes tests concretely, one after the other, and calls `each` with the position of the
    /// test and what it has covered; nothing if it does not fit the program's input. A test is the
    /// names and bytes of its symbolic objects. No files are written, and nobody else hears of it.
    ///
    /// # Errors
    /// When the program cannot be run.
    pub fn replay_tests(
        mut self,
        tests: Vec<Seed>,
        each: impl FnMut(usize, Option<Covered<'_>>),
    ) -> Result<Summary, Error> {
        self.start_in_processes();
        let config = &mut self.explorer.config;
        only_tests(config, tests);
        let interrupt = self.explorer.interrupt.unwrap_or_default();
        let mut silent = Silent;
        let run = Run::new(&self.program, config, &mut silent, interrupt.flag());
        let run = run.map_err(Error::input)?;
        run.replay(&self.explorer.input, each).map_err(Error::input)
    }

    /// What the program is told its name is. Default as it was named to the explorer.
    #[must_use]
    pub fn program_name(mut self, name: impl Into<String>) -> Self {
        self.program.to_mut().name = name.into();
        self
    }

    pub(super) fn start_in_processes(&mut self) {
        start_in_processes(&mut self.explorer.config, &self.explorer.processes);
    }
}

/// Tells the engine which commands start processes.
fn start_in_processes(config: &mut Config, processes: &Processes) {
    if !processes.solver.is_empty() {
        config.solver.process.clone_from(&processes.solver);
    }
    if let Some(external) = &mut config.external
        && external.helper.is_empty()
    {
        external.helper.clone_from(&processes.external);
    }
}

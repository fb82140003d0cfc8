//! Hooks in several processes: their data of the run come together, or keep it in one process. A run
//! divides its process, so this test has one of its own.

use plat_compiled_tests::{Records, config, program, scratch, source};
use plat_engine::hook::{Access, AcrossWorkers, EndCommand, Hook, Interest, Step};
use plat_engine::{Extensions, PathEnd, Summary};
use plat_env::InputSpec;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Counts paths.
struct Paths {
    seen: u32,
    merged: u32,
    across: AcrossWorkers,
}

impl Hook for Paths {
    fn name(&self) -> &str {
        "paths"
    }

    fn interest(&self) -> Interest {
        Interest::new().ends()
    }

    fn ended(&mut self, _: &mut Access<'_, '_>, _: &PathEnd) -> Step<EndCommand> {
        self.seen += 1;
        Ok(EndCommand::Keep)
    }

    fn across_workers(&self) -> AcrossWorkers {
        self.across
    }

    fn save(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.seen).to_le_bytes().to_vec()
    }

    fn merge(&mut self, saved: &[u8]) {
        let saved = u32::from_le_bytes(saved.try_into().expect("a number"));
        self.seen += saved;
        self.merged += saved;
    }

    fn worker_started(&mut self) {
        self.seen = 0;
    }
}

/// Explores eight paths in up to two processes.
fn explore(across: AcrossWorkers) -> (Summary, Paths) {
    let program = program(&scratch("workers"), &source("hooks.c"), "-O0");
    let mut config = config("forking");
    config.start.entry_point = "many".into();
    config.limits.instructions = None;
    config.workers.processes = 2;
    config.workers.interval = Duration::ZERO;
    config.search.batch_instructions = 1;
    config.search.searchers = Vec::new();
    let mut hook = Paths {
        seen: 0,
        merged: 0,
        across,
    };
    let extensions = Extensions {
        hooks: vec![Box::new(&mut hook)],
        natives: Vec::new(),
        ..Extensions::default()
    };
    static INTERRUPT: AtomicBool = AtomicBool::new(false);
    let (mut records, inputs) = (Records::default(), InputSpec::default());
    let run = plat_engine::run_with(
        &program,
        &config,
        &inputs,
        &mut records,
        extensions,
        &INTERRUPT,
    );
    (run.expect("the run starts"), hook)
}

#[test]
fn data_of_the_run_come_together_or_keep_it_in_one_process() {
    let (summary, paths) = explore(AcrossWorkers::Merged);
    assert_eq!((summary.counts.completed, paths.seen), (8, 8));
    assert!(summary.processes > 1 && paths.merged > 0);
    let (summary, paths) = explore(AcrossWorkers::Independent);
    assert_eq!(summary.counts.completed, 8);
    assert!(summary.processes > 1 && paths.seen < 8);
    let (summary, paths) = explore(AcrossWorkers::OneProcess);
    assert_eq!((summary.processes, paths.seen), (1, 8));
    let why = "exploring in one process: hook paths keeps data of the whole run";
    assert_eq!(summary.warnings, [why]);
}

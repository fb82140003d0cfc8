//! A panic of an observer costs what it would have made of the event, and is counted: a run in which
//! one event panics finds, for each event, what the run without it finds. (Panics of the engine
//! itself: `executor/engine/src/tests/panics.rs`.)

use plat_compiled_tests::{config, program, scratch, source};
use plat_engine::{Config, Fork, Observer, StateId, Summary, TestRecord};
use plat_env::InputSpec;
use plat_program::{InstId, Program};
use plat_solver::BackEndChoice;
use std::panic;
use std::sync::atomic::AtomicBool;

/// Panics at an event. What it hears it hears from within steps, questions to the solver (also
/// those that a system call asks) and forks.
struct Panicking {
    events: u64,
    at: u64,
    records: Vec<TestRecord>,
}

impl Panicking {
    fn event(&mut self) {
        self.events += 1;
        assert!(self.events != self.at, "an injected panic");
    }
}

impl Observer for Panicking {
    fn path_ended(&mut self, _: &Program, record: &TestRecord) {
        self.records.push(record.clone());
    }

    fn covered(&mut self, _: StateId, _: InstId) {
        self.event();
    }

    fn forked(&mut self, _: &Fork) {
        self.event();
    }

    fn asked(&mut self, _: Option<InstId>, _: bool) {
        self.event();
    }
}

fn run(program: &Program, config: &Config, at: u64) -> (Summary, Panicking) {
    static INTERRUPT: AtomicBool = AtomicBool::new(false);
    let mut observer = Panicking {
        events: 0,
        at,
        records: Vec::new(),
    };
    let inputs = InputSpec::default();
    let summary = plat_engine::run(program, config, &inputs, &mut observer, &INTERRUPT);
    (summary.expect("the run starts"), observer)
}

/// What a path is, whatever else was explored.
fn said(record: &TestRecord) -> String {
    let inputs: Vec<_> = record.inputs.iter().map(|object| &object.bytes).collect();
    format!(
        "{inputs:?} {:?} {:?} {:?} {}",
        record.end, record.stdout, record.stderr, record.instructions
    )
}

#[test]
fn a_panic_of_an_observer_changes_no_path() {
    panic::set_hook(Box::new(|why| {
        if !why.to_string().contains("an injected panic") {
            eprintln!("{why}");
        }
    }));
    let directory = scratch("panics");
    let program = program(&directory, &source("panics.c"), "-O1");
    for (model, solver) in [
        ("forking", "bits"),
        ("segmented", "bits"),
        ("merging", "bits"),
    ] {
        let mut config = config(model);
        config.solver.backend = BackEndChoice::named(solver).expect("a back end");
        config.errors.all = true;
        let (summary, whole) = run(&program, &config, u64::MAX);
        assert_eq!(summary.counts.internal_errors, 0);
        let expected: Vec<String> = whole.records.iter().map(said).collect();
        assert!(expected.len() > 10, "{model}: {} paths", expected.len());
        for at in 1..=whole.events {
            let what = format!("{model}, event {at} of {}", whole.events);
            let (summary, found) = run(&program, &config, at);
            let found: Vec<String> = found.records.iter().map(said).collect();
            assert!(found == expected, "{what}: other paths");
            assert_eq!(summary.counts.internal_errors, 1, "{what}");
        }
        assert!(whole.events > 50, "{model}: {} events", whole.events);
    }
}

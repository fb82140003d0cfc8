//! The library as its users see it, on programs in text.

use plat::{Event, Explorer, Interrupt, PathEnd, Program, memory_models, searchers};
use plat_engine::{Limit, Observer, StopReason, TestRecord};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Divides by the distance of the first byte of the first argument from `x`; on `y` it returns 2.
const DIVIDES: &[u8] = b"
program \"divides\"
define i32 @main(i32 %0, ptr %1) {
b0:
  %2 = address %1, +8
  %3 = load ptr %2, align 8
  %4 = load i8 %3, align 1
  %5 = icmp eq i8 %4, 121
  branch %5, b1, b2
b1:
  return 2
b2:
  %6 = sub i8 %4, 120
  %7 = udiv i8 1, %6
  %8 = icmp eq i8 %7, 77
  branch %8, b3, b4
b3:
  return 3
b4:
  return 0
}
";

fn program() -> Program {
    plat::parse(DIVIDES).expect("a program")
}

fn explorer(program: &Program) -> Explorer<'_> {
    Explorer::program(program).sym_arg(1)
}

#[test]
fn a_run_has_a_test_for_every_path_and_names_the_fault() {
    let program = program();
    let report = explorer(&program).run().expect("a run");
    assert!(report.is_complete());
    let ends: Vec<_> = report
        .tests
        .iter()
        .map(|test| test.path.exit_code)
        .collect();
    assert_eq!(ends.len(), 3, "{ends:?}");
    assert!(ends.contains(&Some(2)) && ends.contains(&Some(0)));
    let faults: Vec<_> = report.faults().collect();
    let [(test, fault)] = faults[..] else {
        panic!("{faults:?}");
    };
    assert_eq!(fault.kind, plat::FaultKind::Divide);
    assert_eq!(test.input("arg00"), Some(&b"x\0"[..]));
    assert_eq!(test.input("arg01"), None);
    let numbers = report.tests.iter().map(|test| test.number);
    assert_eq!(numbers.collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(report.summary().counts.paths(), 3);
}

#[test]
fn every_choice_finds_the_same() {
    let program = program();
    for model in [memory_models::FORKING, memory_models::FLAT] {
        for searcher in [searchers::DFS, searchers::BFS] {
            let run = explorer(&program).memory_model(model).searcher(searcher);
            let report = run.run().expect("a run");
            assert!(report.is_complete() && report.tests.len() == 3);
        }
    }
}

/// Counts the ends of paths.
#[derive(Default)]
struct Ends(Vec<PathEnd>);

impl Observer for Ends {
    fn path_ended(&mut self, _: &Program, record: &TestRecord) {
        self.0.push(record.end.clone());
    }
}

#[test]
fn events_come_while_the_run_goes_and_can_end_it() {
    let program = program();
    let (mut ends, mut tests, mut paths) = (Ends::default(), 0, 0);
    let outcome = explorer(&program)
        .observer(&mut ends)
        .run_with(|event| {
            match event {
                Event::Test(_) => tests += 1,
                Event::Path(_) => paths += 1,
                _ => {}
            }
            ControlFlow::Continue(())
        })
        .expect("a run");
    assert_eq!((tests, paths, ends.0.len()), (3, 3, 3));
    assert_eq!(outcome.reason(), StopReason::Finished);

    let mut heard = 0;
    let outcome = explorer(&program)
        .run_with(|event| match event {
            Event::Test(_) => {
                heard += 1;
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        })
        .expect("a run");
    assert_eq!(heard, 1);
    assert_eq!(outcome.reason(), StopReason::Limit(Limit::Interrupt));
    assert!(!outcome.is_complete());
}

#[test]
fn an_interrupt_ends_the_run() {
    let program = program();
    let interrupt = Interrupt::new();
    interrupt.set();
    let run = explorer(&program).interrupt(interrupt).run();
    let reason = run.expect("a run").outcome.reason();
    assert_eq!(reason, StopReason::Limit(Limit::Interrupt));
}

#[test]
fn a_panic_of_the_callback_is_its_callers() {
    let program = program();
    let run = catch_unwind(AssertUnwindSafe(|| {
        explorer(&program).run_with(|event| {
            assert!(!matches!(event, Event::Path(_)), "seen enough");
            ControlFlow::Continue(())
        })
    }));
    let panic = run.expect_err("a panic");
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"seen enough"));
}

#[test]
fn what_cannot_be_run_is_an_error() {
    let program = program();
    let failure = explorer(&program).entry_point("other").run().unwrap_err();
    assert_eq!(
        failure.to_string(),
        "divides: Entry function 'other' not found in module."
    );
    let failure = Explorer::transformed("/nonexistent.bc").run().unwrap_err();
    assert!(
        failure.message.starts_with("/nonexistent.bc: "),
        "{failure}"
    );
}

/// What optimised code reads of an uninitialised variable.
#[test]
fn a_decision_by_an_undefined_value_is_a_fault_in_the_first_function_too() {
    let text: &[u8] = b"
program \"undefined\"
define i32 @main(i32 %0, ptr %1) {
b0:
  branch i1 undef, b1, b2
b1:
  return 1
b2:
  return 0
}
";
    let program = plat::parse(text).expect("a program");
    let unchecked = Explorer::program(&program).run().expect("a run");
    assert_eq!(unchecked.faults().count(), 0);
    let checked = Explorer::program(&program)
        .configure(|config| config.checks.uninitialised = true)
        .run()
        .expect("a run");
    let kinds: Vec<_> = checked.faults().map(|(_, fault)| &fault.kind).collect();
    assert_eq!(kinds, [&plat::FaultKind::Uninitialised]);
}

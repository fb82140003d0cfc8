//! Every command does what it says.

use super::{On, begin_in, codes, hooks_c, line, run};
use plat_engine::hook::{Access, CallCommand, Command, EndCommand, Interest};
use plat_engine::{FaultKind, ForkKind, Limit, PathEnd, StopReason};
use plat_expr::Value;
use std::cell::Cell;

#[test]
fn calls_may_be_answered_and_returns_replaced() {
    for optimisation in ["-O0", "-O1"] {
        let program = hooks_c(optimisation);
        let answers = On {
            interest: Interest::new().call_with("twice", 1),
            call: Some(Box::new(|_, _| Ok(CallCommand::Return(Value::Int(1))))),
            ..On::default()
        };
        let config = begin_in("loops");
        let (_, records) = run(&program, &config, vec![Box::new(answers)]);
        assert_eq!(codes(&records), [20]);
        let replaces = On {
            interest: Interest::new().returns("twice"),
            ret: Some(Box::new(|_, event| {
                let Some(Value::Int(value)) = event.value else {
                    panic!("{event:?}");
                };
                Ok(CallCommand::Return(Value::Int(value / 2)))
            })),
            ..On::default()
        };
        let (_, records) = run(&program, &config, vec![Box::new(replaces)]);
        assert_eq!(codes(&records), [190]);
    }
}

#[test]
fn a_hook_forks_ends_and_stops() {
    let program = hooks_c("-O0");
    let config = begin_in("branches");
    // Forked by the lowest bit of the argument, at the call and at the return.
    for at_return in [false, true] {
        let asked = Cell::new(0);
        let lowest = |access: &mut Access<'_, '_>, value: Value| {
            let word = access.expression(value, 32);
            let pool = access.pool();
            let two = pool.constant(32, 2);
            let bit = pool.and(word, two);
            let zero = pool.constant(32, 0);
            asked.set(asked.get() + 1);
            CallCommand::Fork(pool.eq(bit, zero))
        };
        let interest = Interest::new();
        let hook = On {
            interest: match at_return {
                true => interest.returns("twice"),
                false => interest.call("twice"),
            },
            call: Some(Box::new(|access, call| Ok(lowest(access, call.arg(0))))),
            ret: Some(Box::new(|access, event| {
                Ok(lowest(access, event.value.expect("a value")))
            })),
            ..On::default()
        };
        let (summary, records) = run(&program, &config, vec![Box::new(hook)]);
        assert_eq!(records.list.len(), 4);
        assert_eq!(summary.counts.forks_of(ForkKind::Hook), 1);
        // Once before the fork and once in each part.
        assert_eq!(asked.get(), 3);
    }
    let ends = On {
        interest: Interest::new().line("hooks.c", line("large")),
        reach: Some(Box::new(|access, _| {
            assert!(access.inputs()[0].bytes[0] > 100);
            Ok(Command::End(PathEnd::fault(FaultKind::User, "found")))
        })),
        ..On::default()
    };
    let (_, records) = run(&program, &config, vec![Box::new(ends)]);
    let faults = records
        .list
        .iter()
        .filter(|one| one.end.message() == "found");
    let inputs: Vec<u8> = faults.map(|one| one.inputs[0].bytes[0]).collect();
    assert_eq!((records.list.len(), inputs), (2, vec![101]));
    let stops = On {
        interest: Interest::new().call("twice"),
        call: Some(Box::new(|_, _| Ok(CallCommand::Stop))),
        ..On::default()
    };
    let (summary, records) = run(&program, &config, vec![Box::new(stops)]);
    assert_eq!(summary.reason, StopReason::Limit(Limit::Hook));
    let [record] = records.list.as_slice() else {
        panic!("{} paths", records.list.len());
    };
    assert!(matches!(record.end, PathEnd::Limit(Limit::Hook, _)));
}

#[test]
fn ends_may_be_replaced_and_stop_the_run() {
    let program = hooks_c("-O0");
    let config = begin_in("many");
    let replaces = On {
        interest: Interest::new().ends(),
        end: Some(Box::new(|_, end| {
            Ok(match end {
                PathEnd::Returned(7) => {
                    EndCommand::Replace(PathEnd::fault(FaultKind::User, "seven"))
                }
                _ => EndCommand::Keep,
            })
        })),
        ..On::default()
    };
    let (summary, _) = run(&program, &config, vec![Box::new(replaces)]);
    assert_eq!((summary.counts.faults, summary.counts.completed), (1, 7));
    let stops = On {
        interest: Interest::new().ends(),
        end: Some(Box::new(|_, _| Ok(EndCommand::Stop))),
        ..On::default()
    };
    let (summary, _) = run(&program, &config, vec![Box::new(stops)]);
    assert_eq!(summary.reason, StopReason::Limit(Limit::Hook));
    assert_eq!(summary.counts.completed, 1);
}

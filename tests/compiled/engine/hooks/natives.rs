//! Native functions from outside, and what is wrong with hooks and them at the start.

use super::{On, begin_in, codes, hooks_c, try_run};
use plat_engine::StartError;
use plat_engine::hook::{BindError, CallCommand, Interest};
use plat_engine::native::{Native, Reply};
use plat_expr::{IntPredicate, Value};
use std::cell::Cell;

#[test]
fn mistakes_are_errors_at_the_start() {
    let program = hooks_c("-O0");
    let config = begin_in("many");
    let fails = |interest: Interest| {
        let hook = On {
            interest,
            ..On::default()
        };
        match try_run(&program, &config, vec![Box::new(hook)], Vec::new()) {
            Err(StartError::Hook(error)) => error,
            other => panic!("{:?}", other.map(|run| run.0)),
        }
    };
    let error = fails(Interest::new().call("twic"));
    assert_eq!(
        error.to_string(),
        "hook test: the program has no function twic; similar names are twice"
    );
    let error = fails(Interest::new().call_with("twice", 2));
    assert_eq!(
        error.to_string(),
        "hook test: twice has 1 parameters and not 2"
    );
    assert!(matches!(
        fails(Interest::new().instruction("twice", 9999)),
        BindError::NoPosition { .. }
    ));
    assert!(matches!(
        fails(Interest::new().block("twice", 9999)),
        BindError::NoPosition { .. }
    ));
    assert!(matches!(
        fails(Interest::new().line("other.c", 3)),
        BindError::NoFile { .. }
    ));
    let error = fails(Interest::new().line("hooks.c", 2));
    assert!(
        error
            .to_string()
            .contains("hooks.c:2 has no code; the lines"),
        "{error}"
    );
    for (native, text) in [
        (
            Native::new("nowhere", 1, |_, _| Ok(Reply::Nothing)),
            "no function nowhere",
        ),
        (
            Native::new("outside", 2, |_, _| Ok(Reply::Nothing)),
            "has 1 parameters and not 2",
        ),
    ] {
        let run = try_run(&program, &config, Vec::new(), vec![native.clone()]);
        let error = run.map(|run| run.0).expect_err("an error").to_string();
        assert!(error.contains(text), "{error}");
        let run = try_run(&program, &config, Vec::new(), vec![native.clone(), native]);
        assert!(run.is_err());
    }
    let native = Native::new("nowhere", 1, |_, _| Ok(Reply::Nothing)).if_present();
    try_run(&program, &config, Vec::new(), vec![native]).expect("the run starts");
}

#[test]
fn native_functions_stand_for_functions() {
    let program = hooks_c("-O0");
    // One that the program only declares, with a decision of its own.
    let native = Native::new("outside", 1, |access, call| {
        let word = access.expression(call.arg(0), 32);
        let pool = access.pool();
        let nine = pool.constant(32, 9);
        let below = pool.compare(IntPredicate::Ult, word, nine);
        let small = access.decide(below)?;
        Ok(Reply::Value(Value::Int(if small { 1 } else { 2 })))
    });
    let config = begin_in("calls_outside");
    let (summary, records) = try_run(&program, &config, Vec::new(), vec![native]).unwrap();
    assert_eq!(codes(&records), [1, 2]);
    assert_eq!(summary.counts.unsupported, 0);
    // One of the program's, for some arguments, heard by a hook.
    let native = Native::new("twice", 1, |_, call| {
        Ok(match call.arg(0) {
            Value::Int(7) => Reply::Value(Value::Int(0)),
            _ => Reply::Body,
        })
    });
    let heard = Cell::new(0);
    let hook = On {
        interest: Interest::new().returns("twice"),
        ret: Some(Box::new(|_, _| {
            heard.set(heard.get() + 1);
            Ok(CallCommand::Continue)
        })),
        ..On::default()
    };
    let config = begin_in("loops");
    let run = try_run(&program, &config, vec![Box::new(hook)], vec![native]);
    let (_, records) = run.unwrap();
    assert_eq!(codes(&records), [(380 - 14) & 255]);
    assert_eq!(heard.get(), 20);
    // One of plat's own.
    let native = Native::new("strlen", 1, |_, _| Ok(Reply::Value(Value::Int(100))));
    let config = begin_in("carried_out");
    let (_, records) = try_run(&program, &config, Vec::new(), vec![native]).unwrap();
    assert_eq!(codes(&records), [100]);
    // A result of the wrong width.
    let native = Native::new("strlen", 1, |access, _| {
        Ok(Reply::Value(access.symbolic_word("short", 2)))
    });
    let (summary, _) = try_run(&program, &config, Vec::new(), vec![native]).unwrap();
    assert_eq!(summary.counts.unsupported, 1);
}

//! Every event is heard, where it should be and as often.

use super::{On, begin_in, codes, hooks_c, line, run};
use plat_compiled_tests::source;
use plat_engine::StopReason;
use plat_engine::hook::{
    Access, Accesses, CallCommand, Command, EndCommand, Interest, Location, Place,
};
use plat_expr::{IntPredicate, Value};
use plat_program::FuncId;
use std::cell::{Cell, RefCell};

#[test]
fn starts_forks_calls_returns_and_ends_are_heard() {
    for optimisation in ["-O0", "-O1"] {
        let program = hooks_c(optimisation);
        let log = RefCell::new(Vec::new());
        let hear = |what: String| log.borrow_mut().push(what);
        let name = |access: &Access<'_, '_>, function| {
            let function: FuncId = function;
            access.program().function(function).name.clone()
        };
        let hook = On {
            interest: Interest::new()
                .start()
                .forks()
                .ends()
                .call("twice")
                .returns("twice"),
            start: Some(Box::new(|access| {
                hear(format!("start in {}", name(access, access.function())));
                Ok(Command::Continue)
            })),
            fork: Some(Box::new(|access, event| {
                assert_ne!(access.state(), event.parent);
                hear(format!("fork by {}", event.kind.name()));
                Ok(Command::Continue)
            })),
            call: Some(Box::new(|_, call| {
                let symbolic = matches!(call.arg(0), Value::Expr(_));
                hear(format!(
                    "call {} symbolic {symbolic} of {}",
                    call.name,
                    call.width(0)
                ));
                Ok(CallCommand::Continue)
            })),
            ret: Some(Box::new(|access, event| {
                assert_eq!(event.function, access.function());
                hear(format!("return of {} bits", event.bits));
                Ok(CallCommand::Continue)
            })),
            end: Some(Box::new(|_, end| {
                hear(format!("end {}", end.is_complete()));
                Ok(EndCommand::Keep)
            })),
            ..On::default()
        };
        let config = begin_in("branches");
        let (summary, records) = run(&program, &config, vec![Box::new(hook)]);
        assert_eq!(summary.reason, StopReason::Finished);
        assert_eq!(records.list.len(), 2);
        let log = log.into_inner();
        let expected = [
            "start in branches",
            "call twice symbolic true of 32",
            "return of 32 bits",
        ];
        assert_eq!(log[..3], expected, "{optimisation}: {log:?}");
        let count = |what: &str| log.iter().filter(|one| *one == what).count();
        assert_eq!(
            (count("fork by branch"), count("end true")),
            (1, 2),
            "{log:?}"
        );
    }
}

#[test]
fn memory_accesses_are_heard_with_object_offset_and_size() {
    let program = hooks_c("-O1");
    let log = RefCell::new(Vec::new());
    let hook = On {
        interest: Interest::new().accesses(Accesses::ALL),
        access: Some(Box::new(|access, event| {
            let Place::Known(object, offset) = event.place else {
                panic!("{event:?}");
            };
            let size = access.object(object).size;
            let kind = format!("{:?}", event.kind);
            log.borrow_mut().push((kind, size, offset, event.size));
            Ok(Command::Continue)
        })),
        ..On::default()
    };
    let config = begin_in("accesses");
    let (_, records) = run(&program, &config, vec![Box::new(hook)]);
    assert_eq!(codes(&records), [7]);
    let log = log.into_inner();
    let has = |kind: &str, size, offset, bytes| {
        log.iter()
            .any(|one| one.0 == kind && (one.1, one.2, one.3) == (size, offset, bytes))
    };
    // What the compiler has left of them.
    assert!(has("Write", 16, 8, 4), "{log:?}");
    assert!(
        has("Free", 8, 0, 8) || !log.iter().any(|one| one.1 == 8),
        "{log:?}"
    );
    let program = hooks_c("-O0");
    let symbolic = Cell::new(0);
    let hook = On {
        interest: Interest::new().accesses(Accesses::READS),
        access: Some(Box::new(|_, event| {
            let several = matches!(&event.place, Place::Symbolic(_, objects) if objects.len() == 1);
            symbolic.set(symbolic.get() + u32::from(several));
            Ok(Command::Continue)
        })),
        ..On::default()
    };
    let config = begin_in("chooses");
    let (_, records) = run(&program, &config, vec![Box::new(hook)]);
    assert_eq!(codes(&records).len(), 2);
    assert_eq!(symbolic.get(), 2);
}

#[test]
fn resolutions_are_heard_and_may_be_narrowed() {
    let program = hooks_c("-O0");
    for narrow in [false, true] {
        let hook = On {
            interest: Interest::new().resolutions(),
            resolve: Some(Box::new(move |access, event| {
                assert_eq!(event.size, 4);
                assert!((1..=2).contains(&event.objects().len()));
                if narrow {
                    // Only what reads from `table`.
                    let table = access.global("table").expect("a global");
                    let Value::Pointer(object, _) = table else {
                        panic!("{table:?}");
                    };
                    let start = access.object(object).number;
                    let address = access.expression(event.pointer, 64);
                    let pool = access.pool();
                    let (start, size) = (pool.constant(64, start), pool.constant(64, 16));
                    let offset = pool.sub(address, start);
                    let inside = pool.compare(IntPredicate::Ult, offset, size);
                    assert!(access.add_constraint(inside)?);
                }
                Ok(Command::Continue)
            })),
            ..On::default()
        };
        let config = begin_in("chooses");
        let (_, records) = run(&program, &config, vec![Box::new(hook)]);
        let paths = if narrow { 1 } else { 2 };
        assert!(records.list.len() >= paths, "{:?}", codes(&records));
        let only_table = records
            .list
            .iter()
            .all(|one| one.inputs[0].bytes[0] & 1 == 1);
        assert_eq!(only_table, narrow);
    }
}

#[test]
fn locations_are_reached() {
    for optimisation in ["-O0", "-O1"] {
        let program = hooks_c(optimisation);
        let file = source("hooks.c");
        let hits = Cell::new(0u64);
        let hook = On {
            interest: Interest::new().line(file.to_string_lossy(), line("loop")),
            reach: Some(Box::new(|access, event| {
                assert_eq!(access.instruction(), Some(event.inst));
                assert_eq!(access.source().line, line("loop"));
                hits.set(hits.get() + 1);
                Ok(Command::Continue)
            })),
            ..On::default()
        };
        let config = begin_in("loops");
        let (summary, records) = run(&program, &config, vec![Box::new(hook)]);
        assert_eq!(codes(&records), [380 & 255]);
        assert!(
            hits.get() >= 20 && hits.get().is_multiple_of(20),
            "{} hits",
            hits.get()
        );
        let (plain, _) = run(&program, &config, Vec::new());
        assert_eq!(plain.counts.instructions, summary.counts.instructions);
        assert_eq!(plain.profile, summary.profile);
    }
    // Every instruction and block of a function.
    let program = hooks_c("-O1");
    let function = program.function_named("many").expect("the function");
    let mut interest = Interest::new();
    for position in 0..function.insts.len() as u32 {
        interest = interest.instruction("many", position);
    }
    for block in 0..function.blocks.len() as u32 {
        interest = interest.block("many", block);
    }
    let (places, blocks) = (Cell::new(0), Cell::new(0));
    let hook = On {
        interest,
        reach: Some(Box::new(|_, event| {
            match event.location {
                Location::Block { .. } => blocks.set(blocks.get() + 1),
                _ => places.set(places.get() + 1),
            }
            Ok(Command::Continue)
        })),
        ..On::default()
    };
    let config = begin_in("many");
    let (summary, _) = run(&program, &config, vec![Box::new(hook)]);
    let first = function.first_inst.index();
    let own: u64 = summary.profile[first..first + function.insts.len()]
        .iter()
        .sum();
    // An instruction at which a path has split is counted again in each part, and heard once.
    assert!(places.get() > 0 && places.get() <= own && blocks.get() > 0);
    let starts = function
        .blocks
        .iter()
        .map(|block| summary.profile[first + block.first as usize]);
    assert_eq!(blocks.get(), starts.sum::<u64>());
}

#[test]
fn functions_that_plat_carries_out_are_heard() {
    let program = hooks_c("-O0");
    let log = RefCell::new(Vec::new());
    let hook = On {
        interest: Interest::new()
            .call("strlen")
            .returns("strlen")
            .call("malloc")
            .returns("malloc"),
        call: Some(Box::new(|access, call| {
            if call.name == "strlen" {
                assert_eq!(access.read_string(call.arg(0))?, b"s3cret");
            }
            log.borrow_mut().push(format!("call {}", call.name));
            Ok(CallCommand::Continue)
        })),
        ret: Some(Box::new(|_, event| {
            log.borrow_mut().push(format!("return {}", event.name));
            Ok(match event.name {
                // A null pointer: the allocation fails.
                "malloc" => CallCommand::Return(Value::Int(0)),
                _ => CallCommand::Continue,
            })
        })),
        ..On::default()
    };
    let config = begin_in("carried_out");
    let (_, records) = run(&program, &config, vec![Box::new(hook)]);
    assert_eq!(codes(&records), [7]);
    let expected = [
        "call strlen",
        "return strlen",
        "call malloc",
        "return malloc",
    ];
    assert_eq!(log.into_inner(), expected);
}

#[test]
fn calls_through_pointers_are_heard() {
    let program = hooks_c("-O0");
    let (through, called) = (RefCell::new(Vec::new()), Cell::new(0));
    let hook = On {
        interest: Interest::new().indirect_calls().call("thrice"),
        indirect: Some(Box::new(|access, event| {
            let name = access.program().function(event.function).name.clone();
            through.borrow_mut().push(name);
            Ok(Command::Continue)
        })),
        call: Some(Box::new(|_, _| {
            called.set(called.get() + 1);
            Ok(CallCommand::Continue)
        })),
        ..On::default()
    };
    let config = begin_in("calls_through_a_pointer");
    let (_, records) = run(&program, &config, vec![Box::new(hook)]);
    assert_eq!(codes(&records), [16]);
    assert_eq!(through.into_inner(), ["twice", "thrice", "twice", "thrice"]);
    assert_eq!(called.get(), 2);
}

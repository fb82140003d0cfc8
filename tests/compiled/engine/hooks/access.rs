//! What hooks may do with a state, and the data that they keep in it.

use super::{On, begin_in, codes, hooks_c, run};
use plat_engine::hook::{CallCommand, Command, EndCommand, Interest};
use plat_expr::{Byte, IntPredicate, Value};
use plat_program::Reg;
use std::cell::RefCell;

#[test]
fn a_hook_writes_registers_and_memory() {
    let program = hooks_c("-O1");
    let function = program.function_named("twice").expect("the function");
    let parameter = Reg::new(0);
    assert_eq!(function.params.len(), 1);
    let hook = On {
        interest: Interest::new().instruction("twice", 0),
        reach: Some(Box::new(move |access, _| {
            assert!(access.register(parameter).is_some());
            assert!(access.set_register(parameter, Value::Int(3)));
            assert!(!access.set_register(Reg::new(9999), Value::Int(3)));
            Ok(Command::Continue)
        })),
        ..On::default()
    };
    let config = begin_in("loops");
    let (_, records) = run(&program, &config, vec![Box::new(hook)]);
    assert_eq!(codes(&records), [120]);
    let program = hooks_c("-O0");
    let hook = On {
        interest: Interest::new().call("strlen"),
        call: Some(Box::new(|access, call| {
            let text = access.global("text").expect("a global");
            assert_eq!(text, call.arg(0));
            let third = access.offset(text, 3);
            access.write_bytes(third, &[Byte::Concrete(0)])?;
            assert_eq!(access.read_string(text)?, b"s3c");
            assert_eq!(
                access.read_word(text, 16)?,
                Value::Int(u64::from(u16::from_le_bytes(*b"s3")))
            );
            access.write_word(third, Value::Int(0), 8)?;
            let read = access.read_bytes(text, 4)?;
            assert_eq!(access.evaluate_bytes(&read), b"s3c\0");
            assert!(access.read_word(text, 12).is_err());
            Ok(CallCommand::Continue)
        })),
        ..On::default()
    };
    let config = begin_in("carried_out");
    let (_, records) = run(&program, &config, vec![Box::new(hook)]);
    assert_eq!(codes(&records), [3]);
}

#[test]
fn a_hook_makes_input_and_asks_about_it() {
    let program = hooks_c("-O0");
    let hook = On {
        interest: Interest::new().call("strlen"),
        call: Some(Box::new(|access, call| {
            let bytes = access.symbolic_bytes("fresh", 1);
            access.write_bytes(call.arg(0), &bytes)?;
            let Value::Expr(word) = access.symbolic_word("word", 2) else {
                panic!("a symbolic word");
            };
            let pool = access.pool();
            let nine = pool.constant(16, 9);
            let below = pool.compare(IntPredicate::Ult, word, nine);
            let above = pool.not(below);
            assert!(access.may_hold(below)? && access.may_hold(above)?);
            assert!(access.add_constraint(below)? && access.must_hold(below)?);
            assert!(!access.add_constraint(above)?);
            assert!(access.evaluate(Value::Expr(word)) < 9);
            assert!(!access.path_condition().is_empty());
            let names: Vec<String> = access.inputs().into_iter().map(|one| one.name).collect();
            assert_eq!(names, ["fresh", "word"]);
            Ok(CallCommand::Continue)
        })),
        ..On::default()
    };
    let config = begin_in("carried_out");
    let (_, records) = run(&program, &config, vec![Box::new(hook)]);
    // An empty string, and one of six characters.
    assert_eq!(codes(&records), [0, 6]);
    assert!(records.list.iter().all(|one| one.inputs[1].bytes[1] == 0));
}

#[test]
fn data_of_a_path_are_copied_when_it_forks() {
    let program = hooks_c("-O0");
    let ends = RefCell::new(Vec::new());
    let counter = || On {
        interest: Interest::new().call("twice").ends(),
        call: Some(Box::new(|access, _| {
            *access.data::<u32>() += 1;
            Ok(CallCommand::Continue)
        })),
        end: Some(Box::new(|access, _| {
            let calls = *access.data::<u32>();
            ends.borrow_mut()
                .push((calls, access.data::<Option<u8>>().is_none()));
            Ok(EndCommand::Keep)
        })),
        ..On::default()
    };
    let config = begin_in("many");
    // Two hooks of the same kind have data of their own.
    let (_, records) = run(
        &program,
        &config,
        vec![Box::new(counter()), Box::new(counter())],
    );
    assert_eq!(records.list.len(), 8);
    let mut ends = ends.into_inner();
    ends.sort_unstable();
    let expected = [0, 1, 1, 1, 2, 2, 2, 3].map(|calls| [(calls, true); 2]);
    assert_eq!(ends, expected.as_flattened());
}

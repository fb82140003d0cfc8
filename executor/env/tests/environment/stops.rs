//! A stopped call has changed nothing: repeated, it gives the same result.

use crate::fake::Flat;
use crate::kernel::{STDIN, populate, prologue, scratch};
use crate::random;
use crate::script::run_on_model;
use plat_env::{Contents, Environment, Host, Inputs, Stop};

#[test]
fn stopped_calls_leave_no_trace() {
    let scratch = scratch();
    populate(scratch.path());
    let mut stopped = 0;
    for seed in 10_000..10_020 {
        let mut host = Host::new(scratch.path().to_str().unwrap());
        let inputs = Inputs {
            stdin: Contents::shared(STDIN.into()),
            ..Inputs::default()
        };
        let mut env = Environment::new(&mut host, &inputs);
        let mut memory = Flat::new();
        for step in [prologue()].into_iter().chain(random::sequence(seed, 60)) {
            let mut reference = env.clone();
            let expected = run_on_model(&step, &mut reference, &mut host, &mut memory).unwrap();
            let before = format!("{env:?}");
            for accesses in 0.. {
                memory.accesses_left = accesses;
                let outcome = run_on_model(&step, &mut env, &mut host, &mut memory);
                memory.accesses_left = u64::MAX;
                match outcome {
                    Err(Stop) => assert_eq!(before, format!("{env:?}"), "{step:?} stopped"),
                    Ok(found) => {
                        assert_eq!(found, expected, "{step:?}");
                        assert_eq!(format!("{env:?}"), format!("{reference:?}"), "{step:?}");
                        break;
                    }
                }
                stopped += 1;
            }
        }
    }
    assert!(stopped > 500, "only {stopped} calls stopped");
}

//! Programs without input run as they do natively: every value shown, and the exit code.

use plat_compiled_tests::{config, native, program, run, scratch, source};
use plat_engine::PathEnd;
use std::process::Command;

fn agrees(name: &str) {
    let directory = scratch(&format!("concrete-{name}"));
    let both = directory.join("both.c");
    let path = source(name);
    let text = format!(
        "#include \"{}\"\n#include \"{}\"\n",
        path.display(),
        source("shim.c").display()
    );
    std::fs::write(&both, text).expect("the scratch directory is writable");
    let machine = Command::new(native(&directory, &both))
        .output()
        .expect("the binary runs");
    let expected = String::from_utf8_lossy(&machine.stdout).into_owned();
    let expected: Vec<&str> = expected.lines().collect();
    assert!(!expected.is_empty());
    for optimisation in ["-O0", "-O1", "-O2"] {
        let program = program(&directory, &path, optimisation);
        let (summary, records) = run(&program, &config("forking"));
        let [record] = records.list.as_slice() else {
            panic!("{name} {optimisation}: {} paths", records.list.len());
        };
        let what = format!(
            "{name} {optimisation}: {:?} at {:?}",
            record.end, record.source
        );
        for (found, expected) in records.messages.iter().zip(&expected) {
            assert_eq!(found, expected, "{name} {optimisation}");
        }
        assert!(matches!(record.end, PathEnd::Returned(_)), "{what}");
        assert_eq!(records.messages.len(), expected.len(), "{what}");
        assert_eq!(record.exit_code, machine.status.code(), "{what}");
        assert_eq!(summary.counts.completed, 1);
    }
}

#[test]
fn integers() {
    agrees("integers.c");
}

#[test]
fn floats() {
    agrees("floats.c");
}

#[test]
fn memory() {
    agrees("memory.c");
}

#[test]
fn control() {
    agrees("control.c");
}

#[test]
fn vectors() {
    agrees("vectors.c");
}

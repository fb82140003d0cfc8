//! Each fault is found on the path where it happens, with its message, kind and line, and the rest
//! of the inputs goes on.

use plat_compiled_tests::{compile, config, run, scratch, source};
use plat_engine::{PathEnd, TestRecord};

/// The ends of a program's paths, normal ends as `ok`, in order of their names.
fn ends(number: usize, optimisation: &str, model: &str) -> (Vec<String>, Vec<TestRecord>) {
    let directory = scratch(&format!("faults-{number}{optimisation}-{model}"));
    let bitcode = directory.join("program.bc");
    let choice = format!("-DTEST={number}");
    let flags = [
        "-g",
        "-c",
        "-emit-llvm",
        "-w",
        "-fno-builtin",
        optimisation,
        &choice,
    ];
    compile(&flags, &source("faults.c"), &bitcode);
    let program = plat_bitcode::read(&bitcode).expect("clang's bitcode is readable");
    let (_, records) = run(&program, &config(model));
    let mut ends: Vec<String> = records.list.iter().map(describe).collect();
    ends.sort();
    ends.dedup();
    (ends, records.list)
}

fn describe(record: &TestRecord) -> String {
    match &record.end {
        PathEnd::Returned(_) | PathEnd::Exited(_) => "ok".into(),
        PathEnd::Fault(fault) => format!("{}: {}", fault.kind.suffix(), fault.message),
        PathEnd::Unsupported(what) | PathEnd::Internal(what) => format!("unsupported: {what}"),
        PathEnd::Limit(limit, why) => format!("limit: {}: {why}", limit.name()),
        PathEnd::Silent => "silent".into(),
        PathEnd::Merged => "merged".into(),
    }
}

/// Every test of `faults.c` with its ends other than the normal one.
const EXPECTED: &[(usize, &[&str])] = &[
    (0, &["div: divide by zero", "ok"]),
    (1, &["ok", "overflow: signed division overflow"]),
    (2, &["ok", "overshift: overshift error"]),
    (3, &["ok", "ptr: memory error: out of bound pointer"]),
    (4, &["ok", "ptr: memory error: out of bound pointer"]),
    (5, &["ok", "ptr: memory error: use after free"]),
    (6, &["ok", "ptr: memory error: double free"]),
    (7, &["ok", "ptr: memory error: invalid pointer: free"]),
    (8, &["free: free of alloca", "ok"]),
    (9, &["free: free of global", "ok"]),
    (10, &["ok", "ptr: memory error: null page access"]),
    (11, &["ok", "read_only: memory error: object read only"]),
    (12, &["assert: ASSERTION FAIL: x != 200", "ok"]),
    (13, &["abort: abort failure", "ok"]),
    (14, &["user: Wrong size given to klee_make_symbolic"]),
    (
        15,
        &["ok", "unsupported: external function external_function"],
    ),
    (16, &["ok", "ptr: memory error: null function pointer"]),
    (17, &["user: invalid klee_assume call (provably false)"]),
    (18, &["user: longjmp to a function that has returned"]),
    (19, &["ptr: memory error: use after return"]),
    (20, &["ptr: memory error: stack overflow"]),
    (21, &["own.kind: own message"]),
    (22, &["ok", "silent"]),
    (23, &["ok", "ptr: memory error: out of bound pointer"]),
    (24, &["ok", "ptr: memory error: out of bound pointer"]),
    (25, &["ptr: memory error: out of bound pointer"]),
    (26, &["ok"]),
    (27, &["abort: abort failure", "ok"]),
    (28, &["ptr: memory error: null page access"]),
];

#[test]
fn every_fault_is_found() {
    for &(number, expected) in EXPECTED {
        for optimisation in ["-O0", "-O1"] {
            for model in ["forking", "segmented"] {
                let (found, records) = ends(number, optimisation, model);
                assert_eq!(found, expected, "test {number} {optimisation} {model}");
                for record in &records {
                    if matches!(record.end, PathEnd::Fault(_)) {
                        let file = &record.source.file;
                        assert!(
                            file.ends_with("faults.c"),
                            "test {number}: {:?}",
                            record.source
                        );
                        assert!(record.source.line > 10 && !record.stack.is_empty());
                    }
                }
            }
        }
    }
}

#[test]
fn faulty_inputs_are_exactly_those() {
    let input = |record: &TestRecord| record.inputs[0].bytes[0];
    let (_, records) = ends(0, "-O1", "forking");
    for record in records {
        let faulty = matches!(record.end, PathEnd::Fault(_));
        assert_eq!(faulty, input(&record) == 7);
    }
    let (_, records) = ends(3, "-O1", "merging");
    for record in records {
        assert_eq!(
            matches!(record.end, PathEnd::Fault(_)),
            input(&record) >= 10
        );
    }
}

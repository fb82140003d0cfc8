//! Complete explorations equal brute force: under every memory model each path's test input gives
//! natively what the path says, and the paths together give every result there is, unless the model is
//! not complete.

use plat_compiled_tests::{compile, config, run, scratch, searchers, source};
use plat_engine::{PathEnd, StopReason, Target, TestRecord};
use plat_memory::model;
use std::collections::BTreeSet;
use std::process::Command;

const TESTS: usize = 11;

fn exit_codes(number: usize, model: &str) -> Vec<i32> {
    let directory = scratch(&format!("brute-{model}-{number}"));
    let binary = directory.join("brute");
    let choice = format!("-DTEST={number}");
    compile(
        &["-O1", "-w", "-DNATIVE", &choice, "-fno-builtin"],
        &source("symbolic.c"),
        &binary,
    );
    let output = Command::new(binary).output().expect("the binary runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .map(|line| line.parse().expect("a number"))
        .collect()
}

fn input_of(record: &TestRecord) -> usize {
    let bytes = &record.inputs[0].bytes;
    usize::from(bytes[0]) | usize::from(bytes[1]) << 8
}

/// A model with as many searchers as there are programs.
fn agrees(at: usize) {
    let (entry, known) = (&model::ALL[at], plat_engine::search::ALL);
    let model = entry.name;
    for number in 0..TESTS {
        let searcher = known[(at * TESTS + number) % known.len()].name;
        let expected = exit_codes(number, model);
        let directory = scratch(&format!("symbolic-{model}-{number}"));
        for optimisation in ["-O0", "-O1"] {
            let bitcode = directory.join(format!("program{optimisation}.bc"));
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
            compile(&flags, &source("symbolic.c"), &bitcode);
            let program = plat_bitcode::read(&bitcode).expect("clang's bitcode is readable");
            let mut config = config(model);
            config.search.searchers = searchers(&[searcher]);
            // What a searcher may direct itself at.
            config.search.targets = vec![Target::Function("main".into())];
            let (summary, records) = run(&program, &config);
            let what = format!("test {number} {optimisation} {model} {searcher}");
            assert_eq!(summary.reason, StopReason::Finished, "{what}");
            let mut found = BTreeSet::new();
            for record in &records.list {
                let code = record.exit_code;
                assert!(
                    matches!(record.end, PathEnd::Returned(_)),
                    "{what}: {:?}",
                    record.end
                );
                assert_eq!(
                    code,
                    Some(expected[input_of(record)]),
                    "{what}: {:?}",
                    record.inputs
                );
                found.extend(code);
            }
            let all: BTreeSet<i32> = expected.iter().copied().collect();
            let complete = found == all || (!entry.is_complete() && found.is_subset(&all));
            assert!(complete, "{what}: found {found:?} of {all:?}");
            let forks = summary.counts.total_forks() as usize;
            assert_eq!(records.list.len(), forks + 1, "{what}");
        }
    }
}

#[test]
fn every_model_agrees_with_brute_force() {
    assert!(model::ALL.len() * TESTS >= plat_engine::search::ALL.len());
    std::thread::scope(|scope| {
        for at in 0..model::ALL.len() {
            scope.spawn(move || agrees(at));
        }
    });
}

//! Collections of the pool of expressions change nothing but the memory in use: a run that collects
//! between all batches (`--collect always`) has the same paths with the same ends, inputs, outputs,
//! instructions and forks as one that never does, in the same order. The programs take turns with the
//! memory models.
//!
//! Batches are short, so that there are many collections. Every other one leaves a gap where
//! expressions have been, so that an id that was not told of the move is that of nothing.

use plat_tests::explore::plat_ok;
use plat_tests::program::{self, Program};
use plat_tests::{command, compile_bitcode, corpus, scratch};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Files of a run that are about time, the process or the place. Where the blocks of `run.tests` end
/// is a matter of time; the tests themselves are compared as files.
const VOLATILE: &[&str] = &[
    "info",
    "messages.txt",
    "run.istats",
    "run.stats",
    "run.tests",
    "run.trie",
    "summary.json",
];

/// What of a run must be the same, and how often it has collected.
fn observed(out: &Path) -> (BTreeMap<String, Vec<u8>>, u64) {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(out).expect("a run directory") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().to_string_lossy().into_owned();
        if !VOLATILE.contains(&name.as_str()) {
            let bytes = std::fs::read(entry.path()).expect("a file of the run");
            found.insert(name, bytes);
        }
    }
    let summary = std::fs::read(out.join("summary.json")).expect("the summary");
    let summary: serde_json::Value = serde_json::from_slice(&summary).expect("a JSON text");
    for key in [
        "instructions",
        "paths",
        "untested_paths",
        "forks",
        "forks_by_resolution",
        "coverage",
        "memory",
        "unsupported",
    ] {
        found.insert(key.to_string(), summary[key].to_string().into_bytes());
    }
    let collections = summary["pool"]["collections"].as_u64();
    (found, collections.expect("a count"))
}

/// How a run that collects differs from one that does not; the number of collections.
fn difference(
    program: &Program,
    (before, behind): &(Vec<String>, Vec<String>),
    directory: &Path,
) -> Result<u64, String> {
    let bitcode = directory.join(format!("{}.bc", program.file));
    compile_bitcode(&program.source, &bitcode);
    let bitcode = bitcode.to_string_lossy();
    let run = |when: &str| {
        let out = directory.join(format!("{}-{}-{when}", program.file, before.concat()));
        let out_text = out.to_string_lossy();
        let mut line = vec![
            "explore",
            "--quiet",
            "--emit-all-errors",
            "--test-files",
            "all",
        ];
        line.extend(["--output-dir", &out_text, "--collect", when]);
        line.extend(["--batch-instructions", "200"]);
        line.extend(before.iter().map(String::as_str));
        line.push(&bitcode);
        line.extend(behind.iter().map(String::as_str));
        plat_ok(command(), &line).map(|_| observed(&out))
    };
    let ((always, collections), (never, none)) = (run("always")?, run("never")?);
    assert_eq!(none, 0);
    let names: BTreeSet<&String> = always.keys().chain(never.keys()).collect();
    let differ: Vec<&str> = names
        .into_iter()
        .filter(|&name| always.get(name) != never.get(name))
        .map(String::as_str)
        .collect();
    match differ.as_slice() {
        [] => Ok(collections),
        _ => Err(format!("differ: {}", differ.join(", "))),
    }
}

fn check(
    name: &str,
    least: u64,
    programs: impl IntoIterator<Item = (Program, Vec<String>, Vec<String>)>,
) {
    let directory = scratch(&format!("collections-{name}"));
    let mut collections = 0;
    let mut wrong = Vec::new();
    for (program, before, behind) in programs {
        match difference(&program, &(before.clone(), behind), &directory) {
            Ok(count) => collections += count,
            Err(why) => wrong.push(format!("{} {}: {why}", program.file, before.join(" "))),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(collections > least, "{collections} collections");
}

fn words(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

/// All programs under all models take ten minutes.
#[test]
fn with_the_memory_models_in_turn() {
    let cases = corpus::all();
    let models = plat::memory::model::ALL
        .iter()
        .map(|model| model.name)
        .cycle();
    let programs = cases.iter().zip(models).map(|(case, model)| {
        let program = Program::read(case.source.clone());
        let before = words(&["--memory-model", model]);
        (program, before, case.symbolic_options())
    });
    check("agree", 1_000, programs);
}

#[test]
fn in_klee_programs() {
    let programs = program::all("klee").into_iter();
    let given = |program: &Program, key: &str| -> Vec<String> {
        program.words(key).map(str::to_string).collect()
    };
    let timed = |program: &Program| program.entry("options").contains("--max-time");
    let programs = programs.filter(|program| !timed(program)).map(|program| {
        let (before, behind) = (given(&program, "before"), given(&program, "options"));
        (program, before, behind)
    });
    check("klee", 1_000, programs);
}

#[test]
fn where_paths_merge() {
    let programs = program::all("merging").into_iter();
    let programs = programs.map(|program| (program, words(&["--use-merge"]), Vec::new()));
    check("merging", 100, programs);
}

#[test]
fn with_what_was_never_written() {
    let programs = program::all("faults").into_iter();
    let programs = programs.filter(|program| program.file.starts_with("uninitialised"));
    let option = words(&["--check-uninitialised"]);
    let programs = programs.map(|program| (program, option.clone(), Vec::new()));
    check("uninitialised", 10, programs);
}

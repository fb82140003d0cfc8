//! The fast paths of the interpreter change nothing but the time: a run without them
//! (`--no-fast-paths`) has the same paths with the same ends, inputs, outputs, instructions and
//! forks, in the same order.
//!
//! The programs are those of `agree`, `concrete`, `klee`, `faults`, `merging` and `replay` under the
//! default memory model, and the lookups of `agree` under each other one: what the others ask of
//! memory differs there.
//!
//! What is switched off is the decoded form of functions, its loop, and calls by plan. Functions of
//! the C library that the executor carries out itself stay: their bodies fork at other places.

use plat_tests::explore::plat_ok;
use plat_tests::program::{self, Program};
use plat_tests::{command, compile_bitcode, corpus, faulty, scratch};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Words of a command line before the program and behind it.
type Options = (Vec<String>, Vec<String>);

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

/// A run: what must be the same, which is its files and the counts of its summary; and what it asked
/// of the solver, which is more without fast paths, as branches on constants are asked too.
struct Observed {
    same: BTreeMap<String, Vec<u8>>,
    questions: u64,
}

fn observed(out: &Path) -> Observed {
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
    Observed {
        same: found,
        questions: summary["solver"]["questions"].as_u64().expect("a count"),
    }
}

/// How a run without fast paths differs from one with them.
fn difference(program: &Program, options: &Options, directory: &Path) -> Result<(), String> {
    let bitcode = directory.join(format!("{}.bc", program.file));
    compile_bitcode(&program.source, &bitcode);
    let run = |further: &[&str]| {
        let out = directory.join(format!("{}{}", program.file, further.concat()));
        let mut line = vec!["explore", "--quiet", "--emit-all-errors"];
        line.extend(["--test-files", "all", "--output-dir"]);
        let (out_text, bitcode) = (out.to_string_lossy(), bitcode.to_string_lossy());
        line.push(&out_text);
        line.extend(further);
        line.extend(options.0.iter().map(String::as_str));
        line.push(&bitcode);
        line.extend(options.1.iter().map(String::as_str));
        plat_ok(command(), &line).map(|_| observed(&out))
    };
    let (with, without) = (run(&[])?, run(&["--no-fast-paths"])?);
    if without.questions <= with.questions {
        return Err("the fast paths were taken".to_string());
    }
    let (with, without) = (with.same, without.same);
    let names: BTreeSet<&String> = with.keys().chain(without.keys()).collect();
    let differ: Vec<&str> = names
        .into_iter()
        .filter(|&name| with.get(name) != without.get(name))
        .map(String::as_str)
        .collect();
    match differ.as_slice() {
        [] => Ok(()),
        _ => Err(format!("differ: {}", differ.join(", "))),
    }
}

fn check(folder: &str, programs: impl IntoIterator<Item = (Program, Options)>) {
    let directory = scratch(&format!("fast-paths-{folder}"));
    let wrong: Vec<String> = programs
        .into_iter()
        .filter_map(|(program, options)| {
            let found = difference(&program, &options, &directory);
            found.err().map(|why| format!("{}: {why}", program.file))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The programs of a folder, with the options that their heads have.
fn by_heads(folder: &str, limits: &[&str]) -> Vec<(Program, Options)> {
    let words =
        |program: &Program, key: &str| program.words(key).map(str::to_string).collect::<Vec<_>>();
    // A run that ends by the clock ends anywhere.
    let is_timed = |program: &Program| {
        let options = program.entry("options");
        limits.iter().any(|limit| options.contains(limit))
    };
    program::all(folder)
        .into_iter()
        .filter(|program| !is_timed(program))
        .map(|program| {
            let options = (words(&program, "before"), words(&program, "options"));
            (program, options)
        })
        .collect()
}

#[test]
fn agree() {
    let programs = corpus::all().into_iter().map(|case| {
        let options = (Vec::new(), case.symbolic_options());
        (Program::read(case.source), options)
    });
    check("agree", programs);
}

#[test]
fn agree_under_other_models() {
    let others = plat_memory::model::ALL.iter().map(|entry| entry.name);
    for model in others.filter(|model| *model != "segmented") {
        let lookups = corpus::all().into_iter();
        let programs = lookups
            .filter(|case| corpus::LOOKUPS.contains(&case.name.as_str()))
            .map(|case| {
                let before = ["--memory-model", model].map(String::from).to_vec();
                let options = (before, case.symbolic_options());
                (Program::read(case.source), options)
            });
        check(model, programs);
    }
}

#[test]
fn concrete() {
    let c = program::all("concrete").into_iter();
    let arguments = || ["one", "two words", "--three"].map(String::from).to_vec();
    check(
        "concrete",
        c.map(|program| (program, (Vec::new(), arguments()))),
    );
}

#[test]
fn klee() {
    check("klee", by_heads("klee", &["--max-time"]));
}

#[test]
fn replay() {
    check("replay", by_heads("replay", &[]));
}

#[test]
fn faults() {
    let programs = faulty::all().into_iter().map(|case| {
        let options = (case.options, Vec::new());
        (Program::read(case.source), options)
    });
    check("faults", programs);
}

#[test]
fn merging() {
    let merged = by_heads("merging", &[]).into_iter().map(|(program, _)| {
        let options = (vec!["--use-merge".to_string()], Vec::new());
        (program, options)
    });
    check("merging", merged);
}

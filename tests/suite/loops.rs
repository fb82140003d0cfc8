//! `--detect-infinite-loops`: of the programs of `tests/programs/loops`, every loop is found at its
//! head, and nothing else is reported; natively, the tests of loops run into their time-out and those of
//! the near misses end.
//!
//! The loops of a program are chosen by its input, see [`plat_tests::faulty`] for how they are marked. A
//! head has the symbolic arguments under `arguments`; what has none is run by a test of its own.

use plat_memory::model;
use plat_tests::explore::{plat, plat_ok};
use plat_tests::faulty::{self, Expected, Report};
use plat_tests::program::{self, Program};
use plat_tests::{command, compile_bitcode_with, must_run, root, scratch};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program in bitcode.
struct Built {
    program: Program,
    bitcode: PathBuf,
    expected: Vec<Expected>,
}

fn flags(program: &Program) -> Vec<String> {
    program.words("flags").map(str::to_string).collect()
}

fn built(name: &str, directory: &Path) -> Built {
    let program = Program::read(root().join(format!("tests/programs/loops/{name}.c")));
    let bitcode = directory.join(format!("{name}.bc"));
    compile_bitcode_with(&program.source, &flags(&program), &bitcode);
    let expected = faulty::expected_in(&program.text);
    Built {
        program,
        bitcode,
        expected,
    }
}

/// Explores a program; the run directory.
fn explored(built: &Built, options: &[&str], out: PathBuf) -> PathBuf {
    let (out_text, bitcode) = (out.to_string_lossy(), built.bitcode.to_string_lossy());
    let mut words = vec!["explore", "--quiet", "--detect-infinite-loops"];
    words.extend(["--test-files=all", "--output-dir", &out_text]);
    words.extend(options);
    words.push(&bitcode);
    words.extend(built.program.words("arguments"));
    plat_ok(command(), &words).expect("an exploration");
    out
}

/// What a report is compared by.
fn line_of(report: &Report) -> (u32, String, String) {
    (report.line, report.suffix.clone(), report.message.clone())
}

/// Whether a report is of a recursion that went on until the stack was full: under `flat`, where
/// objects share segments, one with an array in each activation is not found before.
fn is_full_stack(report: &Report, model: &str) -> bool {
    model == "flat" && report.message == "memory error: stack overflow"
}

/// The loops of a program are reported, each once, and nothing else.
fn check_reports(built: &Built, out: &Path, what: &str) {
    let (full, mut found): (Vec<_>, Vec<_>) =
        (faulty::reports(out).into_iter()).partition(|report| is_full_stack(report, what));
    let is_full = |line| full.iter().any(|report: &Report| report.line == line);
    let expected = built.expected.iter().filter(|one| !is_full(one.line));
    let mut expected: Vec<_> = expected
        .map(|one| (one.line, one.suffix.clone(), one.message.clone()))
        .collect();
    expected.sort();
    found.sort_by_key(line_of);
    let lines: Vec<_> = found.iter().map(line_of).collect();
    assert_eq!(lines, expected, "{} {what}", built.program.file);
    for report in found {
        assert!(
            report.text.contains("in the loop: "),
            "a report without the places:\n{}",
            report.text
        );
    }
}

/// The tests of a run do natively what their paths did.
fn check_natively(built: &Built, out: &Path, directory: &Path) {
    let native = directory.join(format!("{}.native", built.program.stem()));
    let clang = std::env::var("CLANG").unwrap_or_else(|_| "clang-22".into());
    must_run(
        Command::new(clang)
            .args(["-O0", "-w", "-fno-builtin"])
            .args(flags(&built.program))
            .arg(&built.program.source)
            .arg("-o")
            .arg(&native),
    );
    let (out, native) = (out.to_string_lossy(), native.to_string_lossy());
    let words = ["replay", "--timeout", "700ms", &out, "--", &native];
    let output = plat(command(), &words);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains(" 0 differ, 0 not compared"),
        "{}:\n{text}",
        built.program.file
    );
    let endless = text.lines().filter(|line| line.contains(" loop "));
    assert_eq!(endless.count(), built.expected.len(), "{text}");
}

fn check(name: &str) {
    let directory = scratch(&format!("loops-{name}"));
    let built = built(name, &directory);
    for model in model::ALL {
        let options = ["--memory-model", model.name];
        let out = explored(&built, &options, directory.join(model.name));
        check_reports(&built, &out, model.name);
        if model.name == "dynamic" {
            check_natively(&built, &out, &directory);
        }
    }
    let slow = explored(&built, &["--no-fast-paths"], directory.join("slow"));
    check_reports(&built, &slow, "without fast paths");
    let workers = explored(&built, &["--workers", "2"], directory.join("workers"));
    check_reports(&built, &workers, "in two processes");
}

#[test]
fn loops_over_variables() {
    check("plain");
}

#[test]
fn loops_over_memory() {
    check("memory");
}

#[test]
fn loops_that_write_or_ask() {
    check("world");
}

#[test]
fn loops_over_input() {
    check("symbolic");
}

/// One memory model is enough, as each path takes the many instructions that plat waits for.
#[test]
fn loops_that_count() {
    for name in ["counting", "counting_ends"] {
        let directory = scratch(&format!("loops-{name}"));
        let built = built(name, &directory);
        let out = explored(&built, &["--max-time", "60s"], directory.join("out"));
        check_reports(&built, &out, "counting");
        check_natively(&built, &out, &directory);
    }
}

#[test]
fn recursion() {
    check("recursion");
}

/// Nothing is missed above.
#[test]
fn all_programs_are_run() {
    let all = program::all("loops").into_iter();
    let mut names: Vec<String> = all.map(|program| program.stem().to_string()).collect();
    names.sort();
    assert_eq!(
        names,
        [
            "counting",
            "counting_ends",
            "listing",
            "memory",
            "plain",
            "recursion",
            "symbolic",
            "world"
        ]
    );
}

#[test]
fn listing_three_loops_where_addresses_come_back_at_once() {
    let directory = scratch("loops-listing");
    let built = built("listing", &directory);
    let at_once = ["--kdalloc-quarantine", "0", "--exit-on-error-type", "loop"];
    let out = explored(&built, &at_once, directory.join("at-once"));
    check_reports(&built, &out, "without a quarantine");
    let later = ["--max-instructions", "400000"];
    let out = explored(&built, &later, directory.join("later"));
    assert!(faulty::reports(&out).is_empty());
}

/// The check changes nothing else: the tests of a program without such loops are the same.
#[test]
fn other_programs_have_the_same_tests() {
    let directory = scratch("loops-others");
    for name in ["agree/hash_table", "agree/stdin_parser"] {
        let program = Program::read(root().join(format!("tests/programs/{name}.c")));
        let bitcode = directory.join("program.bc");
        compile_bitcode_with(&program.source, &[], &bitcode);
        let tests = |option: &str| {
            let out = directory.join(format!("{}{option}", program.stem()));
            let (out_text, bitcode) = (out.to_string_lossy(), bitcode.to_string_lossy());
            let words = [
                "explore",
                "--quiet",
                "--output-dir",
                &out_text,
                option,
                &bitcode,
            ];
            plat_ok(command(), &words).expect("an exploration");
            std::fs::read(out.join("tests.jsonl")).expect("tests")
        };
        assert_eq!(
            tests("--detect-infinite-loops=true"),
            tests("--detect-infinite-loops=false")
        );
    }
}

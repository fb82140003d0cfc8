//! What programs have beyond C: instructions in inline assembly, against native runs; and what may fail
//! on request.

use plat::output::summary::Summary;
use plat_tests::explore::plat_ok;
use plat_tests::{command, compile_bitcode, must_run, root, scratch};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn source(name: &str) -> PathBuf {
    root().join("tests/programs/idioms").join(name)
}

fn explore(source: &Path, directory: &Path, inputs: &[&str]) -> (PathBuf, Summary) {
    let (bitcode, out) = (directory.join("program.bc"), directory.join("out"));
    compile_bitcode(source, &bitcode);
    let words = [&bitcode, &out].map(|path| path.to_string_lossy().into_owned());
    let line = [
        "explore",
        "--quiet",
        "--test-files",
        "all",
        "--output-dir",
        &words[1],
        &words[0],
    ];
    plat_ok(command(), &[&line[..], inputs].concat()).expect("a run");
    let text = fs::read_to_string(out.join("summary.json")).expect("a summary");
    (out, Summary::from_json(&text).expect("a summary"))
}

#[test]
fn idioms_of_inline_assembly_do_what_they_do_natively() {
    does_what_it_does_natively("assembly.c", &["--sym-arg", "1"], 3);
}

#[test]
fn words_are_pushed_and_popped() {
    does_what_it_does_natively("stack.c", &["--sym-arg", "1"], 3);
}

/// What a program pushes that has fewer bytes than the instruction moves is noted; what no language says
/// ends its path.
#[test]
fn pushes_and_pops_that_are_odd_are_named() {
    let head = "#define push(v) __asm__ volatile(\"push %0\" :: \"m\"(v))\n\
        #define pop(v) __asm__ volatile(\"pop %0\" :: \"m\"(v))\n";
    let cases = [
        (
            "int main(int c, char **v) { int i = v[1][0], j; push(i); pop(j); if (j == 55) return 7; return 0; }",
            2,
            "push in inline assembly of fewer than 8 bytes",
        ),
        (
            "int main(void) { long j; pop(j); return 0; }",
            0,
            "pop in inline assembly of what the function has not pushed",
        ),
        (
            "void f(long *p) { pop(*p); } int main(void) { long j = 1; push(j); f(&j); return 0; }",
            0,
            "pop in inline assembly of what the function has not pushed",
        ),
        (
            "void f(long j) { push(j); } int main(void) { f(1); return 0; }",
            0,
            "a return before what inline assembly has pushed is popped",
        ),
        (
            "int main(void) { int i = 1; long j; push(i); pop(j); return 0; }",
            0,
            "pop in inline assembly of more bytes than the operand of push had",
        ),
    ];
    for (number, (text, completed, named)) in cases.iter().enumerate() {
        let directory = scratch(&format!("stack-{number}"));
        let source = directory.join("program.c");
        fs::write(&source, format!("{head}{text}\n")).expect("a source");
        let (_, summary) = explore(&source, &directory, &["--sym-arg", "1"]);
        let unsupported = u64::from(*completed == 0);
        assert_eq!(
            (summary.paths.completed, summary.paths.unsupported),
            (*completed, unsupported),
            "{text}"
        );
        let mut names = summary.unsupported.keys();
        assert!(
            names.any(|name| name.contains(named)),
            "{text}: {summary:?}"
        );
    }
}

#[test]
fn the_kernel_answers_the_instruction_that_asks_it() {
    does_what_it_does_natively("syscall.c", &["--sym-arg", "1"], 2);
}

#[test]
fn random_numbers_are_input() {
    does_what_it_does_natively("random.c", &["--sym-rand"], 64);
    // Without the option they are the system's.
    does_what_it_does_natively("random.c", &[], 1);
}

/// Explores a program, which has so many paths, and replays them.
fn does_what_it_does_natively(name: &str, inputs: &[&str], paths: u64) {
    let directory = scratch(name);
    let source = source(name);
    let (out, summary) = explore(&source, &directory, inputs);
    assert!(summary.unsupported.is_empty(), "{:?}", summary.unsupported);
    assert_eq!((summary.paths.completed, summary.paths.limits), (paths, 0));
    let native = directory.join("native");
    must_run(
        Command::new("clang-22")
            .args(["-w", "-O1"])
            .arg(&source)
            .arg("-o")
            .arg(&native),
    );
    let (out, native) = (out.to_string_lossy(), native.to_string_lossy());
    let said = plat_ok(command(), &["replay", "--quiet", &out, "--", &native]).expect("a replay");
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let all = format!("{paths} tests: {paths} same");
    assert!(said.contains(&all), "{said}");
}

#[test]
fn each_allocation_fails_on_a_path_of_its_own() {
    let directory = scratch("fail-malloc");
    let (out, summary) = explore(&source("memory.c"), &directory, &["--fail-malloc"]);
    let tests = fs::read_to_string(out.join("tests.jsonl")).expect("tests");
    let codes = tests
        .lines()
        .filter_map(|line| line.split_once("\"exit_code\":"));
    let codes: BTreeSet<&str> = codes
        .filter_map(|(_, rest)| rest.split([',', '}']).next())
        .collect();
    let codes: BTreeSet<&str> = codes
        .into_iter()
        .map(str::trim)
        .filter(|code| *code != "null")
        .collect();
    assert_eq!(
        codes,
        BTreeSet::from(["0", "10", "20", "30", "40", "60"]),
        "{tests}"
    );
    assert_eq!((summary.paths.completed, summary.paths.faults), (6, 1));
    let report = fs::read_dir(&out)
        .expect("the run")
        .flatten()
        .map(|entry| entry.path());
    let report = report
        .into_iter()
        .find(|path| path.to_string_lossy().ends_with(".ptr.err"));
    let text = fs::read_to_string(report.expect("a fault")).expect("a report");
    assert!(
        text.contains("null page access") && text.contains("Line: 21"),
        "{text}"
    );
    // Without the option nothing fails.
    fs::remove_dir_all(&out).expect("the run");
    let (_, summary) = explore(&source("memory.c"), &directory, &[]);
    assert_eq!((summary.paths.completed, summary.paths.faults), (1, 0));
}

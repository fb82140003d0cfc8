//! Every fault of the corpus is found, at its line and once, and nothing else is: under every
//! memory model. The test cases of faults fail natively under the sanitizers, those of the near
//! misses do not.

use plat::output::tests_jsonl::{self, TestLine};
use plat_memory::model;
use plat_tests::explore::{plat_ok, prepare_with};
use plat_tests::faulty::{self, Case};
use plat_tests::{command, compile_bitcode_with, scratch};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs to test: all, or those whose names contain $PLAT_FAULTS.
fn cases() -> Vec<Case> {
    let only = std::env::var("PLAT_FAULTS").unwrap_or_default();
    let cases = faulty::all().into_iter();
    cases.filter(|case| case.name.contains(&only)).collect()
}

fn run(case: &Case, program: &Path, model: &str, out: &Path) -> Result<(), String> {
    let (out_text, program) = (out.to_string_lossy(), program.to_string_lossy());
    let mut args = vec!["run", "--quiet", "--max-time", "120s", "--test-files=all"];
    args.extend(["--memory-model", model, "--output-dir", &out_text]);
    args.extend(case.options.iter().map(String::as_str));
    args.push(&program);
    plat_ok(command(), &args).map(|_| ())
}

/// What is wrong with what a run has reported.
fn differences(case: &Case, out: &Path) -> Vec<String> {
    let reports = faulty::reports(out);
    let mut wrong = Vec::new();
    for expected in &case.faults {
        let found = reports.iter().filter(|one| one.is(expected)).count();
        let wanted = case.faults.iter().filter(|one| *one == expected).count();
        if found != wanted {
            wrong.push(format!("{found} reports of {expected:?}"));
        }
    }
    for report in &reports {
        if !case.faults.iter().any(|expected| report.is(expected)) {
            wrong.push(format!(
                "unexpected in {}:\n{}",
                report.test,
                report.text.lines().take(12).collect::<Vec<_>>().join("\n")
            ));
        }
    }
    wrong
}

/// What is wrong with the test cases of a run, natively.
fn native_differences(case: &Case, out: &Path, directory: &Path) -> Vec<String> {
    let native = faulty::compile_native(case, directory);
    let reports = faulty::reports(out);
    let entries = std::fs::read_dir(out).expect("a run directory");
    let mut tests: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "ktest"))
        .collect();
    tests.sort();
    let lines = std::fs::read_to_string(out.join("tests.jsonl")).expect("tests");
    let lines = tests_jsonl::parse(&lines).expect("tests");
    let mut wrong = Vec::new();
    for ktest in tests {
        let test = ktest.file_stem().expect("a name").to_string_lossy();
        // Its fault is another test's, which is compared.
        let repeats = |line: &&TestLine| line.repeats && test == format!("test{:06}", line.test);
        if lines.iter().any(|line| repeats(&line)) {
            continue;
        }
        let report = reports.iter().find(|report| report.test == test);
        let expected = report.and_then(|report| case.faults.iter().find(|one| report.is(one)));
        if expected.is_some_and(|expected| !expected.confirmed) {
            continue;
        }
        let did = faulty::run_native(case, &native, &ktest);
        if did.failed != report.is_some() {
            let what = report.map_or("no fault", |report| report.message.as_str());
            wrong.push(format!(
                "{test}: {what}, natively {}:\n{}",
                did.failed,
                did.said.lines().take(4).collect::<Vec<_>>().join("\n")
            ));
        }
    }
    if wrong.is_empty() && reports.is_empty() {
        wrong.push("no report at all".into());
    }
    wrong
}

#[test]
fn faults_are_found_and_none_is_invented() {
    let directory = scratch("faults");
    let mut wrong = Vec::new();
    for case in cases() {
        let program = match prepare_with(command(), &case.source, &case.flags, &directory) {
            Ok(program) => program,
            Err(why) => {
                wrong.push(format!("{}: {why}", case.name));
                continue;
            }
        };
        for (at, model) in model::ALL.iter().enumerate() {
            let out = directory.join(format!("{}-{}", case.name, model.name));
            if let Err(why) = run(&case, &program, model.name, &out) {
                wrong.push(format!("{} under {}: {why}", case.name, model.name));
                continue;
            }
            let mut found = match model.is_complete() {
                true => differences(&case, &out),
                false => Vec::new(),
            };
            if at == 0 {
                found.extend(native_differences(&case, &out, &directory));
            }
            let (case, model) = (&case.name, model.name);
            wrong.extend(
                found
                    .into_iter()
                    .map(|one| format!("{case} under {model}: {one}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// What reports have in common with and without debug information.
fn kinds<'a>(faults: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(String, String)> {
    let mut kinds: Vec<(String, String)> = faults
        .map(|(suffix, message)| (suffix.to_string(), message.to_string()))
        .collect();
    kinds.sort();
    kinds
}

fn kinds_of(out: &Path) -> Vec<(String, String)> {
    let reports = faulty::reports(out);
    let faults = reports.iter().map(|one| (&*one.suffix, &*one.message));
    kinds(faults)
}

/// Runs a program and returns what it said.
fn say(args: &[&str]) -> String {
    let output = Command::new(command()).args(args).output().expect("a run");
    assert!(
        output.status.code().is_some_and(|code| code < 2),
        "{args:?}"
    );
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn case(name: &str) -> Case {
    let all = faulty::all().into_iter();
    let mut found = all.filter(|case| case.name == name);
    found.next().expect("a program of this name")
}

/// A program with other flags than its own.
fn compiled(case: &Case, flags: &[&str], directory: &Path) -> PathBuf {
    let flags = flags.iter().map(ToString::to_string);
    let flags: Vec<String> = case.flags.iter().cloned().chain(flags).collect();
    prepare_with(command(), &case.source, &flags, directory).expect("a program")
}

#[test]
fn without_debug_information_the_same_faults_are_found() {
    let directory = scratch("faults-plain");
    let mut wrong = Vec::new();
    for case in cases() {
        let program = compiled(&case, &["-g0"], &directory);
        let out = directory.join(&case.name);
        if let Err(why) = run(&case, &program, "flat", &out) {
            wrong.push(format!("{}: {why}", case.name));
            continue;
        }
        let expected = kinds(case.faults.iter().map(|one| (&*one.suffix, &*one.message)));
        let found = kinds_of(&out);
        if found != expected {
            wrong.push(format!("{}: {found:#?}\nand not {expected:#?}", case.name));
        }
        for report in faulty::reports(&out) {
            let placed = report.line > 0 || report.text.contains("\nFunction: ");
            if !placed || !report.text.contains("\nassembly.ll line: ") {
                wrong.push(format!("{}: no place: {}", case.name, report.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn faults_of_optimised_code_are_the_same_with_and_without_debug_information() {
    let directory = scratch("faults-optimised");
    let case = case("places.c");
    let mut found = Vec::new();
    for (at, flags) in [&["-O2"][..], &["-O2", "-g0"]].iter().enumerate() {
        let program = compiled(&case, flags, &directory);
        for workers in ["1", "2"] {
            let out = directory.join(format!("out-{at}-{workers}"));
            let (out_text, program) = (out.to_string_lossy(), program.to_string_lossy());
            say(&[
                "run",
                "--quiet",
                "--workers",
                workers,
                "--output-dir",
                &out_text,
                &program,
            ]);
            found.push(kinds_of(&out));
        }
    }
    assert!(found[0].len() >= 9, "{:#?}", found[0]);
    assert!(found.iter().all(|one| *one == found[0]), "{found:#?}");
}

#[test]
fn a_part_without_debug_information_is_blamed_itself() {
    let directory = scratch("faults-mixed");
    let part = |name: &str, text: &str, flags: &[&str]| {
        let source = directory.join(name);
        std::fs::write(&source, text).expect("a source");
        let out = source.with_extension("bc");
        let flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
        compile_bitcode_with(&source, &flags, &out);
        out.to_string_lossy().into_owned()
    };
    let known = part(
        "known.c",
        "int klee_range(int, int, const char *);\nint hidden(int);\nint table[4];\n\
         int main(void)\n{\n int way = klee_range(0, 7, \"way\");\n\
         return way == 6 ? table[way] : hidden(way);\n}\n",
        &[],
    );
    let hidden = part(
        "hidden.c",
        "static int few[4];\nint hidden(int at)\n{\n\
         if (at == 4) return few[at + 1];\n if (at == 5) return few[at + 2];\n return few[at & 3];\n}\n",
        &["-g0"],
    );
    let out = directory.join("out");
    let out_text = out.to_string_lossy();
    let link = ["--link-llvm-lib", &*hidden];
    let said = say(&[
        &["explore", "--output-dir", &out_text][..],
        &link,
        &[&known],
    ]
    .concat());
    let reports = faulty::reports(&out);
    let lines: Vec<u32> = reports.iter().map(|report| report.line).collect();
    assert_eq!(
        lines.iter().filter(|&&line| line == 7).count(),
        1,
        "{reports:#?}"
    );
    let inside = reports
        .iter()
        .filter(|report| report.text.contains("\nFunction: hidden\n"));
    assert_eq!((inside.count(), reports.len()), (2, 3), "{reports:#?}");
    let announced = said.matches("ERROR: (in hidden, assembly.ll:").count();
    assert_eq!(announced, 2, "{said}");
}

#[test]
fn every_error_is_announced_if_all_are_asked_for() {
    let directory = scratch("faults-announced");
    let case = case("lifetime.c");
    let program = compiled(&case, &[], &directory);
    let program = program.to_string_lossy();
    for all in [false, true] {
        let out = directory.join(format!("out-{all}"));
        let out_text = out.to_string_lossy();
        let mut args = vec!["run", "--output-dir", &*out_text];
        args.extend(all.then_some("--emit-all-errors"));
        let said = say(&[&args[..], &[&*program]].concat());
        let announced = said.matches("plat: ERROR: ").count();
        assert_eq!(announced, faulty::reports(&out).len(), "{said}");
    }
}

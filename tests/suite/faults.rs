//! Every fault of the corpus is found, at its line and once, and nothing else is: under every
//! memory model. The test cases of faults fail natively under the sanitizers, those of the near
//! misses do not.

use plat::output::tests_jsonl::{self, TestLine};
use plat_memory::model;
use plat_tests::explore::{plat_ok, prepare_with};
use plat_tests::faulty::{self, Case};
use plat_tests::{command, scratch};
use std::path::{Path, PathBuf};

/// The programs to test: all, or those whose names contain $PLAT_FAULTS.
fn cases() -> Vec<Case> {
    let only = std::env::var("PLAT_FAULTS").unwrap_or_default();
    let cases = faulty::all().into_iter();
    cases.filter(|case| case.name.contains(&only)).collect()
}

fn run(case: &Case, program: &Path, model: &str, out: &Path) -> Result<(), String> {
    let (out_text, program) = (out.to_string_lossy(), program.to_string_lossy());
    let mut args = vec!["run", "--quiet", "--max-time", "120s"];
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
        if found != 1 {
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
            let mut found = match model.name {
                // It follows one object where a pointer may reach several.
                "single" => Vec::new(),
                _ => differences(&case, &out),
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
    let _ = std::fs::remove_dir_all(&directory);
}

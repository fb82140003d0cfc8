//! Threads: the programs of `tests/programs/threads` do what they do natively, for every input and
//! schedule that is explored; deadlocks and lost updates are found where they are marked, and nowhere
//! else. See [`plat_tests::faulty`] for the marks.
//!
//! A head has the symbolic arguments under `arguments`.

use crate::resume;
use plat_memory::model;
use plat_tests::explore::{plat, plat_ok};
use plat_tests::faulty;
use plat_tests::program::Program;
use plat_tests::{command, compile_bitcode_with, must_run, root, scratch};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program in bitcode and as the machine's.
struct Built {
    program: Program,
    bitcode: PathBuf,
    native: PathBuf,
}

fn built(name: &str, directory: &Path) -> Built {
    let program = Program::read(root().join(format!("tests/programs/threads/{name}.c")));
    let bitcode = directory.join(format!("{name}.bc"));
    compile_bitcode_with(&program.source, &["-pthread".to_string()], &bitcode);
    let native = directory.join(format!("{name}.native"));
    let clang = std::env::var("CLANG").unwrap_or_else(|_| "clang-22".into());
    must_run(
        Command::new(clang)
            .args(["-O1", "-w", "-pthread"])
            .arg(&program.source)
            .arg("-o")
            .arg(&native),
    );
    Built {
        program,
        bitcode,
        native,
    }
}

/// Explores a program; the run directory.
fn explored(built: &Built, options: &[&str], out: PathBuf) -> PathBuf {
    let (out_text, bitcode) = (out.to_string_lossy(), built.bitcode.to_string_lossy());
    let mut words = vec!["explore", "--quiet", "--test-files=all"];
    words.extend(["--output-dir", &out_text]);
    words.extend(options);
    words.push(&bitcode);
    words.extend(built.program.words("arguments"));
    plat_ok(command(), &words).expect("an exploration");
    out
}

fn summary(out: &Path) -> serde_json::Value {
    let text = std::fs::read(out.join("summary.json")).expect("a summary");
    serde_json::from_slice(&text).expect("JSON")
}

/// What each path wrote and how it ended, with how many there are of each.
fn outcomes(out: &Path) -> BTreeMap<String, u32> {
    let lines = std::fs::read_to_string(out.join("tests.jsonl")).expect("the tests");
    let mut found = BTreeMap::new();
    for line in lines.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let what = format!(
            "{} {} {}",
            line["end"], line["exit_code"], line["stdout_sha256"]
        );
        *found.entry(what).or_default() += 1;
    }
    found
}

/// The marked faults are reported, each once, and nothing else.
fn check_faults(built: &Built, out: &Path, what: &str) {
    let expected = faulty::expected_in(&built.program.text);
    let found = faulty::reports(out);
    let texts: String = found.iter().map(|report| report.text.as_str()).collect();
    for one in &expected {
        let count = found.iter().filter(|report| report.is(one)).count();
        assert_eq!(count, 1, "{what}: {one:?} in\n{texts}");
    }
    assert_eq!(found.len(), expected.len(), "{what}:\n{texts}");
    assert_eq!(summary(out)["paths"]["unsupported"], 0, "{what}");
}

/// A program without input writes on its only path what it writes natively, in every memory model, and
/// on every path of the schedules with a preemption.
fn check_output(name: &str, preemptions: bool) {
    let directory = scratch(&format!("threads-{name}"));
    let built = built(name, &directory);
    let native = must_run(&mut Command::new(&built.native));
    let written = String::from_utf8_lossy(&native.stdout).into_owned();
    let mut ways: Vec<(String, Vec<&str>)> = (model::ALL.iter())
        .map(|model| (model.name.to_string(), vec!["--memory-model", model.name]))
        .collect();
    ways.push(("slow".into(), vec!["--no-fast-paths"]));
    ways.push(("collect".into(), vec!["--collect", "always"]));
    ways.push((
        "loops".into(),
        vec!["--detect-infinite-loops", "--check-leaks"],
    ));
    if preemptions {
        ways.push(("preempted".into(), vec!["--preemptions", "1"]));
    }
    let mut instructions = None;
    for (way, options) in ways {
        let out = explored(&built, &options, directory.join(&way));
        let summary = summary(&out);
        assert_eq!(summary["paths"]["faults"], 0, "{way}");
        assert_eq!(summary["paths"]["unsupported"], 0, "{way}");
        assert!(
            summary["unsupported"]
                .as_object()
                .is_none_or(|all| all.is_empty()),
            "{way}: {}",
            summary["unsupported"]
        );
        for test in 1.. {
            let stdout = out.join(format!("test{test:06}.out"));
            let Ok(text) = std::fs::read_to_string(&stdout) else {
                assert!(test > 1 || written.is_empty(), "{way}: no output");
                break;
            };
            assert_eq!(text, written, "{way}, test {test}");
        }
        if way == "preempted" {
            let forks = summary["forks"]["schedule"].as_u64().expect("a number");
            assert!(forks > 5, "{forks}");
            continue;
        }
        // One schedule, whatever the memory model.
        let count = summary["instructions"].clone();
        assert_eq!(
            *instructions.get_or_insert_with(|| count.clone()),
            count,
            "{way}"
        );
    }
}

#[test]
fn mutexes_keys_once_and_locals() {
    check_output("basics", true);
}

#[test]
fn conditions_barriers_and_semaphores() {
    check_output("sync", false);
}

#[test]
fn threads_of_c11() {
    check_output("c11", true);
}

#[test]
fn ends_and_cancellation() {
    check_output("ends", true);
}

#[test]
fn spinning_and_sleeping() {
    check_output("spinning", false);
}

/// The tests of a run do natively what their paths did, or need not.
fn check_natively(built: &Built, out: &Path) {
    let (out, native) = (out.to_string_lossy(), built.native.to_string_lossy());
    let words = ["replay", "--timeout", "700ms", &out, "--", &native];
    let output = plat(command(), &words);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains(" 0 differ"),
        "{}:\n{text}",
        built.program.file
    );
}

#[test]
fn deadlocks_of_every_schedule() {
    let directory = scratch("threads-deadlocks");
    let built = built("deadlocks", &directory);
    for options in [&[][..], &["--workers", "2"], &["--memory-model", "flat"]] {
        let name = options.last().unwrap_or(&"plain");
        let out = explored(&built, options, directory.join(name));
        check_faults(&built, &out, name);
        if options.is_empty() {
            check_natively(&built, &out);
        }
    }
}

/// Without preemptions the schedule has no error, with one it is found; so it is in several processes, and
/// by a run that goes on from its decisions.
fn check_schedules(name: &str) {
    let directory = scratch(&format!("threads-{name}"));
    let built = built(name, &directory);
    let out = explored(&built, &[], directory.join("none"));
    assert!(faulty::reports(&out).is_empty());
    assert_eq!(summary(&out)["forks"]["schedule"], 0);
    check_natively(&built, &out);
    let one = ["--preemptions", "1"];
    let whole = explored(&built, &one, directory.join("one"));
    check_faults(&built, &whole, "one preemption");
    let tests = resume::tests(&whole);
    for (way, options) in [
        ("workers", &["--workers", "2", "--worker-interval", "0"][..]),
        ("slow", &["--no-fast-paths"]),
        ("dfs", &["--search", "dfs", "--batch-instructions", "7"]),
    ] {
        let options = [&one[..], options].concat();
        let out = explored(&built, &options, directory.join(way));
        assert_eq!(resume::tests(&out), tests, "{way}");
    }
    let all = summary(&whole)["instructions"].as_u64().expect("a number");
    let part = (all / 2).to_string();
    let little = ["--max-instructions", &part, "--max-halt-tests", "0"];
    let out = explored(
        &built,
        &[&one[..], &little].concat(),
        directory.join("part"),
    );
    assert_eq!(summary(&out)["stop"], "instructions");
    let end = resume::resume(&out, &["--max-instructions", "0"]);
    assert_eq!(end["led"]["divergences"], serde_json::json!({}));
    // Of paths that end alike and differ in their schedule alone, it writes one test.
    check_faults(&built, &out, "resumed");
    assert_eq!(end["paths"], summary(&whole)["paths"]);
}

#[test]
fn locks_in_both_orders() {
    check_schedules("order");
}

#[test]
fn a_lost_update() {
    check_schedules("lost");
}

#[test]
fn input_that_decides_what_threads_do() {
    let directory = scratch("threads-symbolic");
    let built = built("symbolic", &directory);
    let out = explored(&built, &[], directory.join("out"));
    check_faults(&built, &out, "symbolic");
    check_natively(&built, &out);
    let preempted = explored(&built, &["--preemptions", "1"], directory.join("preempted"));
    check_natively(&built, &preempted);
    let ends = |out: &Path| outcomes(out).into_keys().collect::<Vec<_>>();
    assert_eq!(ends(&out), ends(&preempted));
    assert!(outcomes(&preempted).values().sum::<u32>() > outcomes(&out).values().sum());
}

#[test]
fn data_races_and_near_misses() {
    let directory = scratch("threads-races");
    let built = built("races", &directory);
    let out = explored(&built, &["--detect-data-races"], directory.join("races"));
    check_faults(&built, &out, "races");
    let out = explored(&built, &[], directory.join("unasked"));
    assert!(faulty::reports(&out).is_empty());
    // The library's own accesses race with nothing.
    for name in ["basics", "c11", "ends"] {
        let built = self::built(name, &directory);
        let out = explored(&built, &["--detect-data-races"], directory.join(name));
        let reports: Vec<String> = (faulty::reports(&out).into_iter())
            .map(|report| report.text)
            .collect();
        assert!(reports.is_empty(), "{name}: {reports:?}");
    }
}

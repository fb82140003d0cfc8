//! Ctrl-C and the end of the time: the run ends soon, and what it leaves is complete.

use plat_tests::{command, compile_bitcode, scratch};
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A path for every value, each leaving a test, without end.
const ENDLESS: &str = "
#include <klee/klee.h>
int main(void)
{
\tunsigned long n;
\tklee_make_symbolic(&n, sizeof n, \"n\");
\tfor (unsigned long i = 0;; i++)
\t\tif (n == i)
\t\t\treturn 0;
}
";

/// The longest that anything here may take on a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until `ready` holds.
fn wait_for(what: &str, mut ready: impl FnMut() -> bool) {
    let start = Instant::now();
    while !ready() {
        assert!(start.elapsed() < PATIENCE, "waited too long for {what}");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_interrupt_before_the_run_leaves_nothing() {
    let directory = scratch("interrupt-early");
    let temporary = directory.join("tmp");
    fs::create_dir(&temporary).expect("a directory");
    let (source, bitcode) = (directory.join("endless.c"), directory.join("endless.bc"));
    fs::write(&source, ENDLESS).expect("a file");
    compile_bitcode(&source, &bitcode);
    let out = directory.join("out");
    let mut child = Command::new(command())
        .args(["explore", "--quiet", "--max-time", "1s", "--output-dir"])
        .args([&out, &bitcode])
        .env("TMPDIR", &temporary)
        .stdout(Stdio::null())
        .spawn()
        .expect("plat runs");
    let begun = || {
        fs::read_dir(&temporary)
            .expect("the directory")
            .next()
            .is_some()
    };
    wait_for("the stages", || {
        begun() || child.try_wait().expect("a child").is_some()
    });
    let process = child.id().to_string();
    let _ = Command::new("kill").args(["-TERM", &process]).status();
    wait_for("the end", || child.try_wait().expect("a child").is_some());
    assert!(!begun(), "what the stages made is there");
    // Slow as a test can be, the signal may come when the run has begun: that is complete then.
    let complete = out.join("summary.json").exists();
    assert!(complete || !out.exists(), "the directory is half made");
}

fn start(directory: &Path) -> (Child, PathBuf) {
    let source = directory.join("endless.c");
    let bitcode = directory.join("endless.bc");
    fs::write(&source, ENDLESS).expect("a file");
    compile_bitcode(&source, &bitcode);
    let out = directory.join("out");
    let child = Command::new(command())
        .args([
            "explore",
            "--search",
            "bfs",
            "--json",
            "--max-time",
            "5min",
            "--output-dir",
        ])
        .arg(&out)
        .arg(&bitcode)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("plat runs");
    (child, out)
}

#[test]
fn an_interrupted_run_is_complete() {
    let directory = scratch("interrupt");
    let (mut child, out) = start(&directory);
    wait_for("tests", || {
        assert_eq!(
            child.try_wait().expect("a child"),
            None,
            "it ended by itself"
        );
        out.join("test000003.ktest").exists()
    });
    // As a terminal does: to the process and to those that it has started.
    let group = format!("-{}", child.id());
    let sent = Command::new("kill").args(["-INT", "--", &group]).status();
    assert!(sent.expect("kill runs").success());
    wait_for("the end", || child.try_wait().expect("a child").is_some());

    let output = child.wait_with_output().expect("a child");
    let summary: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("the summary on standard output");
    let file = fs::read(out.join("summary.json")).expect("the summary");
    let same: serde_json::Value = serde_json::from_slice(&file).expect("the summary is JSON");
    assert_eq!(summary, same);
    assert_eq!(summary["stop"], "interrupted");

    let lines = fs::read_to_string(out.join("tests.jsonl")).expect("the tests");
    let tests = lines.lines().count();
    assert!(tests >= 3);
    assert_eq!(summary["tests"], tests);
    let files = fs::read_dir(&out).expect("the directory").flatten();
    let ktests = files.filter(|file| file.path().extension().is_some_and(|it| it == "ktest"));
    assert_eq!(ktests.count(), tests, "a file for every test");
    let text = fs::read_to_string(out.join("assembly.ll")).expect("the program as text");
    assert!(text.contains("\ndefine ") && text.ends_with('\n'));
}

/// The factors of the product of two primes below 2^48: years of work for the solver.
const HARD: &str = "
#include <klee/klee.h>
#include <stdlib.h>
int main(void)
{
\tunsigned long x, y;
\tklee_make_symbolic(&x, sizeof x, \"x\");
\tklee_make_symbolic(&y, sizeof y, \"y\");
\tif (x < 2 || y < 2 || x >> 48 || y >> 48)
\t\treturn 0;
\tif ((unsigned __int128)x * y == (unsigned __int128)235848283603883ul * 109153376441867ul)
\t\tabort();
\treturn 2;
}
";

#[test]
fn a_question_ends_with_the_time_of_the_run() {
    let directory = scratch("interrupt-question");
    let (source, bitcode) = (directory.join("hard.c"), directory.join("hard.bc"));
    fs::write(&source, HARD).expect("a file");
    compile_bitcode(&source, &bitcode);
    let out = directory.join("out");
    // A solver that goes by its own limit would make the path end at that.
    let ended = Command::new(command())
        .args(["explore", "--quiet", "--max-time", "2s"])
        .args(["--max-solver-time", "60s", "--output-dir"])
        .args([&out, &bitcode])
        .status();
    assert!(ended.expect("plat runs").success());
    let read = |name: &str| fs::read_to_string(out.join(name)).expect(name);
    let summary: serde_json::Value = serde_json::from_str(&read("summary.json")).expect("JSON");
    assert_eq!(summary["stop"], "time");
    let tests = read("tests.jsonl");
    let cut: Vec<&str> = (tests.lines())
        .filter(|line| line.contains("the run was stopped: time"))
        .collect();
    // What is left are whole paths, each with an input.
    assert!(!cut.is_empty(), "{tests}");
    assert_eq!(summary["paths"]["limits"], cut.len(), "{tests}");
}

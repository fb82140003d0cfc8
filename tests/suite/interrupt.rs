//! Ctrl-C and the end of the time: the run ends soon, and what it leaves is complete.

use plat_tests::endless::{ENDLESS, wait_for};
use plat_tests::{command, compile_bitcode, scratch};
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

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

/// Starts an endless run in a process group of its own.
fn start(directory: &Path, workers: &str) -> (Child, PathBuf) {
    let source = directory.join("endless.c");
    let bitcode = directory.join("endless.bc");
    fs::write(&source, ENDLESS).expect("a file");
    compile_bitcode(&source, &bitcode);
    let out = directory.join("out");
    let child = Command::new(command())
        .args(["explore", "--search", "bfs", "--json", "--test-files=all"])
        .arg("--max-time")
        .args(["5min", "--workers", workers, "--output-dir"])
        .arg(&out)
        .arg(&bitcode)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("plat runs");
    (child, out)
}

fn wait_for_tests(child: &mut Child, out: &Path) {
    wait_for("tests", || {
        assert_eq!(
            child.try_wait().expect("a child"),
            None,
            "it ended by itself"
        );
        out.join("test000003.ktest").exists()
    });
}

/// Sends a signal to a process, or to a group of them, whose number is negative.
fn send(signal: &str, to: &str) {
    let sent = Command::new("kill").args([signal, "--", to]).status();
    assert!(sent.expect("kill runs").success());
}

fn summary_of(out: &Path) -> serde_json::Value {
    let file = fs::read(out.join("summary.json")).expect("the summary");
    serde_json::from_slice(&file).expect("the summary is JSON")
}

#[test]
fn an_interrupted_run_is_complete() {
    // As a terminal does, to the process and to those that it has started; as `kill` does, to the
    // process alone.
    let ways = [
        ("-INT", "1", true),
        ("-TERM", "1", false),
        ("-HUP", "1", true),
        ("-INT", "2", true),
        ("-HUP", "2", true),
        ("-TERM", "2", false),
    ];
    for (signal, workers, group) in ways {
        let directory = scratch(&format!("interrupt{signal}-{workers}"));
        let (mut child, out) = start(&directory, workers);
        wait_for_tests(&mut child, &out);
        let process = child.id().to_string();
        send(
            signal,
            &if group {
                format!("-{process}")
            } else {
                process
            },
        );
        wait_for("the end", || child.try_wait().expect("a child").is_some());

        let output = child.wait_with_output().expect("a child");
        assert!(output.status.success(), "{signal}: {}", output.status);
        let summary: serde_json::Value =
            serde_json::from_slice(&output.stdout).expect("the summary on standard output");
        assert_eq!(summary, summary_of(&out));
        assert_eq!(summary["stop"], "interrupted");
        assert_eq!(summary["lost_paths"], 0);

        let lines = fs::read_to_string(out.join("tests.jsonl")).expect("the tests");
        let tests = lines.lines().count();
        assert!(tests >= 3);
        assert_eq!(summary["tests"], tests);
        let live = lines.lines().filter(|line| line.contains("interrupt"));
        assert!(live.count() >= 1, "no test of a live path");
        let files = fs::read_dir(&out).expect("the directory").flatten();
        let ktests = files.filter(|file| file.path().extension().is_some_and(|it| it == "ktest"));
        assert_eq!(ktests.count(), tests, "a file for every test");
        let text = fs::read_to_string(out.join("assembly.ll")).expect("the program as text");
        assert!(text.contains("\ndefine ") && text.ends_with('\n'));
    }
}

#[test]
fn a_hangup_that_is_ignored_stays_so() {
    let directory = scratch("interrupt-nohup");
    let (source, bitcode) = (directory.join("endless.c"), directory.join("endless.bc"));
    fs::write(&source, ENDLESS).expect("a file");
    compile_bitcode(&source, &bitcode);
    let out = directory.join("out");
    let mut child = Command::new("sh")
        .args(["-c", "trap '' HUP; exec \"$@\"", "sh"])
        .arg(command())
        .args(["explore", "--quiet", "--max-time", "3s", "--test-files=all"])
        .arg("--output-dir")
        .args([&out, &bitcode])
        .stdout(Stdio::null())
        .spawn()
        .expect("a shell");
    wait_for_tests(&mut child, &out);
    send("-HUP", &child.id().to_string());
    wait_for("the end", || child.try_wait().expect("a child").is_some());
    assert_eq!(summary_of(&out)["stop"], "time");
}

/// A question about floats that keeps Z3 busy for as long as it may be.
const FLOATS: &str = "
#include <klee/klee.h>
int main(void)
{
\tdouble x, y, z;
\tklee_make_symbolic(&x, sizeof x, \"x\");
\tklee_make_symbolic(&y, sizeof y, \"y\");
\tklee_make_symbolic(&z, sizeof z, \"z\");
\tif (x > 1.5 && y > 2.5 && z > 1.25 && x * y * z == 1234.5678 && x / y == z * 1.7)
\t\treturn 1;
\treturn 2;
}
";

/// The processes that a process has started.
fn children(process: u32) -> Vec<String> {
    let list = Command::new("ps")
        .args(["-o", "comm=,args=", "--ppid", &process.to_string()])
        .output();
    let list = String::from_utf8(list.expect("ps runs").stdout).expect("text");
    list.lines().map(str::to_owned).collect()
}

#[test]
fn a_question_ends_when_somebody_asks_for_the_end() {
    for (name, program, solver) in [("z3", FLOATS, "z3"), ("bits", HARD, "bits")] {
        let directory = scratch(&format!("interrupt-query-{name}"));
        let (source, bitcode) = (directory.join("hard.c"), directory.join("hard.bc"));
        fs::write(&source, program).expect("a file");
        compile_bitcode(&source, &bitcode);
        let out = directory.join("out");
        let mut child = Command::new(command())
            .args(["explore", "--quiet", "--solver", solver])
            .args(["--max-solver-time", "100s", "--output-dir"])
            .args([&out, &bitcode])
            .stdout(Stdio::null())
            .spawn()
            .expect("plat runs");
        if solver == "z3" {
            wait_for("the solver", || {
                (children(child.id()).iter()).any(|line| line.contains("solver-process"))
            });
        } else {
            wait_for("the run", || out.join("tests.jsonl").exists());
        }
        sleep(Duration::from_secs(1));
        let asked = Instant::now();
        send("-TERM", &child.id().to_string());
        wait_for("the end", || child.try_wait().expect("a child").is_some());
        let took = asked.elapsed();
        assert!(took < Duration::from_secs(20), "{name}: {took:?}");
        assert_eq!(summary_of(&out)["stop"], "interrupted", "{name}");
    }
}

#[test]
fn a_second_request_ends_the_process_at_once() {
    let directory = scratch("interrupt-second");
    let (mut child, out) = start(&directory, "1");
    wait_for_tests(&mut child, &out);
    let process = child.id().to_string();
    send("-STOP", &process);
    // Two different ones: one that waits already is not there twice.
    send("-HUP", &process);
    send("-TERM", &process);
    send("-CONT", &process);
    wait_for("the end", || child.try_wait().expect("a child").is_some());
    let status = child.wait().expect("a child");
    assert_eq!(status.code(), Some(130), "{status}");
}

/// Thousands of live states as soon as they are explored breadth first.
const WIDE: &str = "
#include <klee/klee.h>
int main(void)
{
\tunsigned char b[64];
\tunsigned n = 0;
\tklee_make_symbolic(b, sizeof b, \"b\");
\tfor (int i = 0; i < 64; i++)
\t\tif (b[i] > 100)
\t\t\tn++;
\treturn n & 1;
}
";

#[test]
fn the_tests_of_live_paths_have_a_bound_and_what_has_none_is_counted() {
    let directory = scratch("interrupt-wide");
    let (source, bitcode) = (directory.join("wide.c"), directory.join("wide.bc"));
    fs::write(&source, WIDE).expect("a file");
    compile_bitcode(&source, &bitcode);
    let out = directory.join("out");
    let ended = Command::new(command())
        .args(["explore", "--search", "bfs", "--max-time", "3s"])
        .args(["--write-smt2s", "--write-kqueries", "--output-dir"])
        .args([&out, &bitcode])
        .output()
        .expect("plat runs");
    assert!(ended.status.success());
    let summary = summary_of(&out);
    let number = |name: &str| summary.pointer(name).and_then(serde_json::Value::as_u64);
    let (tests, late) = (number("/tests"), number("/paths/late"));
    let (tests, late) = (tests.expect("a number"), late.expect("a number"));
    let live = number("/paths/limits").expect("a number");
    assert!(late > 0 && tests > 0 && tests + late <= live, "{summary}");
    assert_eq!(
        fs::read_to_string(out.join("tests.jsonl"))
            .expect("tests")
            .lines()
            .count() as u64,
        tests
    );
    let said = String::from_utf8_lossy(&ended.stderr);
    let says = format!("{late} of the live paths have no test: the time for them was over");
    assert!(said.contains(&says), "{said}");
}

/// The process that LLVM works in for another one, stopped; none if it has ended before.
fn stopped_stage(child: &mut Child) -> Option<String> {
    while child.try_wait().expect("a child").is_none() {
        let list = Command::new("pgrep")
            .args(["llvm-process", "-P", &child.id().to_string()])
            .output();
        let list = String::from_utf8(list.expect("pgrep runs").stdout).expect("text");
        if let Some(stage) = list.lines().next() {
            let stop = Command::new("kill").args(["-STOP", stage]).status();
            let there = stop.expect("kill runs").success();
            return there.then(|| stage.to_owned());
        }
    }
    None
}

#[test]
fn a_stage_that_does_not_end_is_ended() {
    let directory = scratch("interrupt-stages");
    let (source, bitcode) = (directory.join("endless.c"), directory.join("endless.bc"));
    fs::write(&source, ENDLESS).expect("a file");
    compile_bitcode(&source, &bitcode);
    let temporary = directory.join("tmp");
    fs::create_dir(&temporary).expect("a directory");
    let out = directory.join("out");
    let hung = |signal: Option<&str>| {
        for _ in 0..10 {
            let _ = fs::remove_dir_all(&out);
            let mut child = Command::new(command())
                .args(["explore", "--quiet", "--max-time", "1s", "--output-dir"])
                .args([&out, &bitcode])
                .env("TMPDIR", &temporary)
                .stderr(Stdio::piped())
                .spawn()
                .expect("plat runs");
            let Some(stage) = stopped_stage(&mut child) else {
                continue;
            };
            if out.join("info").exists() {
                // It was the process that writes the program's text during the run.
                send("-CONT", &stage);
                child.wait().expect("a child");
                continue;
            }
            if let Some(signal) = signal {
                send(signal, &child.id().to_string());
            }
            wait_for("the end", || child.try_wait().expect("a child").is_some());
            if out.join("info").exists() {
                // As above: the directory was made after it was looked for.
                continue;
            }
            return child.wait_with_output().expect("a child");
        }
        panic!("no stage could be stopped");
    };
    let late = hung(None);
    let said = String::from_utf8_lossy(&late.stderr);
    assert_eq!(late.status.code(), Some(2), "{said}");
    assert_eq!(
        said,
        "plat: the stages before the run take longer than --max-time\n"
    );
    for signal in ["-TERM", "-HUP", "-INT"] {
        assert_eq!(hung(Some(signal)).status.code(), Some(130), "{signal}");
    }
    assert!(!out.exists(), "the directory is half made");
    let left: Vec<_> = fs::read_dir(&temporary)
        .expect("the directory")
        .flatten()
        .collect();
    assert!(left.is_empty(), "{left:?}");
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

//! Threads: the programs of `tests/programs/threads` do what they do natively, for every input and
//! schedule that is explored; deadlocks and lost updates are found where they are marked, and nowhere
//! else. See [`plat_tests::faulty`] for the marks.
//!
//! A head has the symbolic arguments under `arguments`.

use crate::resume;
use plat_memory::model;
use plat_tests::beside::{Built, summary};
use plat_tests::{command, faulty, must_run};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

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

/// A program without input writes on its only path what it writes natively, in every memory model, and
/// on every path of the schedules with a preemption.
fn check_output(name: &str, preemptions: bool) {
    let built = Built::new("threads", name);
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
        let out = built.explored(&way, &options);
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

#[test]
fn threads_wait_by_each_clock() {
    check_output("clocks", false);
}

#[test]
fn scheduling_is_told_and_changes_no_order() {
    check_output("scheduling", false);
}

#[test]
fn signals_are_waited_for() {
    check_output("signals", false);
}

/// Who waits for a signal may get one from outside: that is no deadlock, whatever the others wait for.
#[test]
fn signals_from_outside_are_a_limit() {
    let built = Built::new("threads", "daemon");
    let out = built.explored("out", &[]);
    let ends = outcomes(&out);
    assert_eq!(ends.len(), 7, "{ends:?}");
    let summary = summary(&out);
    assert_eq!(summary["paths"]["faults"], 0);
    assert_eq!(summary["paths"]["limits"], 5);
    let replayed = must_run(
        Command::new(command())
            .args(["replay", "--timeout", "1s"])
            .arg(&out)
            .arg("--")
            .arg(&built.native),
    );
    let said = String::from_utf8_lossy(&replayed.stdout).into_owned();
    assert!(said.contains("0 differ, 0 not compared"), "{said}");
}

#[test]
fn deadlocks_of_every_schedule() {
    let built = Built::new("threads", "deadlocks");
    for options in [&[][..], &["--workers", "2"], &["--memory-model", "flat"]] {
        let name = options.last().unwrap_or(&"plain");
        let out = built.explored(name, options);
        built.check_faults(&out, name);
        if options.is_empty() {
            built.check_natively(&out);
        }
    }
}

/// Without preemptions the schedule has no error, with one it is found; so it is in several processes, and
/// by a run that goes on from its decisions.
fn check_schedules(name: &str) {
    let built = Built::new("threads", name);
    let out = built.explored("none", &[]);
    assert!(faulty::reports(&out).is_empty());
    assert_eq!(summary(&out)["forks"]["schedule"], 0);
    built.check_natively(&out);
    let one = ["--preemptions", "1"];
    let whole = built.explored("one", &one);
    built.check_faults(&whole, "one preemption");
    let tests = resume::tests(&whole);
    for (way, options) in [
        ("workers", &["--workers", "2", "--worker-interval", "0"][..]),
        ("slow", &["--no-fast-paths"]),
        ("dfs", &["--search", "dfs", "--batch-instructions", "7"]),
    ] {
        let options = [&one[..], options].concat();
        let out = built.explored(way, &options);
        assert_eq!(resume::tests(&out), tests, "{way}");
    }
    let all = summary(&whole)["instructions"].as_u64().expect("a number");
    let part = (all / 2).to_string();
    let little = ["--max-instructions", &part, "--max-halt-tests", "0"];
    let out = built.explored("part", &[&one[..], &little].concat());
    assert_eq!(summary(&out)["stop"], "instructions");
    let end = resume::resume(&out, &["--max-instructions", "0"]);
    assert_eq!(end["led"]["divergences"], serde_json::json!({}));
    // Of paths that end alike and differ in their schedule alone, it writes one test.
    built.check_faults(&out, "resumed");
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
    let built = Built::new("threads", "symbolic");
    let out = built.explored("out", &[]);
    built.check_faults(&out, "symbolic");
    built.check_natively(&out);
    let preempted = built.explored("preempted", &["--preemptions", "1"]);
    built.check_natively(&preempted);
    let ends = |out: &Path| outcomes(out).into_keys().collect::<Vec<_>>();
    assert_eq!(ends(&out), ends(&preempted));
    assert!(outcomes(&preempted).values().sum::<u32>() > outcomes(&out).values().sum());
}

#[test]
fn data_races_and_near_misses() {
    let built = Built::new("threads", "races");
    let out = built.explored("races", &["--detect-data-races"]);
    built.check_faults(&out, "races");
    let out = built.explored("unasked", &[]);
    assert!(faulty::reports(&out).is_empty());
    // The library's own accesses race with nothing.
    for name in ["basics", "c11", "ends"] {
        let built = Built::new("threads", name);
        let out = built.explored(name, &["--detect-data-races"]);
        let reports: Vec<String> = (faulty::reports(&out).into_iter())
            .map(|report| report.text)
            .collect();
        assert!(reports.is_empty(), "{name}: {reports:?}");
    }
}

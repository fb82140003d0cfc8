//! The guard against losing speed: this build beside the counts that are kept, and what is said of a build that has
//! become slower.

use crate::{bench, said};
use plat_tests::{command, must_run, scratch};
use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output};

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Says what must be seen although the test passes, past the harness.
fn show(text: &str) {
    let mut standard_error = std::io::stderr();
    standard_error.write_all(text.as_bytes()).expect("said");
}

fn can_count() -> bool {
    let can = Command::new("valgrind").arg("--version").output().is_ok();
    if !can {
        show(
            "guard: instructions are not counted: valgrind is not installed (scripts/setup valgrind)\n",
        );
    }
    can
}

/// The guard of every change. That nothing is kept for a kind of machine (another compiler, another processor) is said
/// and is no failure.
#[test]
fn this_build_has_lost_no_speed() {
    if !can_count() {
        return;
    }
    let guard = bench().arg("guard").output().expect("run");
    show(&printed(&guard));
    let code = guard.status.code();
    assert!(matches!(code, Some(0 | 3)), "{code:?}: {}", said(&guard));
}

#[test]
fn a_loss_is_said_with_its_row() {
    if !can_count() {
        return;
    }
    let directory = scratch("guard-counts");
    let kept = directory.join("counts.json");
    let guard = |words: &[&str]| {
        let mut guard = bench();
        guard.args(["guard", "--only=tables", "--kept"]);
        guard.arg(&kept).args(words).output().expect("run")
    };
    let none = guard(&[]);
    assert_eq!(none.status.code(), Some(3), "{}", said(&none));
    assert!(printed(&none).contains("Nothing is kept for this kind of machine"));
    assert!(guard(&["--bless"]).status.success());

    // Counts of a build that took 5 % fewer.
    let text = fs::read_to_string(&kept).expect("counts");
    let mut counts: Value = serde_json::from_str(&text).expect("JSON");
    let kinds = counts.as_object().expect("kinds");
    let kind = kinds.keys().next().cloned().expect("a kind");
    let count = counts[&kind]["tables"].as_f64().expect("a count");
    counts[&kind]["tables"] = Value::from((count / 1.05) as u64);
    fs::write(&kept, counts.to_string()).expect("written");
    let lost = guard(&[]);
    assert_eq!(lost.status.code(), Some(1), "{}", printed(&lost));
    assert!(printed(&lost).contains("TOO MANY"), "{}", printed(&lost));
    for text in ["guard: tables: +", "guard --bless"] {
        assert!(said(&lost).contains(text), "{text}: {}", said(&lost));
    }
}

#[test]
fn two_builds_are_compared() {
    let directory = scratch("guard-compare");
    let slow = directory.join("slow");
    // Several times as long as the run itself, so that a run that something held up is not as slow.
    let busy = "i=0; while [ $i -lt 500000 ]; do i=$((i+1)); done";
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = link ] || {{ {busy}; }}\nexec {} \"$@\"\n",
        command().display()
    );
    fs::write(&slow, script).expect("a script");
    must_run(Command::new("chmod").arg("+x").arg(&slow));
    let compare = |old: &Path, new: &Path| {
        let mut compare = bench();
        compare.args(["compare", "--by=time", "--only=table-hash", "--runs=5"]);
        compare.arg(old).arg(new).output().expect("run")
    };
    let slower = compare(command(), &slow);
    let table = String::from_utf8_lossy(&slower.stdout).into_owned();
    assert_eq!(slower.status.code(), Some(1), "{table}{}", said(&slower));
    assert!(table.contains("TOO SLOW"), "{table}");
    let faster = compare(&slow, command());
    let table = String::from_utf8_lossy(&faster.stdout).into_owned();
    assert!(
        faster.status.success() && table.contains("faster"),
        "{table}{}",
        said(&faster)
    );
}

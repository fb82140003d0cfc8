//! What a run covers, its tests cover: the tests of a run, followed again, execute every instruction
//! that the run has executed. That holds for all live paths or few, for tests of new code only, under
//! every searcher, for paths that meet an error which another test reports, and for merged paths.

use plat::output::summary::Summary;
use plat_tests::explore::{prepared, summary_of_run};
use std::collections::BTreeSet;
use std::path::Path;

/// The instructions that a run has executed, by their lines in `assembly.ll`.
fn executed(out: &Path) -> BTreeSet<u64> {
    let text = std::fs::read_to_string(out.join("run.istats")).expect("run.istats");
    let (mut executed, mut in_call) = (BTreeSet::new(), false);
    for line in text.lines() {
        let numbers: Result<Vec<u64>, _> = line.split(' ').map(str::parse).collect();
        // instr line Q Qv Qiv I Forks Icov Iuncov Qtime; behind `calls=` it is what the callee has cost.
        if let Ok(&[at, .., covered, _, _]) = numbers.as_deref()
            && !in_call
            && covered > 0
        {
            executed.insert(at);
        }
        in_call = line.starts_with("calls=");
    }
    executed
}

/// Runs a program and follows its tests; fails if they execute less. The summary of the run.
fn all_is_tested(name: &str, program: &Path, directory: &Path, options: &[&str]) -> Summary {
    let (out, again) = (directory.join("out"), directory.join("again"));
    for old in [&out, &again] {
        let _ = std::fs::remove_dir_all(old);
    }
    let summary = summary_of_run(program, &out, options);
    summary_of_run(
        program,
        &again,
        &["--replay-ktest-dir", &out.to_string_lossy()],
    );
    let (covered, tested) = (executed(&out), executed(&again));
    assert!(covered.len() > 10, "{name}: run.istats is not understood");
    let untested: Vec<&u64> = covered.difference(&tested).collect();
    assert!(
        untested.is_empty(),
        "{name} {options:?}: lines of assembly.ll without a test: {untested:?}"
    );
    assert_eq!(summary.untested_paths, 0, "{name} {options:?}");
    summary
}

const SEARCHERS: [&str; 5] = ["dfs", "bfs", "random-path", "nurs:covnew", "random-state"];

/// More live paths than tests for them.
#[test]
fn live_paths_that_cover_something_have_tests() {
    let (directory, program) = prepared("coverage", "state_machine");
    for searcher in SEARCHERS {
        let search = format!("--search={searcher}");
        for new in [false, true] {
            let mut options = vec!["--max-instructions=15000", &search, "--max-halt-tests=1"];
            if new {
                options.push("--only-output-states-covering-new");
            }
            let summary = all_is_tested("state_machine", &program, &directory, &options);
            assert!(summary.paths.limits > 50, "{summary:?}");
            assert!(summary.tests < summary.paths.limits, "{summary:?}");
        }
    }
}

/// The cap counts the tests of paths that have covered nothing new, of all processes together.
#[test]
fn the_cap_is_an_option() {
    let (directory, program) = prepared("coverage", "state_machine");
    let tests = |most: &str, options: &[&str]| {
        let most = format!("--max-halt-tests={most}");
        let options = [&[most.as_str()], options].concat();
        let summary = all_is_tested("state_machine", &program, &directory, &options);
        (summary.tests, summary.paths.limits)
    };
    let bounded = ["--max-instructions=10000"];
    let (none, paths) = tests("0", &bounded);
    assert!(none > 0 && paths > none + 20);
    assert_eq!(tests("20", &bounded), (none + 20, paths));
    assert_eq!(tests("unlimited", &bounded), (paths, paths));
    let shared = ["--max-time=300ms", "--workers=2", "--worker-interval=0"];
    let (few, paths) = tests("3", &shared);
    // Each process has covered things first, which are few.
    assert!(few < 60 && paths > 100, "{few} of {paths}");
}

/// A path whose error another test reports has a test all the same if it has covered something, and
/// so has one whose test a better one replaces. There is one report for each error.
#[test]
fn paths_to_one_error_cover_what_they_cover() {
    let (directory, program) = prepared("coverage", "repeated_faults");
    for searcher in SEARCHERS {
        for options in [&["--only-output-states-covering-new"][..], &[]] {
            let search = format!("--search={searcher}");
            let options = [&[search.as_str()], options].concat();
            all_is_tested("repeated_faults", &program, &directory, &options);
            let files = std::fs::read_dir(directory.join("out")).expect("a directory");
            let names = files.map(|file| file.expect("one").file_name());
            let mut reports: Vec<String> = names
                .filter_map(|name| {
                    name.into_string()
                        .ok()?
                        .strip_suffix(".err")
                        .map(String::from)
                })
                .filter_map(|name| Some(name.split_once('.')?.1.to_string()))
                .collect();
            reports.sort();
            assert_eq!(reports, ["abort", "exec"], "{options:?}");
        }
    }
}

/// A test of merged paths takes the way of one.
#[test]
fn merged_paths_leave_tests_of_what_they_cover() {
    let (directory, program) = prepared("coverage", "merged");
    for searcher in ["dfs", "nurs:covnew"] {
        for new in ["false", "true"] {
            let (search, new) = (
                format!("--search={searcher}"),
                format!("--only-output-states-covering-new={new}"),
            );
            let options = ["--use-merge", &search, &new];
            let summary = all_is_tested("merged", &program, &directory, &options);
            assert!(summary.paths.merged > 0, "{summary:?}");
        }
    }
}

/// What asks not to be reported is counted.
#[test]
fn silent_paths_are_counted() {
    let (directory, program) = prepared("coverage", "silent");
    let summary = summary_of_run(&program, &directory.join("out"), &["--search=dfs"]);
    assert_eq!((summary.paths.silent, summary.untested_paths), (1, 1));
    assert_eq!(summary.tests, 1);
}

/// A side of a branch that has no code of its own is covered by a test too.
#[test]
fn sides_of_branches_are_covered() {
    let (directory, program) = prepared("coverage", "sides");
    for searcher in SEARCHERS {
        let search = format!("--search={searcher}");
        let new = "--only-output-states-covering-new";
        let summary = all_is_tested("sides", &program, &directory, &[&search, new]);
        // Eight paths; the last condition's two sides come to the same code.
        assert_eq!(summary.paths.completed, 8);
        let tests = branches_taken(&directory.join("out"));
        assert_eq!(tests.len(), 2 * 3, "{searcher}: {tests:?}");
        assert!(summary.tests < 8, "{searcher}");
    }
}

/// Which of the three bits of the input the tests of a directory have set and clear.
fn branches_taken(out: &Path) -> BTreeSet<(u8, bool)> {
    let mut taken = BTreeSet::new();
    for entry in std::fs::read_dir(out).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path
            .extension()
            .is_some_and(|extension| extension == "ktest")
        {
            let test = plat_env::Ktest::read(&path).expect("a test case");
            let byte = test.object("x").expect("the input").bytes[0];
            taken.extend((0..3).map(|bit| (bit, byte >> bit & 1 == 1)));
        }
    }
    taken
}

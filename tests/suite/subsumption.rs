//! Paths that are in the state of another one where the sides of a fork meet are put last: a run to its
//! end has the same paths as one in which they are not, and all that can be counted by brute force; a run
//! with a bound comes further.

use plat::suite::{Container, SavedTest};
use plat_tests::command;
use plat_tests::explore::{plat, plat_ok, prepared, summary, summary_of_run};
use std::collections::BTreeSet;
use std::path::Path;

/// Bytes of a name of `quoted.c`.
const LENGTH: usize = 4;

/// The names of a run's tests, in the order in which they were made.
fn names(out: &Path) -> Vec<Vec<u8>> {
    let tests = Container::open(out).expect("tests");
    let name = |test: Result<SavedTest, _>| {
        let mut inputs = test.expect("a test").inputs.into_iter();
        let name = inputs.find(|one| one.name == "name");
        name.expect("the name").bytes
    };
    tests.tests().map(name).collect()
}

/// The side of the switch of `quoted.c` that a byte takes.
fn side(byte: u8) -> u8 {
    match byte {
        b'\'' => 0,
        b'*' | b'?' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    }
}

/// What `quoted.c` decides of a name.
fn decisions(name: &[u8]) -> (Vec<u8>, bool) {
    let sides = name.iter().map(|&byte| side(byte)).collect();
    (sides, name.contains(&b'5'))
}

/// What it decides of all names of its length.
fn all_decisions() -> BTreeSet<(Vec<u8>, bool)> {
    let mut names = vec![Vec::new()];
    for _ in 0..LENGTH {
        let longer = |name: &Vec<u8>| {
            [b'\'', b'*', b'5', b'7', b'a'].map(|byte| [&name[..], &[byte]].concat())
        };
        names = names.iter().flat_map(longer).collect();
    }
    names.iter().map(|name| decisions(name)).collect()
}

/// After how many tests there are quotes at all sets of places.
fn until_all_quotes(names: &[Vec<u8>]) -> usize {
    let mut sets = BTreeSet::new();
    let complete = |name: &Vec<u8>| {
        let quotes: Vec<bool> = name.iter().map(|&byte| byte == b'\'').collect();
        sets.insert(quotes);
        sets.len() == 1 << LENGTH
    };
    1 + names.iter().position(complete).expect("all sets")
}

#[test]
fn no_path_is_lost_and_those_that_differ_come_first() {
    let (directory, program) = prepared("subsumption", "quoted");
    for seed in ["1", "2", "3"] {
        let (on, off) = (directory.join("on"), directory.join("off"));
        for old in [&on, &off] {
            let _ = std::fs::remove_dir_all(old);
        }
        let with = ["--seed", seed, "--subsume-paths"];
        let without = ["--seed", seed];
        let (first, second) = (
            summary_of_run(&program, &on, &with),
            summary_of_run(&program, &off, &without),
        );
        assert!(first.order.subsumed > 0);
        assert_eq!(second.order.subsumed, 0);
        assert_eq!(first.paths, second.paths);
        assert_eq!(first.forks, second.forks);
        let (first, second) = (names(&on), names(&off));
        let decided = |names: &[Vec<u8>]| -> BTreeSet<_> {
            names.iter().map(|name| decisions(name)).collect()
        };
        assert_eq!(decided(&first), all_decisions());
        assert_eq!(decided(&second), all_decisions());
        let (first, second) = (until_all_quotes(&first), until_all_quotes(&second));
        assert!(
            2 * first < second,
            "seed {seed}: {first} and {second} tests"
        );
    }
}

#[test]
fn a_searcher_that_does_not_ask_for_it_is_refused() {
    let (directory, program) = prepared("subsumption", "quoted");
    let (out, program) = (directory.join("out"), program.to_string_lossy());
    let out_text = out.to_string_lossy();
    let refused = |options: &[&str]| {
        let words = [
            &["run", "--subsume-paths", "--output-dir", &out_text][..],
            options,
            &[&*program],
        ];
        let output = plat(command(), &words.concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{options:?}: {said}");
        assert_eq!(said.trim().lines().count(), 1, "{options:?}: {said}");
        assert!(
            said.contains("--subsume-paths needs"),
            "{options:?}: {said}"
        );
        assert!(!out.exists());
    };
    for searcher in ["dfs", "bfs", "random-path", "nurs:covnew"] {
        refused(&["--search", searcher]);
    }
    refused(&["--target", "quote"]);
    refused(&["--use-merge"]);
}

#[test]
fn runs_that_were_stopped_go_on_to_the_same_paths() {
    let (directory, program) = prepared("subsumption", "quoted");
    let whole = summary_of_run(&program, &directory.join("whole"), &["--subsume-paths"]);
    for stop in (500..10_000).step_by(500) {
        let out = directory.join(stop.to_string());
        summary_of_run(
            &program,
            &out,
            &["--subsume-paths", "--max-instructions", &stop.to_string()],
        );
        let out_text = out.to_string_lossy();
        plat_ok(
            command(),
            &["resume", "--quiet", "--max-instructions", "0", &out_text],
        )
        .expect("it goes on");
        let resumed = summary(&out);
        assert_eq!(resumed.stop, "finished");
        assert_eq!(resumed.paths, whole.paths, "{stop}");
    }
}

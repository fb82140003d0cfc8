//! Objects that come together, apart, and in pieces while a program runs: what the relocatable-addressing
//! paper claims of its examples, and what the options `--resolve`, `--context-depth`, `--split-threshold`
//! say.

use plat::output::summary::{ResolutionForks, Summary};
use plat_tests::explore::{plat, plat_ok, prepare_with};
use plat_tests::{command, root, scratch};
use std::path::{Path, PathBuf};

fn ready(source: &str, flags: &[&str], directory: &Path) -> PathBuf {
    let flags: Vec<String> = flags.iter().map(|&flag| flag.to_owned()).collect();
    prepare_with(command(), &root().join(source), &flags, directory).expect("a program")
}

/// The summary of a run.
fn run(program: &Path, options: &[&str]) -> Summary {
    let directory = scratch("relocation-run");
    let out = directory.join("out").display().to_string();
    let program = program.display().to_string();
    let mut words = vec!["run", "--quiet", "--json", "--output-dir", &out];
    words.extend(options);
    words.push(&program);
    let output = plat_ok(command(), &words).expect("a run");
    serde_json::from_slice(&output.stdout).expect("a summary")
}

fn under(program: &Path, model: &str, options: &[&str]) -> Summary {
    run(program, &[&["--memory-model", model], options].concat())
}

/// Figure 1 of the paper: all nodes have one allocation context, and only those of the first table can
/// be meant.
#[test]
fn only_the_nodes_of_the_table_that_is_meant_come_together() {
    let directory = scratch("relocation-hashtable");
    let program = ready("benchmarks/programs/hashtable.c", &[], &directory);
    let forking = under(&program, "forking", &[]);
    let allocation = under(&program, "segmented", &["--join", "allocation"]);
    assert_eq!(allocation.memory.max_segment_bytes, 3 * 5 * 24);
    for model in ["dynamic", "auto"] {
        for depth in ["off", "0", "4"] {
            let summary = under(&program, model, &["--context-depth", depth]);
            assert_eq!(summary.memory.max_segment_bytes, 5 * 24, "{model} {depth}");
            assert_eq!(summary.memory.moved_objects, 5, "{model} {depth}");
            assert_eq!(summary.forks.resolution, 0, "{model} {depth}");
            assert!(summary.paths.total() < forking.paths.total());
        }
    }
    // By contexts: one of the five nodes, and whether there is anything else.
    let queries = |depth| {
        let summary = under(&program, "dynamic", &["--context-depth", depth]);
        summary.resolution.queries
    };
    assert!(queries("4") < queries("off"));
}

/// The paper's second optimisation: what one path has asked about a segment, another one need not ask
/// again, whatever came together on it before.
#[test]
fn paths_that_put_the_same_objects_together_share_answers() {
    let directory = scratch("relocation-siblings");
    let source = "tests/programs/relocation/siblings.c";
    let asked = |flags: &[&str]| {
        let program = ready(source, flags, &directory);
        let summary = under(&program, "dynamic", &["--solver", "bits"]);
        assert_eq!(summary.forks.resolution, 0);
        summary
    };
    let alone = asked(&[]);
    let several = asked(&["-DSIDES=4"]);
    assert!(several.paths.total() > 3 * alone.paths.total());
    assert!(
        (1..=alone.solver.backend_queries + 4).contains(&several.solver.backend_queries),
        "{} and {}",
        several.solver.backend_queries,
        alone.solver.backend_queries
    );
}

/// Words are read one after the other, by a pointer that the path condition leaves one object, though its
/// expression has all of them: nothing comes together, and nothing is asked that forking does not ask.
#[test]
fn a_pointer_that_leads_to_one_object_of_a_context_puts_nothing_together() {
    let directory = scratch("relocation-next-word");
    let source = "tests/programs/relocation/words.c";
    let program = ready(source, &["-DDECIDED"], &directory);
    let forking = under(&program, "forking", &[]);
    assert_eq!(forking.forks.resolution, 0);
    for model in ["dynamic", "auto"] {
        let summary = under(&program, model, &[]);
        assert_eq!(summary.memory.joins, 0, "{model}");
        assert_eq!(summary.paths.total(), forking.paths.total(), "{model}");
        let asked = summary.solver.backend_queries;
        assert_eq!(asked, forking.solver.backend_queries, "{model}");
    }
}

/// Words that are input come together, and each character that is read through a pointer to any of them is a
/// question to a back end: `auto` forks by word instead, at most as often as forking does.
#[test]
fn accesses_that_cost_more_than_paths_are_forked_at() {
    let directory = scratch("relocation-words");
    let program = ready("tests/programs/relocation/words.c", &[], &directory);
    let forking = under(&program, "forking", &[]);
    let dynamic = under(&program, "dynamic", &[]);
    let auto = under(&program, "auto", &[]);
    assert_eq!(dynamic.forks.resolution, 0);
    assert_eq!(auto.paths.total(), forking.paths.total());
    let forks = 1..=forking.forks.resolution;
    assert!(forks.contains(&auto.forks.resolution), "{:?}", auto.forks);
    let asked = |summary: &Summary| summary.solver.backend_queries;
    assert!(
        asked(&dynamic) > 10 * (asked(&forking) + 1) && asked(&auto) <= asked(&forking) + 3,
        "{}, {} and {}",
        asked(&forking),
        asked(&dynamic),
        asked(&auto)
    );
    let reason = "accesses to the segment have cost more than a path for each object in it";
    let choices = auto.resolution.choices.iter();
    let mut bought = choices.filter(|choice| choice.choice == "fork" && choice.reason == reason);
    assert!(bought.any(|choice| choice.file.ends_with("strcmp.c")));
    // Objects that share a segment are no pieces of one.
    let by_word = |forks: &ResolutionForks| forks.reason == "one path for each object";
    assert!(auto.forks_by_resolution.iter().all(by_word));
    // What is decided on a path does not depend on what other paths have asked.
    let shared = under(&program, "auto", &["--workers", "2"]);
    assert_eq!(
        (shared.paths.total(), shared.forks.resolution),
        (auto.paths.total(), auto.forks.resolution)
    );
}

#[test]
fn a_place_can_be_pinned() {
    let directory = scratch("relocation-pins");
    let program = ready("tests/programs/relocation/rows.c", &[], &directory);
    // Found or not; where forking cannot tell before, in each row.
    let free = under(&program, "auto", &[]);
    assert_eq!((free.paths.total(), free.forks.resolution), (2, 0));
    let [choice] = &free.resolution.choices[..] else {
        panic!("{:?}", free.resolution.choices);
    };
    assert_eq!((choice.choice.as_str(), choice.line), ("merge", 15));
    assert!(choice.file.ends_with("rows.c") && choice.count == 1);
    assert_eq!((choice.max_alternatives, choice.max_bytes), (8, 8 * 32));

    let pinned = |way: &str| {
        under(
            &program,
            "auto",
            &["--resolve", &format!("rows.c:15={way}")],
        )
    };
    let fork = pinned("fork");
    assert_eq!((fork.forks.resolution, fork.paths.total()), (7, 9));
    assert_eq!(fork.resolution.choices[0].reason, "--resolve says so");
    assert_eq!(fork.memory.max_segment_bytes, 0);
    let value = pinned("value");
    assert_eq!(value.forks.resolution, 63);
    assert_eq!(pinned("merge").paths.total(), 2);
    // Four pieces of the array of rows, with two rows each, of two pieces each.
    let split = [
        "--resolve",
        "rows.c:15=split",
        "--split-threshold",
        "16",
        "--partition-size",
        "16",
    ];
    assert_eq!(under(&program, "auto", &split).forks.resolution, 15);
}

#[test]
fn a_wrong_pin_is_told_in_a_line() {
    let directory = scratch("relocation-wrong-pins");
    let program = ready("tests/programs/relocation/rows.c", &[], &directory);
    let program = program.display().to_string();
    let out = directory.join("wrong").display().to_string();
    let says = |options: &[&str]| {
        let words = [&["run", "--output-dir", &out], options, &[&program[..]]].concat();
        let output = plat(command(), &words);
        assert!(!output.status.success(), "{options:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let auto = ["--memory-model", "auto", "--resolve"];
    let place = says(&[&auto[..], &["rows.c:1=merge"]].concat());
    assert!(
        place.contains("no access to memory has this place"),
        "{place}"
    );
    let way = says(&[&auto[..], &["rows.c:15=join"]].concat());
    assert!(way.contains("known are fork, merge, split, value"), "{way}");
    let model = says(&["--memory-model", "forking", "--resolve", "rows.c:15=merge"]);
    assert!(
        model.contains("--resolve needs --memory-model auto"),
        "{model}"
    );
}

#[test]
fn large_objects_are_followed_piece_by_piece() {
    let directory = scratch("relocation-pieces");
    let program = ready("tests/programs/relocation/array.c", &[], &directory);
    for model in ["forking", "segmented", "dynamic", "auto"] {
        let whole = under(&program, model, &[]);
        assert_eq!(whole.forks.resolution, 0, "{model}");
        for (size, pieces) in [("512", 1), ("256", 2), ("128", 4), ("100", 6), ("32", 16)] {
            let options = ["--split-threshold", "300", "--partition-size", size];
            let split = under(&program, model, &options);
            // The index is bounded by the first access: the others stay in its piece.
            assert_eq!(split.forks.resolution, pieces - 1, "{model} {size}");
            assert_eq!(split.paths.faults, 0);
        }
        let small = under(&program, model, &["--split-threshold", "512"]);
        assert_eq!(small.forks.resolution, 0);
    }
}

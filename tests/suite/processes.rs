//! Processes: the programs of `tests/programs/processes` do what they do natively: without input on
//! their only path, with input test by test (`plat replay`). Faults are where they are marked, and
//! nowhere else. See [`plat_tests::faulty`] for the marks.

use plat_memory::model;
use plat_tests::beside::{Built, outputs, summary};
use plat_tests::must_run;
use std::process::Command;

const WAYS: &[(&str, &[&str])] = &[
    ("slow", &["--no-fast-paths"]),
    ("collect", &["--collect", "always"]),
    ("loops", &["--detect-infinite-loops", "--check-leaks"]),
    ("uninitialised", &["--check-uninitialised"]),
    ("small", &["--batch-instructions", "7"]),
];

/// A program without input writes on its only path what it writes natively, in every memory model.
fn check_output(name: &str) {
    let built = Built::new("processes", name);
    let native = Command::new(&built.native)
        .current_dir(&*built.directory)
        .output()
        .expect("a native run");
    let written = String::from_utf8_lossy(&native.stdout).into_owned();
    let models: Vec<[&str; 2]> = (model::ALL.iter())
        .map(|model| ["--memory-model", model.name])
        .collect();
    let models = models.iter().map(|options| (options[1], &options[..]));
    for (way, options) in models.chain(WAYS.iter().copied()) {
        let out = built.explored(way, options);
        let summary = summary(&out);
        assert_eq!(summary["paths"]["completed"], 1, "{name}, {way}");
        let text = std::fs::read_to_string(out.join("test000001.out")).expect("output");
        assert_eq!(text, written, "{name}, {way}");
        let unsupported = summary["unsupported"].as_object().expect("a table");
        assert!(unsupported.is_empty(), "{name}, {way}: {unsupported:?}");
    }
}

#[test]
fn processes_end_and_are_waited_for() {
    check_output("family");
}

#[test]
fn processes_talk_over_pipes() {
    check_output("pipes");
}

#[test]
fn processes_wait_for_signals() {
    check_output("signals");
}

#[test]
fn descriptors_count_expire_and_receive_signals() {
    check_output("event_descriptors");
}

#[test]
fn processes_share_memory() {
    check_output("shared");
}

#[test]
fn processes_share_segments_of_memory() {
    check_output("segments");
}

#[test]
fn processes_and_threads_share_semaphores() {
    check_output("semaphores");
}

#[test]
fn processes_send_messages_through_queues() {
    check_output("messages");
}

#[test]
fn operations_on_objects_do_what_the_kernel_does() {
    check_output("random_objects");
}

/// A program with input: its faults, its tests natively, and the same paths in other ways, but for those
/// that are skipped.
fn check_input(name: &str, skipped: &str) {
    let built = Built::new("processes", name);
    let out = built.explored("out", &[]);
    built.check_faults(&out, name);
    built.check_natively(&out);
    let others: &[(&str, &[&str])] = &[
        ("flat", &["--memory-model", "flat"]),
        ("workers", &["--workers", "2", "--worker-interval", "0"]),
    ];
    let ways = WAYS.iter().chain(others).copied();
    built.check_ways(&out, ways.filter(|way| !skipped.contains(way.0)));
}

#[test]
fn processes_run_as_whom_they_become() {
    check_output("users");
}

#[test]
fn input_that_decides_what_processes_do() {
    check_input("symbolic", "loops");
}

#[test]
fn input_goes_through_objects_of_system_v() {
    check_input("objects", "loops");
}

#[test]
fn faults_in_children_and_children_that_stay() {
    check_input("child", "loops");
}

/// Every value of the input, natively: what is written, and how the program ends, is what some path does.
#[test]
fn all_inputs_natively() {
    let built = Built::new("processes", "symbolic");
    let out = built.explored("out", &[]);
    let paths = outputs(&out);
    for first in *b"wsnx" {
        for second in 1..=127u8 {
            let argument = [first, second];
            let argument = std::str::from_utf8(&argument).expect("text");
            let native = Command::new(&built.native).arg(argument).output();
            let native = native.expect("a native run");
            assert!(paths.contains(&native.stdout), "{argument:?}: {native:?}");
            if native.status.code().is_none() {
                let bug = matches!((first, second), (b'w', 0x70) | (b's', b'x'));
                assert!(bug, "{argument:?}: {native:?}");
            }
        }
    }
}

#[test]
fn commands_have_the_results_that_the_user_chooses() {
    // musl's popen passes an int to a function that takes a long.
    check_input("commands", "loops uninitialised");
    let built = Built::new("processes", "commands");
    let out = built.explored_on("fixed", &["--system-result", "3"], &[]);
    let summary = summary(&out);
    assert_eq!(summary["paths"]["completed"], 1);
    assert_eq!(summary["external"]["commands"], 4);
    let said = std::fs::read_to_string(out.join("test000001.out")).expect("output");
    assert_eq!(
        said,
        "a shell: 1\na mistake\nit says nothing\nwithout a name: 2\n-1 2\n-1 2\nodd\n"
    );
    built.check_natively(&out);
}

#[test]
fn commands_print_what_the_user_chooses() {
    check_input("output", "loops uninitialised");
    let built = Built::new("processes", "output");
    let template = built.directory.join("printed");
    for (name, text, paths) in [("fixed", "77", 1), ("template", "7?", 2)] {
        std::fs::write(&template, text).expect("a template");
        let file = template.to_string_lossy();
        let out = built.explored_on(name, &["--command-output", &file], &[]);
        let summary = summary(&out);
        assert_eq!(summary["paths"]["completed"], paths, "{text}");
        built.check_natively(&out);
    }
    let out = built.explored_on(
        "status",
        &["--command-output", "1", "--system-result", "4"],
        &[],
    );
    let said = std::fs::read_to_string(out.join("test000001.out")).expect("output");
    assert!(said.starts_with("1, status 1024\n"), "{said}");
    built.check_natively(&out);
}

/// Another program is not run: the path ends there, and says so.
#[test]
fn another_program_ends_the_path() {
    let built = Built::new("processes", "exec");
    let out = built.explored("out", &[]);
    let summary = summary(&out);
    assert_eq!(summary["paths"]["unsupported"], 1);
    let unsupported = summary["unsupported"].to_string();
    assert!(
        unsupported.contains("execve: another program"),
        "{unsupported}"
    );
    must_run(&mut Command::new(&built.native));
}

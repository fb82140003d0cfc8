//! Generated tests replay natively to what their paths did, and a difference is found.

use plat_tests::explore::{plat, plat_ok};
use plat_tests::{command, compile_bitcode, must_run, root, scratch};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Explores a program of the corpus and builds it natively; the run directory and the executable.
fn explored(name: &str, directory: &Path, options: &[&str]) -> (PathBuf, PathBuf) {
    let source = root().join(format!("tests/programs/{name}.c"));
    let stem = source.file_stem().expect("a name").to_string_lossy();
    let file = |suffix: &str| directory.join(format!("{stem}.{suffix}"));
    let runtime = root().join("transform/runtime");
    compile_bitcode(&source, &file("bc"));
    must_run(
        Command::new("cc")
            .args(["-g", "-w", "-fno-builtin", "-I"])
            .arg(runtime.join("include"))
            .args([&source, &runtime.join("native/replay.c")])
            .arg("-o")
            .arg(file("native")),
    );
    let (out, program) = (file("out"), file("bc"));
    let (out_text, program) = (out.to_string_lossy(), program.to_string_lossy());
    let mut words = vec!["explore", "--quiet", "--output-dir", &out_text, &program];
    words.extend(options);
    plat_ok(command(), &words).expect("an exploration");
    (out, file("native"))
}

fn replay(out: &Path, native: &Path) -> (Option<i32>, String) {
    let (out, native) = (out.to_string_lossy(), native.to_string_lossy());
    let output = plat(command(), &["replay", &out, "--", &native]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (
        output.status.code(),
        text + &String::from_utf8_lossy(&output.stderr),
    )
}

#[test]
fn tests_replay_to_the_same_output() {
    let directory = scratch("replay");
    let programs: &[(&str, &[&str])] = &[
        ("agree/matrix_rows", &[]),
        ("agree/hash_table", &[]),
        ("agree/assertion", &[]),
        ("agree/stdin_parser", &["--sym-stdin", "3"]),
        ("replay/flushing", &["--emit-all-errors"]),
        ("agree/option_args", &["--sym-arg", "2", "--sym-arg", "1"]),
    ];
    for (name, options) in programs {
        let (out, native) = explored(name, &directory, options);
        let (code, text) = replay(&out, &native);
        assert_eq!(code, Some(0), "{name}:\n{text}");
        assert!(
            text.contains(" 0 differ, 0 not compared"),
            "{name}:\n{text}"
        );
    }
}

#[test]
fn a_difference_is_found() {
    let directory = scratch("replay-difference");
    let (out, native) = explored("agree/matrix_rows", &directory, &[]);
    let output = out.join("test000001.out");
    std::fs::write(&output, "something else\n").expect("a file");
    let (code, text) = replay(&out, &native);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("DIFFERS: the output, from byte 0"), "{text}");
}

/// Where paths did not have what the machine has, a difference comes with its name.
#[test]
fn a_difference_may_come_from_what_paths_did_not_have() {
    let directory = scratch("replay-shell");
    let argument = ["--sym-arg", "1"];
    let (out, native) = explored("replay/shell", &directory, &argument);
    let (code, text) = replay(&out, &native);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("DIFFERS: the exit code"), "{text}");
    let (_, said) = text.split_once("differences may come from").expect(&text);
    assert!(said.contains("system: clone (warnings.txt)"), "{text}");

    let with = [&["--system-result", "0"], &argument[..]].concat();
    let again = directory.join("again");
    std::fs::create_dir(&again).expect("a directory");
    let (out, _) = explored("replay/shell", &again, &with);
    let (code, text) = replay(&out, &native);
    assert_eq!(code, Some(0), "{text}");
    assert!(!text.contains("differences may come from"), "{text}");
}

/// A program that prints the time of day, and when its file was made: native runs begin when paths did.
#[test]
fn runs_begin_when_their_paths_did() {
    let directory = scratch("replay-clock");
    let files = ["--sym-files", "1", "1"];
    let (out, native) = explored("replay/clock", &directory, &files);
    let (code, text) = replay(&out, &native);
    assert!(text.contains(" 0 differ, 0 not compared"), "{text}");
    assert_eq!(code, Some(0));

    let words = |path: &Path| path.to_string_lossy().into_owned();
    let (program, native) = (words(&directory.join("clock.bc")), words(&native));
    let later = words(&directory.join("later"));
    let start = ["--start-time", "86400"];
    let explore = ["explore", "--quiet", "--output-dir", &later];
    plat_ok(
        command(),
        &[&explore[..], &start, &[&program], &files].concat(),
    )
    .expect("a run");
    for (given, code) in [(&start[..], 0), (&[], 1)] {
        let line = [&["replay", &later], given, &["--", &native]].concat();
        let output = plat(command(), &line);
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(code), "{given:?}: {text}");
    }
}

/// Paths list directories in order. Native runs are told them in the same one, by whatever way they ask.
#[test]
fn runs_list_directories_as_their_paths_did() {
    let directory = scratch("replay-listing");
    let (out, native) = explored("replay/listing", &directory, &["--sym-arg", "1"]);
    let (code, text) = replay(&out, &native);
    assert!(
        text.contains("2 tests: 2 same, 0 differ, 0 not compared"),
        "{text}"
    );
    assert_eq!(code, Some(0));
}

/// Native runs draw the random bytes that their paths drew.
#[test]
fn runs_draw_what_their_paths_drew() {
    let directory = scratch("replay-random");
    let (out, native) = explored("replay/random", &directory, &["--sym-arg", "1"]);
    let (code, text) = replay(&out, &native);
    assert!(
        text.contains("2 tests: 2 same, 0 differ, 0 not compared"),
        "{text}"
    );
    assert_eq!(code, Some(0));
}

/// Native runs have the limits that their paths were told.
#[test]
fn runs_have_the_limits_of_their_paths() {
    let directory = scratch("replay-limits");
    let (out, native) = explored("replay/limits", &directory, &["--sym-arg", "1"]);
    let (code, text) = replay(&out, &native);
    assert!(
        text.contains("2 tests: 2 same, 0 differ, 0 not compared"),
        "{text}"
    );
    assert_eq!(code, Some(0));
}

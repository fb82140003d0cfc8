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

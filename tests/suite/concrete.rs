//! Programs without symbolic input behave in plat as they do natively: output and exit code.

use plat_tests::{command, must_run, program, scratch};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Arguments and standard input of every program here.
const ARGS: &[&str] = &["one", "two words", "--three"];
const INPUT: &str = "first line\nsecond line\nno newline at the end";

fn run_with_input(command: &mut Command, directory: &Path) -> Output {
    let input = directory.join("input");
    std::fs::write(&input, INPUT).expect("an input file");
    let input = std::fs::File::open(&input).expect("the input file");
    command
        .stdin(input)
        .stdout(Stdio::piped())
        .output()
        .expect("a run")
}

#[test]
fn concrete_runs_equal_native_runs() {
    let directory = scratch("concrete");
    let mut wrong = Vec::new();
    let programs = program::all("concrete");
    assert!(programs.len() >= 7);
    for program in &programs {
        let (name, source) = (program.stem(), &program.source);
        let native = directory.join(format!("{name}.native"));
        let cpp = source.extension().is_some_and(|end| end == "cpp");
        must_run(
            Command::new(if cpp { "clang++-22" } else { "cc" })
                .args(["-O1", "-w"])
                .arg(source)
                .arg("-o")
                .arg(&native)
                .arg("-lm"),
        );
        let expected = run_with_input(
            Command::new(&native)
                .args(ARGS)
                .env_clear()
                .env("LC_ALL", "C")
                .current_dir(&directory),
            &directory,
        );
        let bitcode = directory.join(format!("{name}.bc"));
        plat_tests::compile_bitcode(source, &bitcode);
        let got = run_with_input(
            Command::new(command())
                .args([
                    "explore",
                    "--quiet",
                    "--exit-code",
                    "--check-points-to",
                    "--output-dir",
                ])
                .arg(directory.join(format!("{name}.out")))
                .arg(&bitcode)
                .args(ARGS)
                .current_dir(&directory),
            &directory,
        );
        if got.stdout != expected.stdout || got.status.code() != expected.status.code() {
            wrong.push(format!(
                "{name}: natively {:?}\n{}\nin plat {:?}\n{}\n{}",
                expected.status.code(),
                String::from_utf8_lossy(&expected.stdout),
                got.status.code(),
                String::from_utf8_lossy(&got.stdout),
                String::from_utf8_lossy(&got.stderr),
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

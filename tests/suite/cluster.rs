//! `plat-ray`: its scheduler, its directories, its files of programs; and on a cluster of two nodes,
//! each a `ray start` of its own, of which one is lost, where `make test` could install Ray.

use plat_tests::{command, compile_bitcode, root, scratch};
use std::path::Path;
use std::process::Command;

/// Runs a module of plat-ray's tests, and says how many have passed.
fn passed(python: &Path, module: &str, environment: &[(&str, &Path)]) -> usize {
    let mut run = Command::new(python);
    run.args(["-m", "unittest", module])
        .current_dir(root().join("driver/ray"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .envs(environment.iter().copied());
    let output = run.output().expect("a run");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("skipped"), "{said}");
    let (_, ran) = said.rsplit_once("Ran ").expect("a count");
    let count = ran.split(' ').next().and_then(|count| count.parse().ok());
    count.expect("a count")
}

#[test]
fn its_parts_do_what_they_should() {
    let import = Command::new("python3")
        .args(["-c", "import tomllib"])
        .output();
    if !import.is_ok_and(|done| done.status.success()) {
        eprintln!("not run: there is no Python 3.11");
        return;
    }
    assert_eq!(passed(Path::new("python3"), "tests.test_parts", &[]), 32);
}

#[test]
fn on_a_cluster_the_tests_are_those_of_one_process() {
    let plat = command();
    // target/release/plat: `make ray` installs beside the folder.
    let target = plat.parent().and_then(Path::parent).expect("a folder");
    let python = target.join("ray/bin/python");
    if !target.join("ray/installed").is_file() {
        eprintln!("not run: Ray is not installed: `make ray` does that");
        return;
    }
    let directory = scratch("cluster");
    let [program, endless] = ["paths", "endless"].map(|name| {
        let bitcode = directory.join(format!("{name}.bc"));
        let source = format!("driver/ray/tests/{name}.c");
        compile_bitcode(&root().join(source), &bitcode);
        bitcode
    });
    let environment = [
        ("PLAT", plat),
        ("PROGRAM", &*program),
        ("ENDLESS", &*endless),
    ];
    assert_eq!(passed(&python, "tests.test_cluster", &environment), 8);
}

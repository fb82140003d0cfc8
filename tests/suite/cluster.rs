//! `plat-ray`: its own tests, with a cluster of two nodes. They need Ray, which `make ray` installs into
//! a virtual environment beside the build.

use plat_tests::{command, compile_bitcode, root, scratch};
use std::path::PathBuf;
use std::process::Command;

/// The Python that has Ray, if it was installed.
fn python() -> Option<PathBuf> {
    let target = command().parent()?.parent()?;
    let python = target.join("ray/bin/python");
    python.exists().then_some(python)
}

#[test]
fn on_a_cluster_tests_are_those_of_one_process() {
    let Some(python) = python() else {
        eprintln!(
            "not run: there is no Ray in target/ray; `make ray` installs it (it needs Python 3.9 and python3-venv)"
        );
        return;
    };
    let directory = scratch("cluster");
    let package = root().join("driver/ray");
    let program = directory.join("paths.bc");
    compile_bitcode(&package.join("tests/paths.c"), &program);
    let output = Command::new(python)
        .args(["-m", "unittest", "-v"])
        .args(["tests.test_parts", "tests.test_cluster"])
        .current_dir(&package)
        .env("PLAT", command())
        .env("PROGRAM", program)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("a run");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("skipped"), "{said}");
}

//! `plat-ray` without a cluster: its scheduler, its directories, its files of programs. `make test-ray`
//! runs it on a cluster of two nodes.

use plat_tests::root;
use std::process::Command;

/// Whether there is a Python that reads TOML.
fn has_python() -> bool {
    let import = Command::new("python3")
        .args(["-c", "import tomllib"])
        .output();
    import.is_ok_and(|done| done.status.success())
}

#[test]
fn its_parts_do_what_they_should() {
    if !has_python() {
        eprintln!("not run: there is no Python 3.11");
        return;
    }
    let output = Command::new("python3")
        .args(["-m", "unittest", "tests.test_parts"])
        .current_dir(root().join("driver/ray"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("a run");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("Ran 10 tests"), "{said}");
}

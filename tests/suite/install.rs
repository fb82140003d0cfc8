//! `make install`: the installed command finds its library without any environment, its manual
//! pages and completions are there, and `make uninstall` leaves nothing.

use plat_tests::{command, compile_bitcode, must_run, root, scratch};
use std::path::{Path, PathBuf};
use std::process::Command;

fn make(target: &str, directory: &Path) {
    let plat = command();
    let built = plat.ancestors().nth(2).expect("the target directory");
    let mut make = Command::new("make");
    for variable in ["MAKEFLAGS", "MFLAGS", "MAKELEVEL", "PLAT"] {
        make.env_remove(variable);
    }
    make.current_dir(root())
        .env("CARGO_TARGET_DIR", built)
        .args(["--no-print-directory", "--silent", target, "PREFIX=/usr"])
        .arg(format!("DESTDIR={}", directory.display()));
    must_run(&mut make);
}

/// Every file below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let mut pending = vec![directory.to_path_buf()];
    let mut files = Vec::new();
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => pending.push(path),
                false => files.push(path),
            }
        }
    }
    files
}

#[test]
fn what_is_installed_works_and_can_be_removed() {
    let directory = scratch("install");
    make("manuals", &directory);
    make("install", &directory);
    let usr = directory.join("usr");
    for name in [
        "share/man/man1/plat.1",
        "share/man/man1/plat-explore.1",
        "share/bash-completion/completions/plat",
        "share/zsh/site-functions/_plat",
        "share/fish/vendor_completions.d/plat.fish",
        "share/plat/plat.mk",
        "lib/plat/libc/harness/klee/klee.h",
        "lib/plat/libc/libc++.LICENSE",
    ] {
        let text = std::fs::read_to_string(usr.join(name)).expect(name);
        assert!(!text.is_empty(), "{name}");
        // What plat starts by itself is nothing to complete.
        assert!(!text.contains("external-helper"), "{name}");
    }
    for name in ["libplatSockets.so", "libplatClock.so"] {
        assert!(usr.join("lib/plat/libc").join(name).is_file(), "{name}");
    }
    let bitcode = directory.join("p.bc");
    compile_bitcode(&root().join("tests/programs/agree/number_arg.c"), &bitcode);
    let output = must_run(
        Command::new(usr.join("bin/plat"))
            .env_clear()
            .current_dir(&directory)
            .args(["explore", "--output-dir", "out", "p.bc", "--sym-arg", "1"]),
    );
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("plat: done: generated tests = "), "{said}");
    assert!(directory.join("out/test000001.ktest").is_file());
    make("uninstall", &directory);
    assert_eq!(files(&usr), Vec::<PathBuf>::new());
}

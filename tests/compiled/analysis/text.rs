//! The text of a program says all of it: parsed again, it is the same program. Checked on every C
//! program of the tests, compiled by two levels.

use plat_compiled_tests::{compile, scratch};
use plat_program::{Program, parse};
use std::path::{Path, PathBuf};

/// All C files below a directory.
fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "c") {
            found.push(path);
        }
    }
}

fn comes_back(program: &Program, name: &str) {
    let text = program.to_string();
    let parsed = parse(text.as_bytes()).unwrap_or_else(|why| {
        let line = text.lines().nth(why.line - 1).unwrap_or_default();
        panic!("{name}: {why}\n{line}")
    });
    assert!(parsed == program.renumbered(), "{name}: another program");
    assert!(parsed.to_string() == text, "{name}: another text");
}

#[test]
fn every_program_comes_back_from_its_text() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut programs = Vec::new();
    for folder in ["programs", "pointers", "compiled/programs"] {
        sources(&tests.join(folder), &mut programs);
    }
    programs.sort();
    assert!(programs.len() > 250, "{} programs", programs.len());
    let directory = scratch("text");
    let bitcode = directory.join("program.bc");
    for source in programs {
        for level in ["-O0", "-O2"] {
            let flags = ["-g", "-c", "-emit-llvm", "-w", "-DTEST=0", level];
            compile(&flags, &source, &bitcode);
            let program = plat_bitcode::read(&bitcode).expect("clang's bitcode is readable");
            comes_back(&program, &source.display().to_string());
        }
    }
}

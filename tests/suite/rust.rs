//! Rust programs, compiled by the compiler that is installed: without the standard library, and
//! with it, merged into one module.

use plat_tests::explore::plat_ok;
use plat_tests::{command, faulty, must_run, root, scratch};
use std::path::{Path, PathBuf};
use std::process::Command;

fn rustc(name: &str) -> Command {
    let mut command = Command::new(std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into()));
    command
        .args(["--edition", "2021", "-A", "warnings", "-C", "opt-level=1"])
        .arg(root().join("tests/programs/rust").join(name));
    command
}

/// Whether the compiler's LLVM is one whose bitcode can be read; if not, plat must say so.
fn readable(bitcode: &Path, directory: &Path) -> bool {
    let linked = directory.join("linked.bc");
    let output = Command::new(command())
        .arg("link")
        .arg(bitcode)
        .arg("-o")
        .arg(&linked)
        .output()
        .expect("a run");
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        assert!(said.contains("made by a newer LLVM"), "{said}");
    }
    output.status.success()
}

/// The bitcode of a program that needs no library, if it can be read.
fn without_library(name: &str, directory: &Path) -> Option<PathBuf> {
    let bitcode = directory.join(name).with_extension("bc");
    must_run(
        rustc(&format!("{name}.rs"))
            .args(["-C", "panic=abort", "-g", "--emit=llvm-bc", "-o"])
            .arg(&bitcode),
    );
    readable(&bitcode, directory).then_some(bitcode)
}

fn explore(bitcode: &Path, out: &Path) -> String {
    let (bitcode, out_text) = (bitcode.to_string_lossy(), out.to_string_lossy());
    let args = ["explore", "--quiet", "--memory-model", "flat"];
    let rest = ["--output-dir", &out_text, &bitcode];
    plat_ok(command(), &[&args[..], &rest].concat()).expect("an exploration");
    let output = std::fs::read(out.join("test000001.out")).expect("an output");
    String::from_utf8_lossy(&output).into_owned()
}

#[test]
fn a_program_without_the_library_runs() {
    let directory = scratch("rust-core");
    let Some(bitcode) = without_library("bounds", &directory) else {
        return;
    };
    let out = directory.join("out");
    explore(&bitcode, &out);
    let mut messages: Vec<String> = faulty::reports(&out)
        .into_iter()
        .map(|report| report.message)
        .collect();
    messages.sort();
    assert_eq!(
        messages,
        ["abort failure", "memory error: out of bound pointer"]
    );
}

#[test]
fn panics_of_the_core_library_are_faults() {
    let directory = scratch("rust-panics");
    let Some(bitcode) = without_library("panics", &directory) else {
        return;
    };
    let (out, text) = (directory.join("out"), bitcode.to_string_lossy());
    let place = out.to_string_lossy();
    let args = ["explore", "--quiet", "--output-dir", &place, &text];
    plat_ok(command(), &args).expect("an exploration");
    let reports = faulty::reports(&out);
    let mut messages: Vec<&str> = reports.iter().map(|one| one.message.as_str()).collect();
    messages.sort();
    assert_eq!(
        messages,
        [
            "panic: core::option::unwrap_failed",
            "panic: core::panicking::panic_bounds_check"
        ]
    );
    let lines: Vec<u32> = reports.iter().map(|one| one.line).collect();
    assert_eq!(lines.len(), 2);
    assert!(lines.contains(&22) && lines.contains(&25), "{reports:#?}");
}

/// Compiles a program together with the standard library; the bitcode of all of it.
fn with_library(name: &str, flags: &[&str], directory: &Path) -> PathBuf {
    must_run(
        rustc(&format!("{name}.rs"))
            .args(["-C", "lto=fat", "-C", "codegen-units=1", "-C", "save-temps"])
            .args(flags)
            .args(["--emit=link", "--out-dir"])
            .arg(directory),
    );
    let entries = std::fs::read_dir(directory).expect("the directory");
    let mut modules = entries.map(|entry| entry.expect("an entry").path());
    modules
        .find(|path| path.to_string_lossy().ends_with("-cgu.0.rcgu.bc"))
        .expect("the module behind link-time optimisation")
}

/// The intrinsics of the harness, natively.
fn harness(directory: &Path) -> PathBuf {
    let runtime = root().join("transform/runtime");
    let object = directory.join("replay.o");
    let clang = std::env::var("CLANG").unwrap_or_else(|_| "clang-22".into());
    must_run(
        Command::new(clang)
            .args(["-O1", "-fPIC", "-c", "-I"])
            .arg(runtime.join("include"))
            .arg(runtime.join("native/replay.c"))
            .arg("-o")
            .arg(&object),
    );
    object
}

/// Every panic is a fault of its own at the user's line, with or without debug information, whether
/// panics abort or unwind; natively each test panics there.
#[test]
fn panics_are_told_apart_by_the_lines_of_the_program() {
    let text = std::fs::read_to_string(root().join("tests/programs/rust/faults.rs"));
    let expected = faulty::expected_in(&text.expect("the source"));
    let variants = [("abort", "debuginfo=0"), ("unwind", "debuginfo=2")];
    for (panic, debug) in variants {
        let directory = scratch(&format!("rust-faults-{panic}"));
        let object = format!("link-arg={}", harness(&directory).display());
        let panic = format!("panic={panic}");
        let flags = [
            "-C",
            &panic,
            "-C",
            debug,
            "-C",
            &object,
            "-C",
            "overflow-checks=on",
        ];
        let whole = with_library("faults", &flags, &directory);
        if !readable(&whole, &directory) {
            return;
        }
        let out = directory.join("out");
        let (out_text, whole) = (out.to_string_lossy(), whole.to_string_lossy());
        let args = ["explore", "--quiet", "--output-dir", &out_text, &whole];
        plat_ok(command(), &args).expect("an exploration");
        let reports = faulty::reports(&out);
        for one in &expected {
            let found = reports.iter().filter(|report| report.is(one)).count();
            assert_eq!(found, 1, "{one:?} with {flags:?}: {reports:#?}");
        }
        assert_eq!(reports.len(), expected.len(), "{reports:#?}");
        for report in reports {
            let native = Command::new(directory.join("faults"))
                .env("KTEST_FILE", out.join(format!("{}.ktest", report.test)))
                .output()
                .expect("a native run");
            let said = String::from_utf8_lossy(&native.stderr);
            let place = format!("{}:{}:", report.file, report.line);
            assert!(!native.status.success() && said.contains(&place), "{said}");
        }
    }
}

#[test]
fn a_program_with_the_library_runs_as_natively() {
    let directory = scratch("rust-std");
    let whole = with_library("library", &["-C", "debuginfo=0"], &directory);
    if !readable(&whole, &directory) {
        return;
    }
    let native = Command::new(directory.join("library"))
        .output()
        .expect("a native run");
    let native = String::from_utf8_lossy(&native.stdout).into_owned();
    assert!(native.ends_with("true\n"), "{native}");
    let out = directory.join("out");
    assert_eq!(explore(&whole, &out), native);
}

//! The corpus `tests/programs/faults`: programs that do wrong things, one for each value of their
//! inputs, next to near misses that are right. The faults are written at the lines where they are
//! to be reported, and nothing else may be:
//!
//! ```c
//! /* What it exercises.
//!  * flags: -fsanitize=undefined     further flags for the compiler
//!  * options: --check-leaks          further options for plat
//!  * native: memory                  the sanitizers that confirm its faults (default: address
//!  *                                 and undefined; memory; leaks; allocations of more than
//!  *                                 2 MiB; descriptors left open; plain is none) */
//! p[16] = 1; //~ ptr: memory error: out of bound pointer | 1 bytes at offset 16 | heap object
//! p[99] = 1; //~? ptr: memory error: out of bound pointer
//! ```
//!
//! After the suffix of the `.err` file and the message come parts of the further lines of the
//! report. `~?` is a fault that no sanitizer sees.

use crate::program::{self, Program};
use crate::{must_run, root};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fault that a program has.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Expected {
    /// The line that is blamed.
    pub line: u32,
    /// The suffix of its report.
    pub suffix: String,
    /// The first line of its report.
    pub message: String,
    /// What its report contains besides.
    pub parts: Vec<String>,
    /// Whether a sanitizer sees it.
    pub confirmed: bool,
}

/// One program.
#[derive(Clone, Debug)]
pub struct Case {
    /// The file's name.
    pub name: String,
    /// The source.
    pub source: PathBuf,
    /// Flags for the compiler.
    pub flags: Vec<String>,
    /// Options for plat.
    pub options: Vec<String>,
    /// What confirms its faults natively.
    pub native: String,
    /// Its faults, by line.
    pub faults: Vec<Expected>,
}

/// A fault as it was reported.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Report {
    /// The number of its test.
    pub test: String,
    /// The source file that is blamed.
    pub file: String,
    /// The line that is blamed; 0 if unknown.
    pub line: u32,
    /// The suffix of the report.
    pub suffix: String,
    /// Its first line.
    pub message: String,
    /// All of it.
    pub text: String,
}

impl Report {
    /// Whether it says what is expected.
    pub fn is(&self, expected: &Expected) -> bool {
        (self.line, &self.suffix, &self.message)
            == (expected.line, &expected.suffix, &expected.message)
            && expected.parts.iter().all(|part| self.text.contains(part))
    }
}

/// All programs, by name.
pub fn all() -> Vec<Case> {
    program::all("faults").into_iter().map(read).collect()
}

/// The faults that a source expects.
pub fn expected_in(text: &str) -> Vec<Expected> {
    let lines = text.lines().enumerate();
    lines
        .flat_map(|(at, line)| expectations(at as u32 + 1, line))
        .collect()
}

fn read(program: Program) -> Case {
    let words = |key: &str| program.words(key).map(str::to_string).collect();
    Case {
        flags: words("flags"),
        options: words("options"),
        native: program.entry("native").to_string(),
        faults: expected_in(&program.text),
        name: program.file,
        source: program.source,
    }
}

fn expectations(line: u32, text: &str) -> Vec<Expected> {
    let marks = text.split("//~").skip(1);
    marks
        .map(|mark| {
            let confirmed = !mark.starts_with('?');
            let mut parts = mark.trim_start_matches('?').trim().split(" | ");
            let fault = parts.next().unwrap_or_default();
            let (suffix, message) = fault.split_once(": ").expect("a suffix and a message");
            Expected {
                line,
                suffix: suffix.to_string(),
                message: message.to_string(),
                parts: parts.map(str::to_string).collect(),
                confirmed,
            }
        })
        .collect()
}

/// The reports in a run directory.
pub fn reports(out: &Path) -> Vec<Report> {
    let entries = std::fs::read_dir(out).expect("a run directory");
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        let Some((test, suffix)) = name
            .strip_suffix(".err")
            .and_then(|name| name.split_once('.'))
        else {
            continue;
        };
        let text = std::fs::read(&path).expect("a report");
        let text = String::from_utf8_lossy(&text).into_owned();
        let field = |key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(key));
            line.unwrap_or_default().to_string()
        };
        found.push(Report {
            test: test.to_string(),
            file: field("File: "),
            line: field("Line: ").parse().unwrap_or(0),
            suffix: suffix.to_string(),
            message: field("Error: "),
            text,
        });
    }
    found.sort();
    found
}

/// What a program does natively with a test case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Native {
    /// Whether a sanitizer or a signal ended it.
    pub failed: bool,
    /// What it said.
    pub said: String,
}

/// Compiles a program with the sanitizers that its head names.
pub fn compile_native(case: &Case, directory: &Path) -> PathBuf {
    let clang = std::env::var("CLANG").unwrap_or_else(|_| "clang-22".into());
    let sanitizers: &[&str] = match case.native.as_str() {
        "memory" => &["-fsanitize=memory"],
        "plain" | "descriptors" => &[],
        "leaks" | "allocations" => &["-fsanitize=address"],
        _ => &[
            "-fsanitize=address,undefined,function,float-cast-overflow",
            "-fno-sanitize=vptr",
        ],
    };
    let runtime = root().join("transform/runtime");
    let object = directory.join(format!("{}.replay.o", case.name));
    let native = directory.join(format!("{}.native", case.name));
    let cpp = case.name.ends_with(".cpp");
    let compiler = |clang: &str| {
        let mut command = Command::new(clang);
        command
            .args(["-g", "-O0", "-w", "-fno-builtin", "-I"])
            .arg(runtime.join("include"));
        command
    };
    must_run(
        compiler(&clang)
            .args(if case.native == "memory" {
                sanitizers
            } else {
                &[]
            })
            .arg("-c")
            .arg(runtime.join("native/replay.c"))
            .arg("-o")
            .arg(&object),
    );
    let linker = match cpp {
        true => clang.replace("clang", "clang++"),
        false => clang.clone(),
    };
    let mut command = compiler(&linker);
    command
        .args(sanitizers)
        .arg("-fno-sanitize-recover=all")
        .arg(&case.source)
        .arg(&object);
    if case.native == "descriptors" {
        command.arg(root().join("tests/native/descriptors.c"));
    }
    must_run(command.arg("-o").arg(&native));
    native
}

const ASAN_OPTIONS: &str = "detect_stack_use_after_return=1:redzone=256:detect_leaks=";

/// Runs a program natively on a test case.
pub fn run_native(case: &Case, native: &Path, ktest: &Path) -> Native {
    let leaks = i32::from(case.native == "leaks");
    let most = match case.native.as_str() {
        "allocations" => ":max_allocation_size_mb=2",
        _ => "",
    };
    let output = Command::new("timeout")
        .args(["-s", "KILL", "60"])
        .arg(native)
        .env("KTEST_FILE", ktest)
        .env("ASAN_OPTIONS", format!("{ASAN_OPTIONS}{leaks}{most}"))
        // What dead frames have left behind is no reference.
        .env("LSAN_OPTIONS", "use_registers=0:use_stacks=0")
        .output()
        .expect("a native run");
    Native {
        failed: !output.status.success(),
        said: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

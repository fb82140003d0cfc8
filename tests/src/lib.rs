//! What the top-level tests share: the corpus of programs, what they do natively, what plat says
//! they do.

#![forbid(unsafe_code)]

pub mod beside;
pub mod browser;
pub mod brute;
pub mod command;
pub mod corpus;
pub mod endless;
pub mod explore;
pub mod faulty;
pub mod golden;
pub mod pages;
pub mod program;
pub mod scratch;
pub mod varargs;

pub use command::command;
pub use scratch::{Scratch, scratch};

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What a program did with one input.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Behaviour {
    /// It ended by itself: exit code and standard output.
    Ended(u8, String),
    /// It did something wrong. What it wrote before stays in its buffers or not, so that is no
    /// part of the behaviour.
    Fault,
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ lies in the root")
        .into()
}

/// Runs a command to its end; a failure is a panic with what it said.
pub fn must_run(command: &mut Command) -> Output {
    let output = command
        .output()
        .unwrap_or_else(|why| panic!("{command:?}: {why}"));
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// Flags that make bitcode as the README tells users to.
pub const BITCODE_FLAGS: &[&str] = &[
    "-O0",
    "-Xclang",
    "-disable-O0-optnone",
    "-g",
    "-emit-llvm",
    "-c",
    "-fno-builtin",
    "-fno-stack-protector",
    "-w",
];

/// Compiles a C file to bitcode.
pub fn compile_bitcode(source: &Path, out: &Path) {
    compile_bitcode_with(source, &[], out);
}

/// Compiles a C or C++ file to bitcode, with further flags.
pub fn compile_bitcode_with(source: &Path, flags: &[String], out: &Path) {
    let clang = std::env::var("CLANG").unwrap_or_else(|_| "clang-22".into());
    must_run(
        Command::new(clang)
            .args(BITCODE_FLAGS)
            .args(flags)
            .arg("-I")
            .arg(root().join("transform/runtime/include"))
            .arg(source)
            .arg("-o")
            .arg(out),
    );
}

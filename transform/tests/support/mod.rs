//! Scratch directories and the tools that the tests of this crate run.
#![allow(dead_code, missing_docs)]

use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A temporary directory of a test.
pub struct Scratch(TempDir);

impl Scratch {
    pub fn new(name: &str) -> Self {
        let prefix = format!("plat-transform-{name}-");
        Self(TempDir::with_prefix(prefix).expect("a scratch directory"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn file(&self, name: &str, contents: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, contents).expect("a scratch file");
        path
    }

    /// Compiles C to bitcode of the same stem.
    pub fn bitcode(&self, name: &str, source: &str, flags: &[&str]) -> PathBuf {
        let c = self.file(&format!("{name}.c"), source);
        let out = self.path(&format!("{name}.bc"));
        let mut clang = Command::new("clang-22");
        run(clang
            .args(["-w", "-g", "-c", "-emit-llvm"])
            .args(flags)
            .arg(c)
            .arg("-o")
            .arg(&out));
        out
    }

    /// Builds an executable from bitcode and C files, and returns what it prints.
    pub fn output(&self, name: &str, inputs: &[&Path]) -> String {
        let exe = self.path(name);
        run(Command::new("clang-22")
            .args(["-w", "-O0"])
            .args(inputs)
            .arg("-o")
            .arg(&exe));
        let output = Command::new(&exe).output().expect("the program runs");
        format!(
            "{}{:?}",
            String::from_utf8_lossy(&output.stdout),
            output.status.code()
        )
    }

    /// The runtime's realloc as bitcode.
    pub fn realloc(&self) -> PathBuf {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime/realloc.c");
        let source = std::fs::read_to_string(source).expect("runtime/realloc.c");
        self.bitcode("realloc", &source, &["-O1", "-fno-builtin"])
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.0.disable_cleanup(std::thread::panicking());
    }
}

pub fn run(command: &mut Command) {
    let status = command
        .status()
        .unwrap_or_else(|why| panic!("{command:?}: {why}"));
    assert!(status.success(), "{command:?} failed");
}

//! A program in bitcode beside its native build: its exploration, and what is compared.

use crate::explore::{plat, plat_ok};
use crate::program::Program;
use crate::{Scratch, command, compile_bitcode_with, faulty, must_run, root, scratch};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program in bitcode and as the machine's. A head has the arguments under `arguments`.
pub struct Built {
    /// The source.
    pub program: Program,
    /// The native build.
    pub native: PathBuf,
    /// Where it is worked.
    pub directory: Scratch,
    bitcode: PathBuf,
}

impl Built {
    /// Builds a program of a folder of `tests/programs`.
    pub fn new(folder: &str, name: &str) -> Built {
        let directory = scratch(&format!("{folder}-{name}"));
        let program = Program::read(root().join(format!("tests/programs/{folder}/{name}.c")));
        let bitcode = directory.join(format!("{name}.bc"));
        compile_bitcode_with(&program.source, &["-pthread".to_string()], &bitcode);
        let native = directory.join(format!("{name}.native"));
        let clang = std::env::var("CLANG").unwrap_or_else(|_| "clang-22".into());
        must_run(
            Command::new(clang)
                .args(["-O1", "-w", "-pthread"])
                .arg(&program.source)
                .arg("-o")
                .arg(&native),
        );
        Built {
            program,
            native,
            directory,
            bitcode,
        }
    }

    /// Explores the program; the run directory.
    pub fn explored(&self, name: &str, options: &[&str]) -> PathBuf {
        let arguments: Vec<&str> = self.program.words("arguments").collect();
        self.explored_on(name, options, &arguments)
    }

    /// Explores the program on these arguments.
    pub fn explored_on(&self, name: &str, options: &[&str], arguments: &[&str]) -> PathBuf {
        let out = self.directory.join(name);
        let (out_text, bitcode) = (out.to_string_lossy(), self.bitcode.to_string_lossy());
        let mut words = vec!["explore", "--quiet", "--test-files=all"];
        words.extend(["--output-dir", &out_text]);
        words.extend(options);
        words.push(&bitcode);
        words.extend(arguments);
        plat_ok(command(), &words).expect("an exploration");
        out
    }

    /// The marked faults are reported, each once, and nothing else; nothing is unsupported.
    pub fn check_faults(&self, out: &Path, what: &str) {
        let expected = faulty::expected_in(&self.program.text);
        let found = faulty::reports(out);
        let texts: String = found.iter().map(|report| report.text.as_str()).collect();
        for one in &expected {
            let count = found.iter().filter(|report| report.is(one)).count();
            assert_eq!(count, 1, "{what}: {one:?} in\n{texts}");
        }
        assert_eq!(found.len(), expected.len(), "{what}:\n{texts}");
        assert_eq!(summary(out)["paths"]["unsupported"], 0, "{what}");
    }

    /// The tests of a run do natively what their paths did. Returns what `plat replay` said.
    pub fn check_natively(&self, out: &Path) -> String {
        let (out, native) = (out.to_string_lossy(), self.native.to_string_lossy());
        let words = ["replay", "--timeout", "700ms", &out, "--", &native];
        let output = plat(command(), &words);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success() && text.contains(" 0 differ"),
            "{}:\n{text}{}",
            self.program.file,
            String::from_utf8_lossy(&output.stderr)
        );
        text
    }

    /// Explored with other options the program has the same faults, outputs and numbers of paths.
    pub fn check_ways<'a>(
        &self,
        out: &Path,
        ways: impl IntoIterator<Item = (&'a str, &'a [&'a str])>,
    ) {
        let name = &self.program.file;
        for (way, options) in ways {
            let other = self.explored(way, options);
            self.check_faults(&other, way);
            assert_eq!(outputs(&other), outputs(out), "{name}, {way}");
            let paths = [&other, out].map(|run| summary(run)["paths"].clone());
            assert_eq!(paths[0], paths[1], "{name}, {way}");
        }
    }
}

/// The summary of a run.
pub fn summary(out: &Path) -> serde_json::Value {
    let text = std::fs::read(out.join("summary.json")).expect("a summary");
    serde_json::from_slice(&text).expect("JSON")
}

/// What the paths of a run have written.
pub fn outputs(out: &Path) -> BTreeSet<Vec<u8>> {
    (1..)
        .map_while(|test| std::fs::read(out.join(format!("test{test:06}.out"))).ok())
        .collect()
}

//! A program of the tests: a source file whose first comment says how it is tested, in lines
//! `key: value`. What the keys mean stands at the head of the tests that read them.

use crate::root;
use std::path::{Path, PathBuf};

/// A source file.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The file's name, with its extension.
    pub file: String,
    /// Where it is.
    pub source: PathBuf,
    /// Its text.
    pub text: String,
}

impl Program {
    /// Reads a source file.
    pub fn read(source: PathBuf) -> Program {
        let file = source.file_name().expect("a name").to_string_lossy();
        Program {
            file: file.into_owned(),
            text: std::fs::read_to_string(&source).expect("a program"),
            source,
        }
    }

    /// The file's name without its extension.
    pub fn stem(&self) -> &str {
        let file = Path::new(&self.file);
        let stem = file.file_stem().and_then(|stem| stem.to_str());
        stem.unwrap_or(&self.file)
    }

    /// The value of a key; empty if the head does not have it.
    pub fn entry(&self, key: &str) -> &str {
        let head = self.text.split("*/").next().unwrap_or_default();
        let mut values = head.lines().filter_map(|line| {
            let line = line.trim_start_matches(['/', ' ', '*']).trim();
            line.strip_prefix(key)?.strip_prefix(": ")
        });
        values.next().unwrap_or_default()
    }

    /// The words of a key's value.
    pub fn words(&self, key: &str) -> impl Iterator<Item = &str> {
        self.entry(key).split_whitespace()
    }

    /// The words of a key's value as numbers.
    pub fn numbers(&self, key: &str) -> Vec<usize> {
        let number = |word: &str| {
            let why = || panic!("{}: {key}: {word} is no number", self.file);
            word.parse().unwrap_or_else(|_| why())
        };
        self.words(key).map(number).collect()
    }
}

/// The programs in a folder of `tests/programs`, by name.
pub fn all(folder: &str) -> Vec<Program> {
    let directory = root().join("tests/programs").join(folder);
    let entries = std::fs::read_dir(&directory).expect("programs");
    let mut found: Vec<Program> = entries
        .map(|entry| Program::read(entry.expect("an entry").path()))
        .collect();
    assert!(!found.is_empty(), "{folder}: no programs");
    found.sort_by(|a, b| a.file.cmp(&b.file));
    found
}

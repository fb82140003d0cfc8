//! What programs are run on that `loops`, `queries` and `workers` share: m4 on the papers' input, others with some
//! symbolic input.

use super::{bitcode, folder};
use std::path::{Path, PathBuf};

/// The arguments of m4 in the papers.
pub const M4: &[&str] = &["-H37", "-G"];

/// A program with options for plat and arguments.
pub struct Input {
    /// Its bitcode.
    pub program: PathBuf,
    /// Options that stand before it.
    pub options: Vec<String>,
    /// What follows it.
    pub arguments: &'static [&'static str],
}

/// m4 on the papers' input, and programs with some symbolic input.
///
/// # Errors
/// When m4 cannot be built.
pub fn inputs(programs: &[PathBuf]) -> Result<Vec<Input>, String> {
    let template = m4_input()?;
    let options = ["--stdin-template", &template, "--template-range", "A..z"];
    let mut inputs = vec![Input {
        program: bitcode("m4")?,
        options: options.map(str::to_owned).to_vec(),
        arguments: M4,
    }];
    inputs.extend(programs.iter().map(|program| Input {
        program: program.clone(),
        options: vec![],
        arguments: input(program),
    }));
    Ok(inputs)
}

/// The papers' input of m4, a file.
///
/// # Errors
/// When its path is not text.
pub fn m4_input() -> Result<String, String> {
    let path = folder().join("m4.input");
    let path = path
        .to_str()
        .ok_or("the path of the template is not text")?;
    Ok(path.to_owned())
}

/// Arguments for a program, with some symbolic input.
pub fn input(program: &Path) -> &'static [&'static str] {
    match program.file_stem().and_then(|name| name.to_str()) {
        // SQL from standard input.
        Some("sqlite") => &["create table t(a);", "-", "--sym-stdin", "6"],
        // A makefile from standard input.
        Some("make") => &["-f", "-", "--sym-stdin", "12"],
        _ => COREUTILS,
    }
}

const COREUTILS: &[&str] = &[
    "--sym-args",
    "0",
    "2",
    "3",
    "--sym-stdin",
    "12",
    "--sym-files",
    "1",
    "8",
];

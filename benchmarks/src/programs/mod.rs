//! The benchmark programs, built by their own Makefile when they are missing or old, and what real
//! ones are run on.

pub mod cases;
mod checked;
mod concrete;
pub mod inputs;
pub mod real;
mod replays;
pub mod symbolic;
pub mod tables;

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the sources of the benchmark programs are.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs")
}

/// Whether a program is among those that `--only` names by the end of their names; all are if it
/// names none.
pub fn is_chosen(program: &str, only: &[String]) -> bool {
    only.is_empty() || only.iter().any(|one| program.ends_with(one.as_str()))
}

/// Builds `build/NAME.bc` and returns its path.
///
/// # Errors
/// When make cannot build it; make has said why.
pub fn bitcode(name: &str) -> Result<PathBuf, String> {
    bitcode_of(name, None)
}

/// Builds `NAME.bc` with this version of clang, in a folder of its own.
///
/// # Errors
/// When make cannot build it; make has said why.
pub fn bitcode_of(name: &str, llvm: Option<&str>) -> Result<PathBuf, String> {
    let build = llvm.map_or("build".into(), |version| format!("build/llvm{version}"));
    let target = format!("{build}/{name}.bc");
    let mut make = Command::new("make");
    make.args(["-s", "-C"]).arg(folder());
    make.arg(format!("BUILD={build}")).arg(&target);
    if let Some(version) = llvm {
        make.arg(format!("LLVM=-{version}"));
    }
    let status = make
        .status()
        .map_err(|error| format!("cannot run make: {error}"))?;
    if !status.success() {
        return Err(format!("make could not build {target}"));
    }
    Ok(folder().join(target))
}

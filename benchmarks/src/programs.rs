//! The benchmark programs, built by their own Makefile when they are missing or old.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the sources of the benchmark programs are.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("programs")
}

/// Builds `build/NAME.bc` and returns its path.
///
/// # Errors
/// When make cannot build it; make has said why.
pub fn bitcode(name: &str) -> Result<PathBuf, String> {
    let target = format!("build/{name}.bc");
    let status = Command::new("make")
        .args(["-s", "-C"])
        .arg(folder())
        .arg(&target)
        .status()
        .map_err(|error| format!("cannot run make: {error}"))?;
    if !status.success() {
        return Err(format!("make could not build {target}"));
    }
    Ok(folder().join(target))
}

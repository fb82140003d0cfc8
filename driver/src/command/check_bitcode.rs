//! `plat check-bitcode`: the process in which a file is read first. LLVM's reader trusts what it
//! reads, and may crash on bitcode that is damaged: here it takes nobody with it.

use crate::failure::Failure;
use plat_program::reader;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

pub(super) fn execute(path: &Path) -> Result<ExitCode, Failure> {
    reader::check(path).map_err(Failure::input)?;
    Ok(ExitCode::SUCCESS)
}

/// Whether a file is bitcode that can be read, without a crash.
///
/// # Errors
/// When it is not.
pub(super) fn readable(path: &Path) -> Result<(), Failure> {
    let Ok(own) = std::env::current_exe() else {
        return Ok(());
    };
    let status = Command::new(own)
        .arg("check-bitcode")
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let Ok(status) = status else {
        return Ok(());
    };
    if status.signal().is_none() {
        return match status.success() {
            true => Ok(()),
            // What is wrong can be found out without danger.
            false => reader::check(path).map_err(Failure::input),
        };
    }
    let path = path.display();
    Err(Failure::input(format!(
        "{path}: not usable as bitcode: truncated or damaged: LLVM's reader crashes on it"
    )))
}

//! The compilers' tools that turn counters into coverage.

use crate::Error;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// Versions of LLVM whose tools are looked for beside those without a number in their names.
const VERSIONS: std::ops::RangeInclusive<u32> = 14..=24;

/// A tool of LLVM: the newest that is there under the name with a number, otherwise the plain one.
pub fn llvm(name: &str) -> Result<String, Error> {
    let numbered = VERSIONS.rev().map(|version| format!("{name}-{version}"));
    numbered
        .chain([name.to_owned()])
        .find(|tool| is_there(tool))
        .ok_or_else(|| Error::input(format!("{name} is not installed (it comes with LLVM)")))
}

/// Whether a tool can be started.
fn is_there(tool: &str) -> bool {
    let mut command = Command::new(tool);
    command.arg("--version").stdin(Stdio::null());
    let done = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    done.is_ok_and(|status| status.success())
}

/// What a tool prints.
pub fn output<A: AsRef<OsStr>>(
    tool: &[&str],
    args: impl IntoIterator<Item = A>,
    directory: &Path,
) -> Result<String, Error> {
    let (name, first) = tool.split_first().unwrap_or((&"", &[]));
    let mut command = Command::new(name);
    command.args(first).args(args).current_dir(directory);
    let done = command.stdin(Stdio::null()).output();
    let done = done.map_err(|why| Error::input(format!("{name}: {why}")))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        return Err(Error::input(format!("{name}: {}: {said}", done.status)));
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

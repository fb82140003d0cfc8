//! LLVM's tools of the version whose bitcode plat reads best: its own.

use crate::Error;
use std::ffi::OsStr;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The version of LLVM that plat is built with.
const VERSION: &str = "22";

/// A program on the path, outside of a directory.
pub fn on_path(name: &OsStr, except: Option<&Path>) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut places = std::env::split_paths(&path).filter(|place| Some(place.as_path()) != except);
    places.find_map(|place| Some(place.join(name)).filter(|file| file.is_file()))
}

/// A tool of LLVM, by its name with the version, or without.
///
/// # Errors
/// When it is not there.
pub fn find(name: &str) -> Result<PathBuf, Error> {
    let names = [format!("{name}-{VERSION}"), name.to_string()];
    let own = std::env::var_os(super::VARIABLE).map(|room| Path::new(&room).join("bin"));
    let mut found = names
        .iter()
        .map(|name| on_path(OsStr::new(name), own.as_deref()));
    found.find_map(|file| file).ok_or_else(|| {
        Error::input(format!(
            "{name}-{VERSION} is not installed; scripts/setup installs it"
        ))
    })
}

/// Runs a tool; what it has said first if it has failed.
///
/// # Errors
/// When it cannot be started.
pub fn run<'a>(
    name: &str,
    args: impl IntoIterator<Item = &'a OsStr>,
) -> Result<Result<(), String>, Error> {
    outcome(Command::new(find(name)?).args(args))
}

/// What is said of a command that a signal has ended.
pub const ENDED: &str = "a signal has ended it";

/// A command that is ended once it has taken so many seconds of the processor's time, which other work
/// on the machine does not use up.
pub fn bounded(program: &Path, seconds: u32) -> Command {
    let mut command = Command::new("sh");
    // A limit that is lower already stays.
    let line = format!("ulimit -S -t {seconds} 2> /dev/null; exec \"$0\" \"$@\"");
    command.args(["-c", &line]).arg(program);
    command
}

/// Runs a command without input; what it has said first if it has failed.
///
/// # Errors
/// When it cannot be started.
pub fn outcome(command: &mut Command) -> Result<Result<(), String>, Error> {
    let output = command.stdin(Stdio::null()).output();
    let name = command.get_program().to_string_lossy();
    let output = output.map_err(|why| Error::input(format!("{name}: {why}")))?;
    if output.status.success() {
        return Ok(Ok(()));
    }
    if output.status.signal().is_some() {
        return Ok(Err(ENDED.to_string()));
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().find(|line| line.contains("error"));
    let first = first.or_else(|| said.lines().next());
    Ok(Err(first.unwrap_or("it has failed").to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_ends_that_takes_too_long() {
        let spin = ["-c", "while :; do :; done"];
        let ended = outcome(bounded(Path::new("/bin/sh"), 1).args(spin));
        assert_eq!(ended.unwrap(), Err(ENDED.to_string()));
        let waits = ["-c", "sleep 2; test \"$0 $1\" = 'a b  c'", "a", "b  c"];
        let waited = outcome(bounded(Path::new("/bin/sh"), 1).args(waits));
        assert_eq!(waited.unwrap(), Ok(()));
    }
}

//! The `plat` command that the end-to-end tests run: the release build, as `make build` leaves it.
//!
//! A debug build is another program: it has another allocator, other checks and other timing.

use crate::root;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The executable: `$PLAT` (relative to the root of the repository), or the release build, which is
/// brought up to date first, once per process. So no test can run an outdated one, however the
/// tests are started.
pub fn command() -> &'static Path {
    static COMMAND: OnceLock<PathBuf> = OnceLock::new();
    COMMAND.get_or_init(|| match std::env::var_os("PLAT") {
        Some(path) if !path.is_empty() => {
            let path = root().join(path);
            assert!(path.is_file(), "$PLAT: {}: no such file", path.display());
            path
        }
        _ => build(),
    })
}

/// Builds the command, which takes a tenth of a second if nothing has changed, and asks cargo
/// where it is.
fn build() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(root())
        .args(["build", "--quiet", "--release", "--package", "plat-command"])
        .arg("--message-format=json-render-diagnostics")
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "the release build fails");
    let messages = String::from_utf8(output.stdout).expect("cargo's messages are text");
    messages
        .lines()
        .find_map(executable)
        .expect("cargo names the executable")
}

/// The executable that a message of cargo is about.
fn executable(message: &str) -> Option<PathBuf> {
    let message: Value = serde_json::from_str(message).ok()?;
    Some(message.get("executable")?.as_str()?.into())
}

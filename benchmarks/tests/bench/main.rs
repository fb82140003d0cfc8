//! `plat-bench` from end to end, on the command as it ships.

mod guard;
mod suites;

use std::process::{Command, Output};

/// `plat-bench` with the command under test.
fn bench() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_plat-bench"));
    command.arg("--plat").arg(plat_tests::command());
    command
}

/// What a command has complained of.
fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

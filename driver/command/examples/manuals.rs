//! Writes the manual pages and the completions for shells, which `make install` installs:
//! `manuals DIR`. Both are made of what the command line is parsed with.
#![forbid(unsafe_code)]

use clap::CommandFactory as _;
use clap_complete::Shell;
use plat_command::args::Cli;
use std::io::{Error, Result};
use std::path::Path;

fn main() -> Result<()> {
    let directory = std::env::args_os().nth(1);
    let directory = directory.ok_or_else(|| Error::other("usage: manuals DIR"))?;
    let directory = Path::new(&directory);
    std::fs::create_dir_all(directory)?;
    clap_mangen::generate_to(visible(&Cli::command()), directory)?;
    for shell in [Shell::Bash, Shell::Fish, Shell::Zsh] {
        let mut command = visible(&Cli::command());
        clap_complete::generate_to(shell, &mut command, "plat", directory)?;
    }
    Ok(())
}

/// The command without what it starts by itself.
fn visible(command: &clap::Command) -> clap::Command {
    let shown = command.get_subcommands().filter(|sub| !sub.is_hide_set());
    let mut visible = clap::Command::new("plat")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommands(shown.cloned());
    if let Some(about) = command.get_about() {
        visible = visible.about(about.clone());
    }
    if let Some(after) = command.get_after_help() {
        visible = visible.after_help(after.clone());
    }
    visible
}

//! What plat is compared with: a previous release, and KLEE.

use std::path::PathBuf;

use clap::Args;

/// What else explores.
#[derive(Args)]
pub struct Others {
    /// The plat of a previous release
    #[arg(long, value_name = "FILE", value_parser = crate::absolute)]
    pub previous: Option<PathBuf>,
    /// KLEE
    #[arg(long, value_name = "FILE", value_parser = crate::absolute)]
    pub peer: Option<PathBuf>,
    /// An option for the peer, such as --libc=uclibc (repeatable)
    #[arg(
        long = "peer-option",
        value_name = "OPTION",
        allow_hyphen_values = true
    )]
    pub peer_options: Vec<String>,
}

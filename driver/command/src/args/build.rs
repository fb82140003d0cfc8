//! `plat build`, as typed.

use clap::Args;
use std::ffi::OsString;

/// Examples of `plat build`.
pub const EXAMPLES: &str = "\
Examples:
  plat build -- make
  plat build -- sh -c './configure && make'
  plat build -- cmake --build build
  plat build -- cargo build
  plat explore prog.bc --sym-arg 3

The native build is as always; its executables replay tests. Compilers are found on the path under their \
usual names (cc, gcc, clang, g++, ...), so the command must not name one by a full path. Sources in assembly \
have no bitcode, and neither has what configure tries. Shared libraries of the build that a program is linked \
with belong to it.

Cargo as the command builds in target/plat; one module has a program with all its crates and the standard library. \
`cargo test --no-run` makes the programs of #[test] functions.";

/// `plat build`.
#[derive(Args, Clone, Debug)]
pub struct BuildArgs {
    /// The build command
    #[arg(value_name = "COMMAND", required = true, last = true)]
    pub command: Vec<OsString>,
}

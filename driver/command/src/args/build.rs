//! `plat build`, as typed.

use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

/// Examples of `plat build`.
pub const EXAMPLES: &str = "\
Examples:
  plat build -- make
  plat build -- sh -c './configure && make'
  plat build -- cmake --build build
  plat build -- cargo build
  plat build --compile-commands build/compile_commands.json
  plat explore prog.bc --sym-arg 3

The native build is as always; its executables replay tests. Compilers are found on the path under their \
usual names (cc, gcc, clang, g++, ...), so the command must not name one by a full path. Sources in assembly \
have no bitcode, and neither has what configure tries. Shared libraries of the build that a program is linked \
with belong to it.

--compile-commands builds nothing native: every source in the database is compiled to bitcode as it says, and \
a source with a main becomes a program (main.c: main.bc, in this directory): a single one with all other sources, \
each of several with what it needs of those without one.

Cargo as the command builds in target/plat; one module has a program with all its crates and the standard library. \
`cargo test --no-run` makes the programs of #[test] functions.";

/// `plat build`.
#[derive(Args, Clone, Debug)]
pub struct BuildArgs {
    /// Take the sources and how they are compiled from FILE, as CMake (CMAKE_EXPORT_COMPILE_COMMANDS), Meson and
    /// bear write it, and run no build [default: compile_commands.json]
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = false,
          default_missing_value = "compile_commands.json", conflicts_with = "command")]
    pub compile_commands: Option<PathBuf>,
    /// The build command
    #[arg(
        value_name = "COMMAND",
        required_unless_present = "compile_commands",
        last = true
    )]
    pub command: Vec<OsString>,
}

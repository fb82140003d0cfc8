//! Options of `plat cover`.

use super::values;
use clap::Args;
use std::path::PathBuf;

/// `plat cover`.
#[derive(Args, Debug)]
pub struct CoverArgs {
    /// Run directories, directories of .ktest files, or .ktest files
    #[arg(value_name = "DIR|FILE.ktest", required = true)]
    pub tests: Vec<PathBuf>,
    /// Longest time for one test: 10s, 1min
    #[arg(long, value_name = "SPAN", default_value = "10s", value_parser = values::span)]
    pub timeout: std::time::Duration,
    /// Tests that run at once with --no-sandbox, otherwise they run one after the other [default: one
    /// for each core]
    #[arg(long, short, value_name = "N", requires = "no_sandbox")]
    pub jobs: Option<usize>,
    /// Let the program write outside of its directory, reach the network and leave processes behind.
    /// Otherwise it is kept from that as far as the system can
    #[arg(long)]
    pub no_sandbox: bool,
    /// Print a row for each function
    #[arg(long)]
    pub functions: bool,
    /// Only files whose paths end like this (repeatable)
    #[arg(long, value_name = "FILE.c")]
    pub file: Vec<String>,
    /// Write the coverage for genhtml and other tools
    #[arg(long, value_name = "FILE.lcov")]
    pub lcov: Option<PathBuf>,
    /// The command for gcov [default: that of the compiler that made the build]
    #[arg(long, value_name = "COMMAND")]
    pub gcov: Option<String>,
    /// The native build, compiled with --coverage, or with -fprofile-instr-generate
    /// -fcoverage-mapping. Without one the executor's own count is printed
    #[arg(last = true, value_name = "NATIVE")]
    pub native: Vec<PathBuf>,
}

//! Options of `plat report`.

use clap::Args;
use std::path::PathBuf;

/// What stands behind the options.
pub const EXAMPLES: &str = "\
Examples:
  plat report plat-last --open
  plat report plat-last --sarif faults.sarif --junit tests.xml
  plat report merging=plat-out-0 forking=plat-out-1 -o models.html

The page is one file that needs no network: figures over time; faults with source, calls,
input and a command that repeats them; coverage, functions, pointers, the solver, the tree of
decisions. What the run has not recorded is named, with the option that records it. The run may
go on meanwhile, or have been killed.

Standard output has a line for each fault, as compilers print them, so that editors find it:
FILE:LINE:COLUMN: error: MESSAGE. --sarif has more for those that read it (VS Code, GitHub).";

/// `plat report`.
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// Run directories, each with a name if you like; several stand side by side
    #[arg(value_name = "[NAME=]DIR", required = true)]
    pub runs: Vec<String>,
    /// The page [default: report.html in the directory of the run, or in this one for several runs]
    #[arg(long, short, value_name = "FILE.html")]
    pub output: Option<PathBuf>,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// Write the faults for editors and services that show results of analyses (SARIF 2.1.0)
    #[arg(long, value_name = "FILE.sarif")]
    pub sarif: Option<PathBuf>,
    /// Write tests of new code and of faults for services that show results of tests (JUnit)
    #[arg(long, value_name = "FILE.xml")]
    pub junit: Option<PathBuf>,
}

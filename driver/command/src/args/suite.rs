//! Options of `plat tests`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// What is done with the tests of a run.
#[derive(Subcommand, Debug)]
pub enum TestsCommand {
    /// List tests, a line each
    #[command(after_help = "Example:\n  plat tests list plat-last --fault any")]
    List(ListArgs),
    /// Print tests whole: how their paths ended, their reports and inputs
    #[command(after_help = "Example:\n  plat tests show plat-last 17")]
    Show(ShowArgs),
    /// Write the files of tests: testN.ktest, testN.out, testN.KIND.err and others
    #[command(after_help = "Example:\n  plat tests extract plat-last --line parse.c:120 -o suite")]
    Extract(ExtractArgs),
    /// Put the tests of runs that have explored parts of one tree together, each test once
    #[command(after_help = "Example:\n  plat tests merge piece-1 piece-2 piece-3 -o all")]
    Merge(MergeArgs),
    /// Find the fewest tests that cover what all of them cover
    #[command(after_help = "Example:\n  plat tests minimise plat-last -o suite")]
    Minimise(MinimiseArgs),
}

/// Which tests are meant. Without an option all are.
#[derive(Args, Clone, Debug)]
pub struct WhichArgs {
    /// The directory of a run
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Only tests with these numbers: 7, 3-9, 12-
    #[arg(value_name = "N|N-N")]
    pub numbers: Vec<String>,
    /// Only tests of faults of this kind, the suffix of their reports (ptr, assert, ...), or of any
    /// (repeatable)
    #[arg(long, value_name = "KIND|any")]
    pub fault: Vec<String>,
    /// Only tests whose paths were the first to cover something
    #[arg(long)]
    pub new: bool,
    /// Only tests that cover this line. Each test is executed to see whether it does
    #[arg(long, value_name = "FILE.c:LINE", conflicts_with = "first")]
    pub line: Option<String>,
    /// Only the test that was the first to cover this line
    #[arg(long, value_name = "FILE.c:LINE")]
    pub first: Option<String>,
    /// The program, if it is no longer where it was explored
    #[arg(long, value_name = "PROG.bc")]
    pub program: Option<PathBuf>,
}

/// `plat tests list`.
#[derive(Args, Debug)]
pub struct ListArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub which: WhichArgs,
    /// Print a JSON object for each test, as in tests.jsonl
    #[arg(long)]
    pub json: bool,
}

/// `plat tests show`.
#[derive(Args, Debug)]
pub struct ShowArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub which: WhichArgs,
}

/// `plat tests extract`.
#[derive(Args, Debug)]
pub struct ExtractArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub which: WhichArgs,
    /// Where the files go; made if it is not there [default: the directory of the run]
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

/// `plat tests merge`.
#[derive(Args, Debug)]
pub struct MergeArgs {
    /// The directories of the runs
    #[arg(value_name = "DIR", required = true)]
    pub directories: Vec<PathBuf>,
    /// Where the tests go; must not be there
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
}

/// `plat tests minimise`.
#[derive(Args, Debug)]
pub struct MinimiseArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub which: WhichArgs,
    /// Write the files of the tests that are found here; made if it is not there
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

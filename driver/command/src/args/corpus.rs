//! Options of `plat corpus`, as typed.

use clap::{Args, Subcommand, ValueEnum};
use plat::output::corpus::Naming;
use std::path::PathBuf;

/// `plat corpus`.
#[derive(Args, Debug)]
pub struct CorpusArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: CorpusCommand,
}

/// What is done with a corpus.
#[derive(Subcommand, Debug)]
pub enum CorpusCommand {
    /// Write the inputs of tests as files of plain bytes, for a fuzzer: the harness's data, standard
    /// input, or the first symbolic file
    #[command(after_help = "Example:\n  plat corpus export plat-last -o corpus")]
    Export(ExportArgs),
}

/// `plat corpus export`.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// Run directories, or .ktest files in them
    #[arg(value_name = "OUT_DIR|FILE.ktest", required = true)]
    pub tests: Vec<PathBuf>,
    /// The corpus. It may be there: no input is written twice, and nothing in it is changed
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// What the files are called: by the SHA-1 of their bytes (libfuzzer), or by number behind those
    /// that are there (afl: id:000000,orig:test000001)
    #[arg(long, value_name = "WHOSE", default_value = "libfuzzer")]
    pub names: Names,
    /// Of a run directory only tests that were the first to cover something, and those of faults
    #[arg(long)]
    pub only_new: bool,
}

/// Whose names inputs have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
#[allow(missing_docs)]
pub enum Names {
    Libfuzzer,
    Afl,
}

impl From<Names> for Naming {
    fn from(names: Names) -> Self {
        match names {
            Names::Libfuzzer => Naming::LibFuzzer,
            Names::Afl => Naming::Afl,
        }
    }
}

//! Options of `plat resume` and `plat trie`.

use super::values;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

/// `plat resume`: everything else is as in the first command line of the run.
#[derive(Args, Debug)]
pub struct ResumeArgs {
    /// The directory of a run that was ended before all of its paths were explored
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,

    /// What is another than in the first command line.
    #[command(flatten)]
    pub changes: ChangeArgs,

    /// Show nothing while the run goes on
    #[arg(short, long)]
    pub quiet: bool,

    /// Print the summary, the object of summary.json, on standard output
    #[arg(long)]
    pub json: bool,
}

/// `plat regress`: everything else is as in the first command line of the old run.
#[derive(Args, Debug)]
pub struct RegressArgs {
    /// The directory of a run of the old version, finished or not
    #[arg(value_name = "OLD_DIR")]
    pub directory: PathBuf,

    /// The new version of the program
    #[arg(value_name = "NEW.bc")]
    pub new: PathBuf,

    /// Where the run of the new version goes, in place of a new directory plat-out-N beside NEW.bc. It is a
    /// run directory like any other, and the OLD_DIR of the next change
    #[arg(long, short, value_name = "DIR")]
    pub output_dir: Option<PathBuf>,

    /// The old version of the program [default: final.bc in OLD_DIR (--output-module), or what the first
    /// command line names]
    #[arg(long, value_name = "OLD.bc")]
    pub old: Option<PathBuf>,

    /// What is another than in the first command line.
    #[command(flatten)]
    pub changes: ChangeArgs,

    /// Show nothing but the report
    #[arg(short, long)]
    pub quiet: bool,

    /// Print the report as JSON: all differences, with inputs and outputs
    #[arg(long)]
    pub json: bool,
}

/// What may be another than in the first command line of a run.
#[derive(Args, Debug)]
pub struct ChangeArgs {
    /// End the run after this time; 0 is no bound [default: as in the first command line]
    #[arg(long, value_name = "SPAN", value_parser = values::span)]
    pub max_time: Option<Duration>,

    /// End the run when it holds this much memory
    #[arg(long, value_name = "SIZE", value_parser = values::memory)]
    pub max_memory: Option<u64>,

    /// End the run after this many instructions, those of the earlier runs included; 0 is no bound
    #[arg(long, value_name = "N")]
    pub max_instructions: Option<u64>,

    /// End the run after this many forks, those of the earlier runs included. Paths that this bound has
    /// ended go on when it is 0, no bound
    #[arg(long, value_name = "N")]
    pub max_forks: Option<u64>,

    /// End a path after this many forks on it. Paths that a smaller bound has ended go on from there,
    /// and no others are walked again; 0 is no bound
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u32>,

    /// End the run after this many tests, those of the earlier runs included; 0 is no bound
    #[arg(long, value_name = "N")]
    pub max_tests: Option<u64>,

    /// Which path runs next; several take turns [default: as in the first command line]
    #[arg(long, value_name = "SEARCHER", value_delimiter = ',',
          long_help = super::lists::other_searchers())]
    pub search: Vec<String>,

    /// Reach this place of the program, see `plat explore --help` (repeatable) [default: as in the first
    /// command line; for `plat regress --search directed` what has changed]
    #[arg(long, value_name = "PLACE")]
    pub target: Vec<String>,

    /// End the run when every --target has been reached
    #[arg(long)]
    pub exit_on_target: bool,

    /// Seed of all random choices
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Explore in this many processes at once, at most 64
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub workers: Option<u8>,

    /// Longest time for one solver query
    #[arg(long, value_name = "SPAN", value_parser = values::span)]
    pub max_solver_time: Option<Duration>,
}

/// `plat trie`.
#[derive(Args, Debug)]
pub struct TrieArgs {
    /// What to do with it.
    #[command(subcommand)]
    pub what: TrieCommand,
}

/// What can be done with a trie.
#[derive(Subcommand, Debug)]
pub enum TrieCommand {
    /// Print the tree: a line for each node, with the side of the split that leads to it
    Show {
        /// The directory of a run
        #[arg(value_name = "DIR")]
        directory: PathBuf,
        /// Not deeper than this
        #[arg(long, value_name = "N", default_value_t = 20)]
        depth: u32,
    },
    /// Print figures: nodes, open paths, ends of paths, bytes
    Stats {
        /// The directory of a run
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
    /// Divide what is left to explore into pieces of work for `plat run --work`, each a file. Prints a
    /// line for each: the file, the number of its paths, and their share of the tree if the sides of each split
    /// have the same
    #[command(
        after_help = "Example:\n  plat trie divide plat-last --pieces 4 -o work\n  \
                            plat run PROG.bc ARGS --work work/1.work --results part-1"
    )]
    Divide {
        /// The directory of a run
        #[arg(value_name = "DIR")]
        directory: PathBuf,
        /// At most this many
        #[arg(long, value_name = "N", default_value_t = 2,
              value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
        pieces: u32,
        /// Where the files go: 1.work, 2.work, ...; made if it is not there
        #[arg(long, short, value_name = "DIR")]
        output: PathBuf,
        /// Not what is left, but the paths that have ended, to execute them again: with another searcher,
        /// or to see whether what they read has changed. Questions to the solver on the way to their last
        /// decisions are answered as before
        #[arg(long)]
        again: bool,
        /// Also write to FILE what the run has covered, as `plat trie coverage` prints it
        #[arg(long, value_name = "FILE")]
        coverage: Option<PathBuf>,
        /// Write the lines to FILE and print none
        #[arg(long, value_name = "FILE")]
        list: Option<PathBuf>,
    },
    /// Drop all that `plat resume` does not need: parts that are explored become a node that says how
    /// their paths have ended. `run.trie` is replaced
    Compress {
        /// The directory of a run
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
    /// Put the decisions of runs together that have explored parts of one tree: a run, and the pieces of
    /// work that it was divided into. With their tests that is a run that `plat resume` goes on with
    #[command(
        after_help = "Example:\n  plat tests merge plat-last part-1 part-2 -o all\n  \
                            plat trie merge plat-last part-1 part-2 -o all"
    )]
    Merge {
        /// The directories of the runs, the first one before it was divided
        #[arg(value_name = "DIR", required = true)]
        directories: Vec<PathBuf>,
        /// The directory that gets `run.trie`; made if it is not there
        #[arg(long, short, value_name = "DIR")]
        output: PathBuf,
    },
    /// Print the tree as a page that folds
    Html {
        /// The directory of a run
        #[arg(value_name = "DIR")]
        directory: PathBuf,
        /// Not deeper than this
        #[arg(long, value_name = "N", default_value_t = 100)]
        depth: u32,
    },
    /// Say where the decisions of two runs differ: splits, sides, ends. The exit code is 1 if they do
    Diff {
        /// The directory of a run
        #[arg(value_name = "DIR")]
        one: PathBuf,
        /// The directory of another run
        #[arg(value_name = "OTHER")]
        other: PathBuf,
        /// Print so many differences
        #[arg(long, value_name = "N", default_value_t = 20)]
        most: usize,
    },
    /// Print what the run has covered, for `plat run --work FILE --covered FILE` of other pieces
    Coverage {
        /// The directory of a run
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
    /// Print the tree for Graphviz
    Dot {
        /// The directory of a run
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
}

//! The command line as typed. Nothing here is checked against the world; [`crate::plan`] turns it
//! into what is meant.

pub mod allocation;
pub mod build;
pub mod checks;
pub mod corpus;
pub mod cover;
pub mod doctor;
pub mod execution;
pub mod external;
pub mod files;
pub mod ideal;
mod klee;
mod klee_options;
pub mod linking;
mod lists;
pub mod merging;
pub mod queries;
pub mod readable;
pub mod report;
mod response_files;
pub mod resume;
pub mod seeds;
pub mod suite;
pub mod values;

pub use execution::{BudgetArgs, ExploreArgs, LibcArgs, RunArgs};

use clap::error::ErrorKind;
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use corpus::CorpusArgs;
use cover::CoverArgs;
use ideal::{CompareArgs, IdealArgs};
use linking::LinkingArgs;
use plat::Error;
use plat::processes;
use plat_segments::Unify;
use std::ffi::OsString;
use std::path::PathBuf;
use suite::TestsCommand;

const ABOUT: &str = "Symbolic execution of LLVM bitcode, with memory drawn as segments";

const EXAMPLES: &str = "\
A first run, from source to test cases:
  clang-22 -g -O1 -c -emit-llvm prog.c -o prog.bc
  plat explore prog.bc --sym-arg 3
  plat ktest plat-last/test000001.ktest

The stages, one by one (a Makefile can do this: see plat.mk):
  plat link prog.bc -o prog.linked.bc
  plat analyze prog.linked.bc -o prog.pts
  plat segment prog.linked.bc --points-to prog.pts -o prog.segments.json
  plat transform prog.linked.bc --segments prog.segments.json -o prog.plat.bc
  plat run prog.plat.bc --sym-stdin 4

`plat COMMAND --help` has the options and more examples.";

/// The whole command line.
#[derive(Parser, Debug)]
#[command(name = "plat", version, propagate_version = true, about = ABOUT, after_help = EXAMPLES, max_term_width = 100, args_override_self = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// One command for each stage, one for all stages, and what reads their results.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run a build command and get the bitcode of the programs that it makes, as PROG.bc beside each
    #[command(after_help = build::EXAMPLES)]
    Build(build::BuildArgs),
    /// Check what plat needs on this machine, and run it for a second
    #[command(after_help = doctor::EXAMPLES)]
    Doctor(doctor::DoctorArgs),
    /// Add the C library and the runtime to a program, in bitcode
    #[command(after_help = "Example:\n  plat link prog.bc -o prog.linked.bc")]
    Link(LinkArgs),
    /// Compute which allocations each pointer may point to
    #[command(after_help = "Example:\n  plat analyze prog.linked.bc -o prog.pts")]
    Analyze(AnalyzeArgs),
    /// Group the allocations that one pointer may reach: they will share a memory segment
    #[command(
        after_help = "Example:\n  plat segment prog.linked.bc --points-to prog.pts \
                            -o prog.segments.json"
    )]
    Segment(SegmentArgs),
    /// Rewrite realloc and annotate allocation sites with their segments
    #[command(after_help = "Example:\n  plat transform prog.linked.bc --segments \
                            prog.segments.json -o prog.plat.bc")]
    Transform(TransformArgs),
    /// Explore the paths of a program that the stages before have prepared
    #[command(after_help = RUN_EXAMPLES)]
    Run(Box<RunArgs>),
    /// All stages: link, analyze, segment, transform, run
    #[command(after_help = EXPLORE_EXAMPLES)]
    Explore(Box<ExploreArgs>),
    /// Go on with a run that was ended by a limit, by an interrupt, or by force
    #[command(after_help = RESUME_EXAMPLES)]
    Resume(resume::ResumeArgs),
    /// Explore a new version of a program where a change has touched it, and say what behaves differently
    #[command(after_help = REGRESS_EXAMPLES)]
    Regress(resume::RegressArgs),
    /// Print the decisions of a run: which splits have led to which paths
    #[command(after_help = "Example:\n  plat trie stats plat-last")]
    Trie(resume::TrieArgs),
    /// Find the segmentation that puts together only what pointers of actual runs confuse
    #[command(after_help = IDEAL_EXAMPLES)]
    Ideal(Box<IdealArgs>),
    /// Compare the segments that the analysis draws with the ideal ones, and forking with both
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(Box<CompareArgs>),
    /// Run generated tests on a native build and compare what it does with what the paths did
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(ReplayArgs),
    /// Run test cases on a native build, as KLEE's replayer does
    #[command(hide = true)]
    KleeReplay(KleeReplayArgs),
    /// Print test cases
    #[command(after_help = "Example:\n  plat ktest plat-last/test000001.ktest")]
    Ktest(KtestArgs),
    /// Give the tests of a run to a fuzzer
    Corpus(CorpusArgs),
    /// Run tests on a native build with gcov's or LLVM's counters and say what they cover
    #[command(after_help = COVER_EXAMPLES)]
    Cover(CoverArgs),
    /// List, show and extract the tests of a run, and find the fewest that cover everything
    #[command(subcommand)]
    Tests(TestsCommand),
    /// Make external calls for a run, which starts this by itself
    #[command(hide = true, name = processes::EXTERNAL)]
    ExternalHelper {
        /// Where objects are
        regions: Vec<OsString>,
    },
    /// Ask Z3 for a run, which starts this by itself
    #[command(hide = true, name = processes::SOLVER)]
    SolverProcess,
    /// Serve the page of a run, which starts this by itself
    #[command(hide = true, name = processes::PAGE)]
    PageProcess {
        /// The directory of the run
        directory: PathBuf,
    },
    /// Read and rewrite bitcode for a command, which starts this by itself
    #[command(hide = true, name = processes::LLVM)]
    LlvmProcess,
    /// Show what runs have come to: one page, and files for editors and other tools
    #[command(after_help = report::EXAMPLES)]
    Report(report::ReportArgs),
    /// Print a table of runs, from their summary.json
    #[command(after_help = "Example:\n  plat table forking=plat-out-0 segmented=plat-out-1")]
    Table(TableArgs),
}

const RUN_EXAMPLES: &str = "\
Examples:
  plat run prog.plat.bc --sym-arg 3 --sym-stdin 8
  plat run --memory-model forking --search dfs --max-time 10min prog.plat.bc
  plat run --stdin-template input.txt --template-range A..z prog.plat.bc -H37 -G
  plat run --exit-code prog.plat.bc 1 2 3        a concrete run: behaves like the program

Options stand before the program; what follows it are the program's arguments, among which KLEE's
--sym-arg, --sym-args, --sym-files and --sym-stdin are understood, and --sym-socket.";

const EXPLORE_EXAMPLES: &str = "\
Examples:
  plat explore prog.bc --sym-arg 3 --sym-stdin 8
  plat explore --memory-model forking --search dfs --max-time 10min prog.bc
  plat explore --stdin-template input.txt --template-range A..z m4.bc -H37 -G
  plat explore --exit-code prog.bc 1 2 3         a concrete run: behaves like the program

Options stand before the program; what follows it are the program's arguments, among which KLEE's
--sym-arg, --sym-args, --sym-files and --sym-stdin are understood, and --sym-socket. KLEE's names of
options work, with one dash or two, wherever plat has the thing.";

const RESUME_EXAMPLES: &str = "\
Examples:
  plat explore --max-time 10min prog.bc --sym-arg 3
  plat resume plat-last --max-time 1h
  plat resume plat-last --max-depth 40 --search dfs

The run goes on in its directory, with the program, the input and the options of its first command
line, from whatever directory it is started. Decisions that were made are not asked of the solver again,
tests that are there are not written again. What decides over paths cannot be changed.";

const REGRESS_EXAMPLES: &str = "\
Examples:
  plat explore --output-module --output-dir before prog.bc --sym-arg 3
  plat regress before changed.bc -o after
  plat regress after changed-again.bc -o last --max-time 10min --json
  plat regress before changed.bc --search directed --max-time 1min    what comes to the change first

Paths of the old run whose tests execute only code that both versions have are taken over; all others are
explored anew, with the input and the options of the first command line, in the same working directory. Old
and new tests are executed on both versions. The exit code is 1 if a test's output, exit code or fault
differs, and 0 if none does.";

const IDEAL_EXAMPLES: &str = "\
Examples:
  plat ideal -o prog.ideal.segments.json prog.bc --sym-stdin 4
  plat explore --segments prog.ideal.segments.json prog.bc --sym-stdin 4
  plat transform prog.linked.bc --segments prog.ideal.segments.json -o prog.ideal.plat.bc";

const COMPARE_EXAMPLES: &str = "\
Examples:
  plat compare prog.bc --sym-stdin 4
  plat compare --search dfs --max-time 2min --svg m4.svg --stdin-template input.txt m4.bc -H37 -G

The limits apply to each run.";

const REPLAY_EXAMPLES: &str = "\
Examples:
  plat replay plat-last -- ./native
  plat replay plat-last/test000002.ktest -- ./native

A native program that calls klee_make_symbolic and its relatives is linked with
libplatRuntest.a, which lies beside the C library. The exit code is 1 if a test's output or exit code differs.";

const COVER_EXAMPLES: &str = "\
Examples:
  clang-22 --coverage prog.c -o prog.cov && plat cover plat-last -- ./prog.cov
  plat cover --functions --file prog.c --lcov prog.lcov plat-last -- ./prog.cov
  plat cover --functions plat-last               the executor's own count

A test that ends by a signal leaves no counters. Percentages of branches differ between compilers and
the executor, which see different branches in the same line.";

/// `plat link`.
#[derive(Args, Debug)]
pub struct LinkArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub linking: LinkingArgs,
    /// The function that the program starts in; LLVMFuzzerTestOneInput if there is no main
    #[arg(long, value_name = "FUNCTION", default_value = "main")]
    pub entry_point: String,
    /// The program in bitcode
    #[arg(value_name = "PROG.bc")]
    pub input: PathBuf,
    /// The linked program (- is standard output)
    #[arg(short, long, value_name = "OUT.bc")]
    pub output: PathBuf,
}

/// `plat analyze`.
#[derive(Args, Debug)]
pub struct AnalyzeArgs {
    /// The linked program
    #[arg(value_name = "IN.bc")]
    pub input: PathBuf,
    /// The points-to sets
    #[arg(
        short,
        long,
        value_name = "OUT.pts",
        required_unless_present = "check_aliases"
    )]
    pub output: Option<PathBuf>,
    /// The solver: wave (fast), naive or datalog (the rules word for word, for small programs), or
    /// compare (all three; it is an error when they disagree)
    #[arg(long, value_name = "NAME", default_value = "wave")]
    pub algorithm: String,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub budget: BudgetArgs,
    /// Check the solution independently before it is written
    #[arg(long)]
    pub check: bool,
    /// Print what every pointer may point to
    #[arg(long)]
    pub print: bool,
    /// Print sizes of the program, its constraints and sets, the solver's work, time and memory
    #[arg(long)]
    pub stats: bool,
    /// Check the program's calls of MUSTALIAS, MAYALIAS, PARTIALALIAS and NOALIAS(p, q); the exit
    /// code is 1 if pointers alias that should not according to the analysis
    #[arg(long)]
    pub check_aliases: bool,
    /// With --check-aliases: the exit code is 1 also if a NOALIAS does not hold
    #[arg(long, requires = "check_aliases")]
    pub strict: bool,
}

/// `plat segment`.
#[derive(Args, Debug)]
pub struct SegmentArgs {
    /// The linked program
    #[arg(value_name = "IN.bc")]
    pub input: PathBuf,
    /// What `plat analyze` wrote
    #[arg(long, value_name = "IN.pts")]
    pub points_to: PathBuf,
    /// The segment map (- is standard output)
    #[arg(short, long, value_name = "OUT.segments.json",
          required_unless_present_any = ["explain", "stats", "print", "dot", "html"])]
    pub output: Option<PathBuf>,
    /// Unite what a pointer may reach: of all pointers (all, as in the paper), of those that are
    /// dereferenced, or of those that symbolic input can choose (symbolic)
    #[arg(long, value_name = "WHICH", default_value = Unify::default().name(),
          value_parser = values::unify)]
    pub unify: Unify,
    /// Print the groups
    #[arg(long)]
    pub print: bool,
    /// Print why two allocations share a segment. A site is FILE:LINE or a function of a call on
    /// the way to the allocation, or a number from the map
    #[arg(long, num_args = 2, value_names = ["SITE1", "SITE2"])]
    pub explain: Vec<String>,
    /// Draw the groups as a graph for Graphviz
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
    /// Draw the groups as a page of HTML
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print numbers: groups by what is united, and the instructions that unite most
    #[arg(long)]
    pub stats: bool,
}

/// `plat transform`.
#[derive(Args, Debug)]
pub struct TransformArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub libc: LibcArgs,
    /// The linked program
    #[arg(value_name = "IN.bc")]
    pub input: PathBuf,
    /// What `plat segment` wrote
    #[arg(long, value_name = "IN.segments.json")]
    pub segments: PathBuf,
    /// The program to run (- is standard output)
    #[arg(short, long, value_name = "OUT.plat.bc")]
    pub output: PathBuf,
}

/// `plat replay`.
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// A run directory, or .ktest files in one
    #[arg(value_name = "OUT_DIR|FILE.ktest", required = true)]
    pub tests: Vec<PathBuf>,
    /// Longest time for one test: 10s, 1min
    #[arg(long, value_name = "SPAN", default_value = "10s", value_parser = values::span)]
    pub timeout: std::time::Duration,
    /// Run the native build in this directory, which paths saw if they were explored in it, and not
    /// each test in an empty one
    #[arg(long, value_name = "DIR")]
    pub run_in_dir: Option<PathBuf>,
    /// What the program's clock shows when it starts, if it was explored with this option: seconds since
    /// 1970. A program that waits for times of day has the system's clock
    #[arg(long, value_name = "SECONDS", value_parser = values::start_time)]
    pub start_time: Option<i64>,
    /// Let the program write outside of its directory, reach the network and leave processes behind.
    /// Otherwise it is kept from that as far as the system can
    #[arg(long)]
    pub no_sandbox: bool,
    /// Print only tests that differ, and the last line
    #[arg(long, short)]
    pub quiet: bool,
    /// The native build
    #[arg(last = true, required = true, value_name = "NATIVE")]
    pub native: Vec<PathBuf>,
}

/// The command under the name `klee-replay`.
#[derive(Args, Debug)]
pub struct KleeReplayArgs {
    /// Only make the files of a test case, and leave them
    #[arg(short = 'f', long, value_name = "FILE.ktest")]
    pub create_files_only: Option<PathBuf>,
    /// Leave the files where they are
    #[arg(short, long)]
    pub keep_replay_dir: bool,
    /// Let the program write outside of its directory, reach the network and leave processes behind
    #[arg(long)]
    pub no_sandbox: bool,
    /// The native build, then test cases
    #[arg(value_name = "EXECUTABLE FILE.ktest...")]
    pub words: Vec<PathBuf>,
}

/// `plat ktest`.
#[derive(Args, Debug)]
pub struct KtestArgs {
    /// Leave out zeros at the ends of objects
    #[arg(long)]
    pub trim_zeros: bool,
    /// Write the bytes of the objects of this name to FILE.ktest.NAME, instead of printing
    /// (repeatable)
    #[arg(long, value_name = "NAME")]
    pub extract: Vec<String>,
    /// Test cases
    #[arg(value_name = "FILE.ktest", required = true)]
    pub files: Vec<PathBuf>,
}

/// `plat table`.
#[derive(Args, Debug)]
pub struct TableArgs {
    /// Run directories, each with a name for its row if you like
    #[arg(value_name = "[NAME=]DIR", required = true)]
    pub runs: Vec<String>,
}

/// A command line that was understood.
#[derive(Debug)]
pub struct Parsed {
    /// What to do.
    pub command: Command,
    /// Notes for the user, about options that have no effect.
    pub notes: Vec<String>,
}

/// What a command line asks for.
#[derive(Debug)]
pub enum Asked {
    /// To do something.
    Command(Box<Parsed>),
    /// To print a text: help or version.
    Text(String),
}

/// A command line with the words of its response files (`@FILE`).
///
/// # Errors
/// When a file cannot be read.
pub fn with_response_files(line: &[OsString]) -> Result<Vec<OsString>, Error> {
    let mut cli = Cli::command();
    cli.build();
    response_files::expand(&cli, line)
}

/// Parses a command line; the first element is the name of the command.
///
/// # Errors
/// With one line on what is wrong.
pub fn parse(line: &[OsString]) -> Result<Asked, Error> {
    let mut cli = Cli::command();
    cli.build();
    let mut args = line.to_vec();
    // Help names the command as it is, whatever the executable is called.
    if let Some(name) = args.first_mut() {
        *name = "plat".into();
    }
    let mut notes = Vec::new();
    let name = line
        .get(1)
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    if let ("run" | "explore" | "ideal" | "compare", Some(command)) =
        (name, cli.find_subcommand(name))
    {
        args.truncate(2);
        // `klee --version`, which is `plat explore --klee-names --version`.
        let is_version = |word: &OsString| word == "--version" || word == "-version";
        if line[2..].iter().take(2).any(is_version) {
            args.truncate(1);
            args.push("--version".into());
        } else {
            let spelled = klee::respell(command, &line[2..]).map_err(Error::input)?;
            args.extend(spelled.args);
            notes = spelled.notes;
        }
    }
    let matches = match cli.try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(error) => return usage(&error),
    };
    let cli = Cli::from_arg_matches(&matches).map_err(|error| Error::input(one_line(&error)))?;
    Ok(Asked::Command(Box::new(Parsed {
        command: cli.command,
        notes,
    })))
}

fn usage(error: &clap::Error) -> Result<Asked, Error> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let text = error.render();
            Ok(Asked::Text(if crate::say::output_is_terminal() {
                text.ansi().to_string()
            } else {
                text.to_string()
            }))
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            Err(Error::input("no command; `plat --help` lists them"))
        }
        _ => Err(Error::input(one_line(error))),
    }
}

/// clap's message in one line: its first paragraphs, without the usage and the hint at `--help`. What is
/// wrong with an alias says itself which option it is about, as KLEE's message does.
fn one_line(error: &clap::Error) -> String {
    let cause = std::error::Error::source(error).map(ToString::to_string);
    if let Some(cause) = cause.filter(|cause| cause.starts_with("function-alias: ")) {
        return cause;
    }
    let text = error.to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"))
        .filter(|line| !line.is_empty())
        .collect();
    lines.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_line(line: &str) -> Result<Asked, Error> {
        let line: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        parse(&line)
    }

    fn explore(line: &str) -> ExploreArgs {
        match parse_line(line) {
            Ok(Asked::Command(parsed)) => match parsed.command {
                Command::Explore(args) => *args,
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn options_before_the_program_are_plats_and_after_it_the_programs() {
        let args = explore(
            "plat explore --search dfs --search nurs:covnew --sym-arg 2 -max-time=1h10min p.bc \
             --search x --sym-stdin 3 -H37 --help",
        );
        assert_eq!(args.run.how.execution.search, ["dfs", "nurs:covnew"]);
        assert_eq!(args.run.how.input.sym_arg, [2]);
        assert_eq!(
            args.run.how.limits.max_time,
            Some(std::time::Duration::from_secs(4200))
        );
        assert_eq!(args.run.program, PathBuf::from("p.bc"));
        assert_eq!(
            args.run.program_args,
            ["--search", "x", "--sym-stdin", "3", "-H37", "--help"]
        );
    }

    #[test]
    fn switches_take_a_value_as_klees_do() {
        let on = explore("plat explore -emit-all-errors p.bc");
        let off = explore("plat explore --emit-all-errors=false p.bc");
        assert!(on.run.output.emit_all_errors && !off.run.output.emit_all_errors);
    }

    #[test]
    fn mistakes_are_one_line() {
        for line in [
            "plat",
            "plat nonsense",
            "plat run",
            "plat run --nonsense p.bc",
            "plat run --max-time soon p.bc",
            "plat explore --rng-seed-random p.bc",
            "plat link p.bc",
        ] {
            let failure = parse_line(line).expect_err(line);
            assert_eq!(crate::exit::code(&failure), 2, "{line}");
            assert!(!failure.message.contains('\n'), "{line}: {failure}");
            assert!(!failure.message.is_empty(), "{line}");
        }
    }
}

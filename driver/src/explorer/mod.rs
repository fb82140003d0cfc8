//! A run as a builder: what is explored, how, and who takes part. See [`Explorer`].

mod fuzzer;
mod input;
mod options;
mod output;
mod regress;
mod replay;
mod resume;
mod run;
mod stages;

pub use fuzzer::{Exchanged, Fuzzer};
pub use output::{MakeDirectory, OnDirectory, Output};
pub use plat_transform::FunctionAlias;
pub use replay::{Executed, Replayer};
pub use stages::{Linked, Prepared, check_entry};

use crate::corpus::Raw;
use crate::pipeline::StageFiles;
use crate::scratch::Scratch;
use crate::{Interrupt, Processes};
use plat_engine::{Config, Extensions, Observer};
use plat_env::InputSpec;
use plat_program::Program;
use plat_segments::Unify;
use std::fmt;
use std::path::{Path, PathBuf};

/// A run that is being described. Every option has the default of the command `plat`.
///
/// It is made of [bitcode](Explorer::bitcode), or of a [program](Explorer::program) that is there
/// already. [`Explorer::run`] does everything. Who wants to look in between takes it stage by stage:
/// [`Explorer::link`] gives a [`Linked`], [`Linked::prepare`] a [`Prepared`], and [`Prepared::run`]
/// explores it.
///
/// ```
/// use plat::Explorer;
///
/// let program = plat::parse(
///     b"
/// program \"abs\"
/// define i32 @main(i32 %0, ptr %1) {
/// b0:
///   %2 = load ptr %1, align 8
///   %3 = address %1, +8
///   %4 = load ptr %3, align 8
///   %5 = load i8 %4, align 1
///   %6 = icmp eq i8 %5, 33
///   branch %6, b1, b2
/// b1:
///   return 1
/// b2:
///   return 0
/// }
/// ",
/// )?;
/// let report = Explorer::program(&program).sym_arg(1).run()?;
/// assert!(report.is_complete());
/// let found = report.tests.iter().find(|test| test.path.exit_code == Some(1));
/// assert_eq!(found.and_then(|test| test.input("arg00")), Some(&b"!\0"[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub struct Explorer<'a> {
    subject: Subject<'a>,
    config: Config,
    input: InputSpec,
    raw_seeds: Vec<Raw>,
    fuzzer: Option<Fuzzer>,
    stages: StageOptions,
    processes: Processes,
    extensions: Extensions<'a>,
    observers: Vec<Box<dyn Observer + 'a>>,
    interrupt: Option<Interrupt>,
    output: Option<Output>,
    on_directory: Option<OnDirectory<'a>>,
    /// What the program is told its name is, if not as it was given.
    told: Option<String>,
    on_warning: Option<OnWarning<'a>>,
}

/// What is called for each warning of the stages, see [`Explorer::on_warning`].
type OnWarning<'a> = Box<dyn FnMut(&str) + 'a>;

/// What is explored.
#[derive(Clone, Debug)]
enum Subject<'a> {
    /// Bitcode that goes through all stages.
    Bitcode(PathBuf),
    /// Bitcode that has been through all stages but the last.
    Transformed(PathBuf),
    /// A program in memory.
    Program(&'a Program),
}

/// How the stages before the run work.
#[derive(Clone, Debug)]
struct StageOptions {
    /// The program's bitcode, if it is in no file.
    contents: Option<Vec<u8>>,
    /// Further bitcode that belongs to the program.
    further: Vec<PathBuf>,
    /// Optimise with LLVM's passes first.
    optimize: bool,
    /// Make comparisons of switches.
    lower_switches: bool,
    /// Functions that stand in for others.
    aliases: Vec<FunctionAlias>,
    /// The directory of the C library; none is where [`crate::libc::find`] looks.
    libc: Option<PathBuf>,
    /// A segment map to use.
    segments: Option<PathBuf>,
    /// Whose points-to sets are united.
    unify: Unify,
    /// The budget of the analysis.
    budget: u64,
    /// Whether pointers are checked, and against which file; without one, against an analysis.
    check_points_to: Option<Option<PathBuf>>,
}

impl Default for StageOptions {
    fn default() -> Self {
        StageOptions {
            contents: None,
            further: Vec::new(),
            optimize: false,
            lower_switches: false,
            aliases: Vec::new(),
            libc: None,
            segments: None,
            unify: Unify::default(),
            budget: plat_pointers::PointsToConfig::default().budget,
            check_points_to: None,
        }
    }
}

impl<'a> Explorer<'a> {
    fn new(subject: Subject<'a>) -> Self {
        Explorer {
            subject,
            config: Config::default(),
            input: InputSpec::default(),
            raw_seeds: Vec::new(),
            fuzzer: None,
            stages: StageOptions::default(),
            processes: Processes::default(),
            extensions: Extensions::default(),
            observers: Vec::new(),
            interrupt: None,
            output: None,
            on_directory: None,
            told: None,
            on_warning: None,
        }
    }

    /// Explores the program in a file of bitcode, as a compiler has made it: the C library is added,
    /// and if the memory model asks for segments, the program is analysed and annotated. Needs the
    /// C library in bitcode ([`crate::libc`]).
    pub fn bitcode(path: impl Into<PathBuf>) -> Self {
        Explorer::new(Subject::Bitcode(path.into()))
    }

    /// Explores what is in a file of bitcode as it is: it has been through the stages already
    /// (`plat transform`), or needs none of them.
    pub fn transformed(path: impl Into<PathBuf>) -> Self {
        Explorer::new(Subject::Transformed(path.into()))
    }

    /// Explores a program in memory as it is: one that [`crate::parse`] has made of text, or one that
    /// was read from bitcode.
    pub fn program(program: &'a Program) -> Self {
        Explorer::new(Subject::Program(program))
    }

    /// What the program is called.
    fn name(&self) -> &Path {
        match &self.subject {
            Subject::Bitcode(path) | Subject::Transformed(path) => path,
            Subject::Program(program) => Path::new(&program.name),
        }
    }
}

impl fmt::Debug for Explorer<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Explorer")
            .field("subject", &self.subject)
            .field("config", &self.config)
            .field("input", &self.input)
            .field("stages", &self.stages)
            .finish_non_exhaustive()
    }
}

/// A temporary directory with the files of the stages.
struct Room {
    scratch: Scratch,
    files: StageFiles,
}

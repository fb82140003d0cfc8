//! Symbolic input: its specification, and the argument list, files and objects made from it.
//!
//! The options are those of KLEE's POSIX runtime; the objects have its names (`arg00`, `n_args`,
//! `A_data`, `stdin`, `read_fail`). Differences, all towards fewer unknowns:
//!
//! - the status of a symbolic file is concrete, also in its object (`A_data_stat`, `stdin_stat`);
//! - standard output is always captured whole, so `--save-all-writes` is accepted and changes
//!   nothing; `--sym-stdout` makes the objects `stdout` and `stdout_stat`: the second is the status
//!   of standard output, the first is not connected to the bytes written;
//! - `n_args` is not a symbolic number: the alternatives are explored as separate paths from the
//!   start, and the object holds the count;
//! - an input may be a *template*: a file of which only marked bytes are symbolic. Its object holds
//!   all bytes, so that a test case is complete in itself.

mod options;
mod realise;
mod status;

pub use options::parse_posix_options;
pub use realise::{Alternative, InputObject, Inputs, realise};
pub use status::is_status;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The variables that programs start with, and native replays too.
pub const PROGRAM_ENVIRONMENT: &[&str] = &["HOME=/", "LC_ALL=C", "PATH=/usr/bin:/bin"];

/// One argument, or several.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArgSpec {
    /// These bytes.
    Concrete(Vec<u8>),
    /// `size` symbolic bytes and the terminator.
    Symbolic {
        /// Bytes before the terminator.
        size: u32,
    },
    /// Between `min` and `max` symbolic arguments.
    SymbolicList {
        /// Fewest.
        min: u32,
        /// Most.
        max: u32,
        /// Bytes of each before the terminator.
        size: u32,
    },
}

/// The contents of an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// These bytes, all concrete.
    Concrete(Arc<[u8]>),
    /// This many symbolic bytes.
    Symbolic(u64),
    /// A template in this file of the host, not read yet.
    TemplateFile(PathBuf),
    /// A template: marked bytes are symbolic.
    Template(Arc<[u8]>),
}

/// What comes of a program that the program under test starts (`--system-result`): it does nothing and
/// ends with this exit status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SystemResult {
    /// This one.
    Status(u8),
    /// A symbolic one, each time.
    Symbolic,
}

/// The name of the objects that hold symbolic statuses of other programs.
pub const SYSTEM_OBJECT: &str = "system";

/// What programs print that the program under test starts (`--command-output`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandOutput {
    /// The bytes; those that are not there are symbolic, each time anew.
    pub bytes: Arc<[Option<u8>]>,
    /// The least and the greatest value of symbolic bytes.
    pub range: Option<(u8, u8)>,
}

/// What comes of programs that the program under test starts.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Commands {
    /// How they end; none if they cannot be started.
    pub result: Option<SystemResult>,
    /// What they print.
    pub output: Option<CommandOutput>,
}

/// The name of the objects that hold what other programs print.
pub const COMMAND_OBJECT: &str = "command";

/// Most bytes that another program prints: they are to fit in a pipe.
pub const MAX_COMMAND_OUTPUT: u64 = 1 << 15;

/// The name of the objects that hold symbolic random numbers.
pub const RANDOM_OBJECT: &str = "rand";

/// A file that the program finds in its working directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileSpec {
    /// Its name.
    pub name: String,
    /// Its contents.
    pub source: Source,
}

/// The input of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputSpec {
    /// The arguments after the name of the program.
    pub args: Vec<ArgSpec>,
    /// The symbolic files `A`, `B`, ...: their number and size.
    pub sym_files: Option<(u32, u64)>,
    /// Further files.
    pub files: Vec<FileSpec>,
    /// Standard input; `None`: it is empty.
    pub stdin: Option<Source>,
    /// The peers outside that connect or are connected to: their number, and how much each sends.
    pub sym_sockets: Option<(u32, u64)>,
    /// The peers outside that are only connected to: likewise.
    pub sym_servers: Option<(u32, u64)>,
    /// What comes of programs that the program starts; `None`: they cannot be started.
    pub system_result: Option<SystemResult>,
    /// What these programs print; `None`: nothing.
    pub command_output: Option<Source>,
    /// Whether `rand` and its relatives return symbolic numbers. Default false.
    pub sym_rand: bool,
    /// Whether the status of standard output is symbolic.
    pub sym_stdout: bool,
    /// Whether the system is that of KLEE's POSIX runtime: the status of symbolic files is symbolic, too, and
    /// see [`crate::Statuses::as_klee`]. Default false.
    pub as_klee: bool,
    /// The byte that marks symbolic bytes in templates. Default `?`.
    pub mark: u8,
    /// The least and the greatest value of marked bytes. Default: any.
    pub range: Option<(u8, u8)>,
    /// The most injected failures. Default 0.
    pub max_fail: u32,
    /// Whether one allocation of a path may fail. Default false.
    pub fail_malloc: bool,
}

impl Default for InputSpec {
    fn default() -> Self {
        Self {
            args: Vec::new(),
            sym_files: None,
            files: Vec::new(),
            stdin: None,
            sym_sockets: None,
            sym_servers: None,
            system_result: None,
            command_output: None,
            sym_rand: false,
            sym_stdout: false,
            as_klee: false,
            mark: b'?',
            range: None,
            max_fail: 0,
            fail_malloc: false,
        }
    }
}

/// The name of the object that holds what a peer outside sends.
pub fn peer_name(number: u32) -> String {
    format!("socket{number:02}")
}

/// The name of the object that holds what a peer outside sends that only answers.
pub fn server_name(number: u32) -> String {
    format!("server{number:02}")
}

/// Most symbolic peers of a kind.
pub const MAX_SYMBOLIC_PEERS: u32 = 100;
/// Most symbolic arguments.
pub const MAX_SYMBOLIC_ARGS: u32 = 100;
/// Largest symbolic object, in bytes.
pub const MAX_SYMBOLIC_SIZE: u64 = 1 << 20;

/// Why a specification of input is invalid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputError {
    /// An option lacks its values: what it expects.
    Expects(&'static str),
    /// A value is out of bounds: what is allowed.
    Invalid(String),
    /// An option that may be given once was given twice.
    Twice(&'static str),
    /// There are more than [`MAX_SYMBOLIC_ARGS`] symbolic arguments.
    TooManyArguments,
    /// A template cannot be read: the file and why.
    Template(PathBuf, String),
}

impl fmt::Display for InputError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputError::Expects(what) => write!(out, "{what}"),
            InputError::Invalid(what) => write!(out, "{what}"),
            InputError::Twice(option) => write!(out, "Multiple {option} are not allowed"),
            InputError::TooManyArguments => {
                write!(
                    out,
                    "No more than {MAX_SYMBOLIC_ARGS} symbolic arguments allowed."
                )
            }
            InputError::Template(path, reason) => {
                write!(out, "cannot read the template {}: {reason}", path.display())
            }
        }
    }
}

impl std::error::Error for InputError {}

impl InputSpec {
    /// The files of templates that are still to be read.
    pub fn template_files(&self) -> impl Iterator<Item = &Path> {
        let whole = self.stdin.iter().chain(&self.command_output);
        let sources = whole.chain(self.files.iter().map(|file| &file.source));
        sources.filter_map(|source| match source {
            Source::TemplateFile(path) => Some(path.as_path()),
            _ => None,
        })
    }

    /// Read the template files.
    pub fn read_templates(&mut self) -> Result<(), InputError> {
        let files = self.files.iter_mut().map(|file| &mut file.source);
        let whole = self.stdin.iter_mut().chain(&mut self.command_output);
        for source in files.chain(whole) {
            if let Source::TemplateFile(path) = source {
                *source = Source::Template(read_template(path)?);
            }
        }
        Ok(())
    }

    /// The options that describe this input, as a test case records them: its name first, then
    /// arguments that [`parse_posix_options`] understands. Standard input, and what other programs
    /// print, is named by its size: its bytes are in the test case.
    pub fn recorded_arguments(&self, program: &[u8]) -> Vec<Vec<u8>> {
        let mut args = vec![program.to_vec()];
        let mut option = |words: &[&str]| args.extend(words.iter().map(|w| w.as_bytes().to_vec()));
        if let Some((count, size)) = self.sym_files {
            option(&["--sym-files", &count.to_string(), &size.to_string()]);
        }
        for file in &self.files {
            option(&["--file-template", &format!("{}={}", file.name, file.name)]);
        }
        let size = |source: &Option<Source>| match source {
            Some(Source::Concrete(bytes) | Source::Template(bytes)) => Some(bytes.len() as u64),
            Some(Source::Symbolic(size)) => Some(*size),
            Some(Source::TemplateFile(_)) | None => None,
        };
        if let Some(size) = size(&self.stdin).filter(|&size| size > 0) {
            option(&["--sym-stdin", &size.to_string()]);
        }
        if let Some((count, size)) = self.sym_sockets {
            option(&["--sym-sockets", &count.to_string(), &size.to_string()]);
        }
        if let Some((count, size)) = self.sym_servers {
            option(&["--sym-servers", &count.to_string(), &size.to_string()]);
        }
        match self.system_result {
            Some(SystemResult::Status(status)) => {
                option(&["--system-result", &status.to_string()]);
            }
            Some(SystemResult::Symbolic) => option(&["--system-result", "symbolic"]),
            None => {}
        }
        if let Some(size) = size(&self.command_output).filter(|&size| size > 0) {
            option(&["--command-output", &size.to_string()]);
        }
        if self.sym_rand {
            option(&["--sym-rand"]);
        }
        if self.sym_stdout {
            option(&["--sym-stdout"]);
        }
        if self.max_fail > 0 {
            option(&["--max-fail", &self.max_fail.to_string()]);
        }
        if self.fail_malloc {
            option(&["--fail-malloc"]);
        }
        for arg in &self.args {
            match arg {
                ArgSpec::Concrete(bytes) => args.push(bytes.clone()),
                ArgSpec::Symbolic { size } => {
                    args.extend([b"--sym-arg".to_vec(), size.to_string().into_bytes()]);
                }
                ArgSpec::SymbolicList { min, max, size } => {
                    args.push(b"--sym-args".to_vec());
                    args.extend([min, max, size].map(|number| number.to_string().into_bytes()));
                }
            }
        }
        args
    }
}

fn read_template(path: &Path) -> Result<Arc<[u8]>, InputError> {
    let failed = |reason: String| InputError::Template(path.to_path_buf(), reason);
    let bytes = std::fs::read(path).map_err(|error| failed(error.to_string()))?;
    if bytes.len() as u64 > MAX_SYMBOLIC_SIZE {
        return Err(failed(format!(
            "it has more than {MAX_SYMBOLIC_SIZE} bytes"
        )));
    }
    Ok(bytes.into())
}

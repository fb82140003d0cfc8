//! The input of a native replay of a test case: arguments, standard input, files, and the remaining
//! objects, which are for the harness.
//!
//! All of it comes from the test case, as its arguments include the options of symbolic input.
//! Injected failures (`read_fail` and its kin) cannot be replayed natively.

use crate::input::{
    ArgSpec, COMMAND_OBJECT, InputError, RANDOM_OBJECT, SYSTEM_OBJECT, SystemResult, is_status,
    parse_posix_options, peer_name, server_name,
};
use crate::ktest::{Ktest, Object};
use crate::metadata::{S_IFMT, S_IFREG};
use crate::symbolic_status::mode_in;
use std::fmt;

/// The input of a native run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Replay {
    /// The arguments, the recorded name of the program first.
    pub argv: Vec<Vec<u8>>,
    /// Standard input.
    pub stdin: Vec<u8>,
    /// What each peer outside sends over a socket, by the name of its object; none if the program had no
    /// symbolic sockets.
    pub peers: Option<Vec<(String, Vec<u8>)>>,
    /// The exit statuses of programs that the program starts, in order; the last one stands for those
    /// behind it, too. None if it can start none.
    pub commands: Option<Vec<u8>>,
    /// What these programs print, in order; the last one stands for those behind it, too.
    pub printed: Vec<Vec<u8>>,
    /// What `rand` and its relatives return, four bytes each; none if they are the library's own.
    pub random: Option<Vec<u8>>,
    /// Files of the working directory, by name.
    pub files: Vec<(String, Vec<u8>)>,
    /// The test case with the objects that the program itself makes.
    pub harness: Ktest,
    /// The mode of standard output on the path, if it was symbolic. A replay cannot reproduce the
    /// other fields of its status.
    pub output_mode: Option<u32>,
    /// An object with the status of an input that is no file that its owner may read and write, and its mode:
    /// in a replay it is one.
    pub input_mode: Option<(String, u32)>,
    /// Whether the path may depend on injected failures, which the replay does not have.
    pub failures: bool,
}

impl Replay {
    /// Whether standard output is a regular file on the path.
    pub fn writes_to_file(&self) -> bool {
        self.output_mode
            .is_some_and(|mode| mode & S_IFMT == S_IFREG)
    }
}

/// Why a test case cannot be replayed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplayError {
    /// Its arguments are not understood.
    Arguments(InputError),
    /// It lacks an object that its arguments ask for.
    Missing(String),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Arguments(error) => write!(out, "the arguments of the test case: {error}"),
            ReplayError::Missing(name) => write!(out, "the test case has no object `{name}`"),
        }
    }
}

impl std::error::Error for ReplayError {}

/// The unused objects of a test case.
struct Objects {
    left: Vec<Object>,
}

impl Objects {
    fn take(&mut self, name: &str) -> Result<Vec<u8>, ReplayError> {
        let at = self.left.iter().position(|object| object.name == name);
        at.map(|at| self.left.remove(at).bytes)
            .ok_or_else(|| ReplayError::Missing(name.into()))
    }

    /// The next argument, up to its first zero byte as C sees it.
    fn take_arg(&mut self, number: u32) -> Result<Vec<u8>, ReplayError> {
        let mut bytes = self.take(&format!("arg{number:02}"))?;
        let size = bytes
            .iter()
            .position(|&byte| byte == 0)
            .unwrap_or(bytes.len());
        bytes.truncate(size);
        Ok(bytes)
    }
}

/// Plans the native replay of a test case.
pub fn plan(test: &Ktest) -> Result<Replay, ReplayError> {
    let program = test.args.first().cloned().unwrap_or_default();
    let words = test.args.get(1..).unwrap_or_default();
    let spec = parse_posix_options(words).map_err(ReplayError::Arguments)?;
    let mut objects = Objects {
        left: test.objects.clone(),
    };
    let mut replay = Replay {
        argv: vec![program.clone()],
        ..Replay::default()
    };
    let mut number = 0;
    for arg in &spec.args {
        let count = match arg {
            ArgSpec::Concrete(bytes) => {
                replay.argv.push(bytes.clone());
                continue;
            }
            ArgSpec::Symbolic { .. } => 1,
            ArgSpec::SymbolicList { .. } => {
                let bytes = objects.take("n_args")?;
                let bytes = bytes
                    .try_into()
                    .map_err(|_| ReplayError::Missing("n_args".into()))?;
                u32::from_le_bytes(bytes)
            }
        };
        for _ in 0..count {
            replay.argv.push(objects.take_arg(number)?);
            number += 1;
        }
    }
    let letters = (b'A'..).take(spec.sym_files.map_or(0, |(count, _)| count as usize));
    let names = letters.map(|letter| char::from(letter).to_string());
    for name in names.chain(spec.files.iter().map(|file| file.name.clone())) {
        let bytes = match objects.take(&format!("{name}_data")) {
            // The file of an empty template has no object: objects have bytes.
            Err(_) if spec.files.iter().any(|file| file.name == name) => Vec::new(),
            bytes => bytes?,
        };
        replay.files.push((name, bytes));
    }
    if spec.stdin.is_some() {
        replay.stdin = objects.take("stdin")?;
    }
    let kinds = [
        (spec.sym_sockets, peer_name as fn(u32) -> String),
        (spec.sym_servers, server_name),
    ];
    for (peers, name) in kinds {
        for number in 0..peers.map_or(0, |(count, _)| count) {
            let bytes = objects.take(&name(number))?;
            let peers = replay.peers.get_or_insert_default();
            peers.push((name(number), bytes));
        }
    }
    replay.commands = match spec.system_result {
        Some(SystemResult::Status(status)) => Some(vec![status]),
        Some(SystemResult::Symbolic) => {
            let statuses = std::iter::from_fn(|| objects.take(SYSTEM_OBJECT).ok());
            Some(statuses.flatten().collect())
        }
        None => None,
    };
    if spec.command_output.is_some() {
        replay.printed = std::iter::from_fn(|| objects.take(COMMAND_OBJECT).ok()).collect();
    }
    if spec.sym_rand {
        let numbers = std::iter::from_fn(|| objects.take(RANDOM_OBJECT).ok());
        replay.random = Some(numbers.flatten().collect());
    }
    if spec.sym_stdout {
        replay.output_mode = mode_in(&objects.take("stdout_stat")?);
    }
    if spec.max_fail > 0 {
        for kind in ["read", "write", "close", "ftruncate", "getcwd"] {
            // Calls are counted from 1, so 0 means none.
            let ordinal = objects.take(&format!("{kind}_fail")).unwrap_or_default();
            replay.failures |= ordinal.iter().any(|&byte| byte != 0);
        }
    }
    if spec.fail_malloc {
        let ordinal = objects.take("malloc_fail").unwrap_or_default();
        replay.failures |= ordinal.iter().any(|&byte| byte != 0);
    }
    replay.input_mode = test.objects.iter().find_map(|object| {
        let of_input = is_status(&object.name) && !object.name.starts_with("stdout");
        let mode = mode_in(&object.bytes).filter(|_| of_input)?;
        let ordinary = mode & S_IFMT == S_IFREG && mode & 0o600 == 0o600;
        (!ordinary).then(|| (object.name.clone(), mode))
    });
    // Objects of KLEE's POSIX runtime that this model does not need.
    let known: Vec<String> = replay
        .files
        .iter()
        .map(|(name, _)| format!("{name}_data_stat"))
        .collect();
    let others = ["stdin_stat", "stdout", "stdout_stat", "model_version"];
    let posix = |name: &str| known.iter().any(|known| known == name) || others.contains(&name);
    objects.left.retain(|object| !posix(&object.name));
    replay.harness = Ktest {
        args: vec![program],
        objects: objects.left,
    };
    Ok(replay)
}

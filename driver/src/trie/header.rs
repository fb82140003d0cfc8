//! What a trie says of its run: the program, and the options that its decisions depend on.

use super::record::Record;
use crate::Error;
use plat_engine::Config;
use plat_env::InputSpec;
use plat_program::Program;
use plat_store::Header;
use std::path::{Path, PathBuf};

/// The key under which a header has the directory in which the run was begun.
const DIRECTORY: &str = "directory";

/// The key under which it has the number of initial states.
const ROOTS: &str = "initial states";

/// The number of initial states of the run with this header: each is a root of the trie.
pub(super) fn roots(header: &Header) -> u64 {
    let roots = header.about.get(ROOTS);
    roots.and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// How a run was begun.
#[derive(Clone, Debug)]
pub struct Begun {
    /// In which directory.
    pub directory: PathBuf,
    /// By which command line.
    pub command_line: Vec<String>,
}

/// Has a header say that the run was begun in another directory.
pub(crate) fn begin_in(header: &mut Header, directory: &Path) {
    let directory = directory.display().to_string();
    header.about.insert(DIRECTORY.into(), directory);
}

/// How the run of a directory was begun.
///
/// # Errors
/// When it has no trie.
pub fn begun(directory: &Path) -> Result<Begun, Error> {
    let reader = super::tree::open(directory)?;
    let begun = match reader.get(0) {
        Ok(Record::Session(line)) => reader.header().about.get(DIRECTORY).map(|at| Begun {
            directory: at.into(),
            command_line: line,
        }),
        _ => None,
    };
    begun.ok_or_else(|| {
        let place = directory.display();
        Error::input(format!(
            "{place}: the run was ended before it began: begin another one"
        ))
    })
}

/// Whether a file is a trie, or a piece of work of one.
///
/// # Errors
/// When it is not.
pub fn check(file: &Path) -> Result<(), Error> {
    let opened = plat_store::Reader::<Record>::open(file);
    let wrong = |why| Error::input(format!("{}: {why}", file.display()));
    opened.map(drop).map_err(wrong)
}

/// The header of the trie in a directory.
///
/// # Errors
/// When there is none.
pub fn read(directory: &Path) -> Result<Header, Error> {
    Ok(super::tree::open(directory)?.header().clone())
}

/// What a header has of the program that is executed.
pub fn digest(program: &Program) -> String {
    format!("{:016x}", program.digest())
}

/// The header of the trie of a run.
pub fn of(program: &Program, config: &Config, input: &InputSpec) -> Header {
    let mut header = Header {
        program: digest(program),
        ..Header::default()
    };
    let Config {
        start,
        memory,
        checks,
        ..
    } = config;
    let here = std::env::current_dir().unwrap_or_default();
    let start_in = match &start.directory {
        Some(directory) => here.join(directory),
        None => here.clone(),
    };
    let allowed = start.files.allowed.iter().map(|path| here.join(path));
    let allowed: Vec<PathBuf> = allowed.collect();
    // Where the helper is does not matter.
    let external = config.external.as_ref();
    let external = external.map(|external| (&external.allow, &external.libraries));
    let external = format!("{external:?}");
    let decisions = [
        ("the input", format!("{input:?}")),
        ("the entry point (--entry-point)", start.entry_point.clone()),
        (
            "the environment of the program (--env)",
            format!("{:?}", start.environment),
        ),
        (
            "the directory (--run-in-dir)",
            format!("{}", start_in.display()),
        ),
        (
            "the files that the program may read (--files, --allow-file)",
            format!("{:?}", (start.files.access, allowed)),
        ),
        (
            "the time of the start (--start-time)",
            format!("{:?}", start.clock),
        ),
        (
            "the input of a fuzzer's harness (--fuzz-max-len)",
            start.most_fuzzed().to_string(),
        ),
        (
            "the memory model (--memory-model)",
            format!(
                "{:?}",
                (memory.model_of(program), &memory.options, &memory.pins)
            ),
        ),
        (
            "the allocator",
            format!("{:?}", (&memory.allocator, &memory.addresses)),
        ),
        (
            "the treatment of symbolic sizes",
            format!("{:?}", (memory.symbolic_size, memory.size_capacity)),
        ),
        ("what counts as a fault", format!("{checks:?}")),
        ("external calls (--external-calls)", external),
        (
            "the size of the stack",
            format!("{:?}", (config.limits.stack, config.limits.stack_frames)),
        ),
    ];
    if config.search.split_cases {
        let key = "the cases of switches (--split-switch-cases)";
        header.decisions.insert(key.into(), "each".into());
    }
    for (key, value) in decisions {
        header.decisions.insert(key.to_string(), value);
    }
    header
        .about
        .insert(DIRECTORY.into(), here.display().to_string());
    header
        .about
        .insert(ROOTS.into(), input.alternatives().len().to_string());
    header
        .about
        .insert("plat".into(), env!("CARGO_PKG_VERSION").into());
    header
}

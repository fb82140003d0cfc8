//! What the tests of libraries share that need a compiler and LLVM: C sources to programs and
//! native binaries, a scratch directory, and an observer that keeps the records.

#![forbid(unsafe_code)]

use plat_engine::search::SearcherChoice;
use plat_engine::{Config, Observer, Summary, TestRecord};
use plat_env::InputSpec;
use plat_memory::model::ModelChoice;
use plat_program::Program;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;

/// Keeps every record.
#[derive(Default)]
pub struct Records {
    /// The paths that ended.
    pub list: Vec<TestRecord>,
    /// What the paths printed.
    pub messages: Vec<String>,
}

impl Observer for Records {
    fn path_ended(&mut self, _: &Program, record: &TestRecord) {
        self.list.push(record.clone());
    }

    fn print(&mut self, text: &str) {
        self.messages.push(text.to_string());
    }
}

/// A directory for one test's files. It goes with its owner, and stays when a test fails.
pub struct Scratch(TempDir);

impl Drop for Scratch {
    fn drop(&mut self) {
        self.0.disable_cleanup(std::thread::panicking());
    }
}

impl Deref for Scratch {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

/// An empty directory with a name that begins with `name`.
pub fn scratch(name: &str) -> Scratch {
    let prefix = format!("plat-{name}-");
    Scratch(TempDir::with_prefix(prefix).expect("the scratch directory can be made"))
}

/// Compiles a C source.
pub fn compile(arguments: &[&str], source: &Path, output: &Path) {
    let harness = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../transform/runtime/include");
    let done = Command::new("clang-22")
        .args(arguments)
        .arg("-I")
        .arg(&harness)
        .arg(source)
        .arg("-o")
        .arg(output)
        .output()
        .expect("clang-22 runs");
    let text = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(
        done.status.success(),
        "clang-22 on {}: {text}",
        source.display()
    );
}

/// The program of a C source, compiled with the given optimisation.
pub fn program(directory: &Path, source: &Path, optimisation: &str) -> Program {
    let stem = source.file_stem().expect("a file").to_string_lossy();
    let bitcode = directory.join(format!("{stem}{optimisation}.bc"));
    let flags = [
        "-g",
        "-emit-llvm",
        "-c",
        "-fno-builtin",
        "-w",
        "-fno-vectorize",
        "-fno-slp-vectorize",
        "-ffp-contract=off",
        "-fwrapv",
        "-fno-math-errno",
        optimisation,
        "-Xclang",
        "-disable-O0-optnone",
    ];
    compile(&flags, source, &bitcode);
    plat_bitcode::read(&bitcode).expect("clang's bitcode is readable")
}

/// The native binary of a C source.
pub fn native(directory: &Path, source: &Path) -> PathBuf {
    let stem = source.file_stem().expect("a file").to_string_lossy();
    let binary = directory.join(stem.as_ref());
    compile(
        &[
            "-O1",
            "-w",
            "-fno-builtin",
            "-ffp-contract=off",
            "-fwrapv",
            "-lm",
        ],
        source,
        &binary,
    );
    binary
}

/// A source file of the tests.
pub fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("programs")
        .join(name)
}

/// Runs a program without input.
pub fn run(program: &Program, config: &Config) -> (Summary, Records) {
    let mut records = Records::default();
    static INTERRUPT: AtomicBool = AtomicBool::new(false);
    let summary = plat_engine::run(
        program,
        config,
        &InputSpec::default(),
        &mut records,
        &INTERRUPT,
    )
    .expect("the run starts");
    (summary, records)
}

/// The searchers of these names.
pub fn searchers(names: &[&str]) -> Vec<SearcherChoice> {
    let named = names.iter().map(|name| SearcherChoice::named(name));
    named.collect::<Result<_, _>>().expect("searchers")
}

/// A configuration with depth-first search and a memory model, that ends in any case.
pub fn config(model: &str) -> Config {
    let mut config = Config::default();
    config.memory.model = Some(ModelChoice::named(model).expect("a memory model"));
    config.search.searchers = searchers(&["dfs"]);
    config.limits.instructions = Some(20_000_000);
    config.solver.time_limit = None;
    config
}

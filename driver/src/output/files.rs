//! Which files a run writes beside `info`, `summary.json`, its messages and the test cases.

use super::queries::QueryLogs;
use crate::names::Names;
use std::time::Duration;

/// The files. The default is the command's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Files {
    /// `run.stats`: how the run went, as a table of SQLite. Default a row each second.
    pub stats: Option<Statistics>,
    /// `run.istats`: cost by instruction and line, for KCachegrind, with this time between two
    /// versions. Default 10 s.
    pub istats: Option<Duration>,
    /// `exec_tree.db`: the tree of forks, as a table of SQLite, so many nodes written at once. Default
    /// none.
    pub exec_tree: Option<usize>,
    /// `run.trie`: the decisions of all paths, with which the run can go on.
    pub trie: KeepTrie,
    /// `assembly.ll`: the bitcode that is executed, as text; error reports name its lines. Default
    /// true.
    pub source: bool,
    /// `run.lcov`: what of the program's own source files is covered, at the end. Default true.
    pub lcov: bool,
    /// What the stages make: `linked.bc`, `linked.pts`, `segments.json`, `transformed.bc`. Default
    /// false.
    pub stages: bool,
    /// `final.bc`: the bitcode that is executed. Default false.
    pub module: bool,
    /// A test suite for Test-Comp: `metadata.xml` and `testN.xml`. Default none.
    pub suite: Option<Suite>,
    /// `tests.jsonl`: a line for each test. Default true.
    pub lines: bool,
    /// The files of each test.
    pub tests: TestParts,
    /// Logs of the queries to the solver. Default none.
    pub queries: QueryLogs,
    /// Warnings go to `warnings.txt` only and are not shown. Default false.
    pub quiet_warnings: bool,
    /// Report an error each time it is met. Default false.
    pub all_errors: bool,
    /// What things are called.
    pub names: Names,
}

impl Default for Files {
    fn default() -> Self {
        Files {
            stats: Some(Statistics::default()),
            istats: Some(Duration::from_secs(10)),
            exec_tree: None,
            trie: KeepTrie::default(),
            source: true,
            lcov: true,
            stages: false,
            module: false,
            suite: None,
            lines: true,
            tests: TestParts::default(),
            queries: QueryLogs::default(),
            quiet_warnings: false,
            all_errors: false,
            names: Names::PLAT,
        }
    }
}

impl Files {
    /// Why a run that writes these files must have one process, if it must.
    pub fn need_one_process(&self) -> Option<&'static str> {
        let tree = (self.exec_tree.is_some()).then_some("the tree of forks is written");
        let lines = (self.tests.covered).then_some("covered lines are written");
        tree.or(lines)
    }
}

/// The table of how a run went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Statistics {
    /// The time between two rows. Default 1 s.
    pub interval: Duration,
    /// Whose instructions and branches KLEE's columns of coverage count. Default all.
    pub code: CountedCode,
}

impl Default for Statistics {
    fn default() -> Self {
        Statistics {
            interval: Duration::from_secs(1),
            code: CountedCode::All,
        }
    }
}

/// Code that is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CountedCode {
    /// The whole program with its libraries.
    All,
    /// What is not a library's.
    Own,
}

/// Whether a run keeps its decisions.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum KeepTrie {
    /// Where it can: see [`plat_engine::keeps_no_trie`].
    #[default]
    WherePossible,
    /// A run that cannot is an error.
    Always,
    /// It does not.
    Never,
}

/// What the head of a test suite names.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Suite {
    /// The source file. Default: the bitcode.
    pub program_file: Option<String>,
    /// Its SHA-256. Default: the file is read.
    pub program_hash: Option<String>,
}

/// Which tests have files of their own. All of them are in `run.tests`, from which the files can be
/// made later ([`crate::suite`]).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OwnFiles {
    /// Every test.
    All,
    /// Tests of paths that were the first to cover something, and of errors.
    #[default]
    New,
    /// No test.
    None,
}

/// What a test is made of beside its input and output: files beside `testN.ktest` and `testN.out`.
/// None by default. The path condition is there if the engine gives it ([`plat_engine::Config`]).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct TestParts {
    /// No test at all, only what the run was like.
    pub none: bool,
    /// Which tests have files of their own. Default [`OwnFiles::New`].
    pub own: OwnFiles,
    /// `testN.cov`: the lines that this path was the first to cover.
    pub covered: bool,
    /// `testN.path`: the direction of every conditional branch on the path.
    pub branches: bool,
    /// `testN.sym.path`: the choices at the forks on the path.
    pub forks: bool,
    /// `testN.info`: when the test was made.
    pub info: bool,
}

//! Options of the files that a run writes beside its tests.

use super::values;
use clap::{ArgAction, Args, ValueEnum};
use plat::output::files::OwnFiles;
use std::time::Duration;

/// Which tests have files of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum TestFiles {
    /// All tests
    All,
    /// Tests of paths that were the first to cover something, and of errors
    New,
    /// No tests
    None,
}

/// Whose code is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum StatsCode {
    /// The whole program with its libraries
    All,
    /// The program's own code, without its libraries
    Own,
}

impl FileArgs {
    /// Which tests have files of their own: all, where somebody will look for the files.
    pub fn own_files(&self, klee_names: bool) -> OwnFiles {
        let further = self.write_cov || self.write_paths || self.write_sym_paths;
        let further = further || self.write_kqueries || self.write_smt2s;
        let further = further || self.write_test_info || self.write_xml_tests;
        match self.test_files {
            Some(TestFiles::All) => OwnFiles::All,
            Some(TestFiles::New) => OwnFiles::New,
            Some(TestFiles::None) => OwnFiles::None,
            None if klee_names || further => OwnFiles::All,
            None => OwnFiles::New,
        }
    }

    /// The most tests of live paths.
    pub fn most_halt_tests(&self, klee_names: bool) -> Option<u64> {
        match (self.max_halt_tests, self.own_files(klee_names)) {
            (Some(most), _) => most.0,
            (None, OwnFiles::All) => Some(10_000),
            (None, OwnFiles::New | OwnFiles::None) => None,
        }
    }
}

/// Which files have statistics, and how often they are written.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Further files")]
pub struct StatisticsArgs {
    /// Write run.stats: how the run went, as a table of SQLite
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = true, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub output_stats: bool,

    /// Time between two rows of run.stats
    #[arg(long, value_name = "SPAN", default_value = "1s", value_parser = values::span)]
    pub stats_write_interval: Duration,

    /// Which code the columns of run.stats that KLEE has too count as covered or not (instructions,
    /// branches) [default: all; under KLEE's names own, unless --libc=uclibc is given]
    #[arg(long, value_name = "CODE")]
    pub stats_code: Option<StatsCode>,

    /// Write run.istats: cost by instruction and line, for KCachegrind
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = true, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub output_istats: bool,

    /// Time between two versions of run.istats
    #[arg(long, value_name = "SPAN", default_value = "10s", value_parser = values::span)]
    pub istats_write_interval: Duration,

    /// Write a line for each instruction that is executed, to instructions.txt in the run directory or to
    /// standard error: all of the place in the source, the line of assembly.ll, the state and the
    /// instruction, or (src, compact) less
    #[arg(long, value_name = "WHAT:WHERE")]
    pub debug_print_instructions: Option<PrintedInstructions>,
}

/// What is printed of executed instructions, and where: KLEE's names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum PrintedInstructions {
    /// Everything, on standard error
    #[value(name = "all:stderr")]
    AllStderr,
    /// No instructions
    #[value(name = "src:stderr")]
    SourceStderr,
    /// No places in the source either
    #[value(name = "compact:stderr")]
    CompactStderr,
    /// Everything, in instructions.txt
    #[value(name = "all:file")]
    AllFile,
    /// No instructions
    #[value(name = "src:file")]
    SourceFile,
    /// No places in the source either
    #[value(name = "compact:file")]
    CompactFile,
}

/// Which further files are written.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Further files")]
pub struct FileArgs {
    /// Statistics.
    #[command(flatten)]
    pub statistics: StatisticsArgs,

    /// Write run.trie: the decisions of all paths, with which `plat resume` goes on with the run
    /// [default: true, but for runs that follow seeds or merge paths]
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_missing_value = "true", value_name = "BOOL", value_parser = values::switch)]
    pub write_trie: Option<bool>,

    /// Write tests.jsonl: a line for each test. All tests are in run.tests in any case
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = true, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub output_test_lines: bool,

    /// Write assembly.ll: the bitcode that is executed, as text; error reports name its lines
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = true, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub output_source: bool,

    /// Write run.lcov: which lines, branches and functions of the program's own source files were
    /// covered, for genhtml and other tools; plat cover prints it
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = true, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub output_lcov: bool,

    /// Write final.bc: the bitcode that is executed
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub output_module: bool,

    /// Write exec_tree.db: the tree of forks, as a table of SQLite
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub write_exec_tree: bool,

    /// Nodes of the tree that are written at once
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub exec_tree_batch_size: usize,

    /// Write testN.cov: the lines that this path was the first to cover
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub write_cov: bool,

    /// Write testN.path: the direction of every conditional branch on the path
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub write_paths: bool,

    /// Write testN.sym.path: the choices at the forks on the path
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub write_sym_paths: bool,

    /// Write testN.kquery: the path condition, for all tests and not for errors only
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub write_kqueries: bool,

    /// Write testN.smt2: the path condition of the test in SMT-LIB 2 (the questions asked on the way
    /// are --log-queries)
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub write_smt2s: bool,

    /// Write testN.info: when the test was made
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub write_test_info: bool,

    /// Write a test suite for Test-Comp: metadata.xml and testN.xml
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub write_xml_tests: bool,

    /// The source file that metadata.xml names [default: the bitcode]
    #[arg(long, value_name = "FILE")]
    pub xml_metadata_programfile: Option<String>,

    /// The SHA-256 of the source file that metadata.xml names [default: that file's]
    #[arg(long, value_name = "HASH")]
    pub xml_metadata_programhash: Option<String>,

    /// Which tests have files of their own (testN.ktest, testN.out and others). All tests are in
    /// run.tests, from which `plat tests extract` makes the files; `new` are tests of paths that
    /// were the first to cover something, and of errors [default: new; all under --klee-names or
    /// with an option that writes a further file for each test]
    #[arg(long, value_name = "WHICH")]
    pub test_files: Option<TestFiles>,

    /// Write no tests, only statistics of the run
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub write_no_tests: bool,

    /// Write tests for the paths that a limit of the run cuts off (also `all` and `none`)
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = true, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::dumped)]
    pub dump_states_on_halt: bool,

    /// Write at most N of these tests, or `unlimited`. Paths that were the first to cover something
    /// are not counted: each of them has a test
    /// [default: unlimited; 10000 if each of them has files of its own]
    #[arg(long, value_name = "N", value_parser = values::bound)]
    pub max_halt_tests: Option<values::Bound>,

    /// Write warnings to warnings.txt only
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub warnings_only_to_file: bool,
}

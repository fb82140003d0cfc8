//! Options of the files that a run writes beside its tests.

use super::values;
use clap::{ArgAction, Args};
use std::time::Duration;

/// Which further files are written.
#[derive(Args, Clone, Default, Debug)]
#[command(next_help_heading = "Further files")]
pub struct FileArgs {
    /// Write run.stats: how the run went, as a table of SQLite
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = true, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub output_stats: bool,

    /// Time between two rows of run.stats
    #[arg(long, value_name = "SPAN", default_value = "1s", value_parser = values::span)]
    pub stats_write_interval: Duration,

    /// Write run.istats: cost by instruction and line, for KCachegrind
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = true, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub output_istats: bool,

    /// Time between two versions of run.istats
    #[arg(long, value_name = "SPAN", default_value = "10s", value_parser = values::span)]
    pub istats_write_interval: Duration,

    /// Write run.trie: the decisions of all paths, with which `plat resume` goes on with the run
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = true, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub write_trie: bool,

    /// Write assembly.ll: the bitcode that is executed, as text; error reports name its lines
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = true, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub output_source: bool,

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
    #[arg(long, value_name = "N", default_value = "10000", value_parser = values::bound)]
    pub max_halt_tests: values::Bound,

    /// Write warnings to warnings.txt only
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set,
          default_value_t = false, default_missing_value = "true", value_name = "BOOL",
          value_parser = values::switch)]
    pub warnings_only_to_file: bool,
}

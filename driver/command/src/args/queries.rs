//! Options of the logs of questions to the solver.

use super::values;
use clap::{ArgAction, Args, ValueEnum};

/// Logs of the questions to the solver.
#[derive(Args, Clone, Debug, Default)]
pub struct QueryLogArgs {
    /// Write the questions to the solver to solver-queries.smt2 (those that reach it) or
    /// all-queries.smt2 in the run directory, as SMT-LIB 2, or in KQuery, for KLEE's kleaver, to
    /// all-queries.kquery or solver-queries.kquery. KLEE's --use-query-log means this;
    /// --write-smt2s writes the path condition of each test, not the questions on the way
    #[arg(long, value_name = "WHICH", value_delimiter = ',')]
    pub log_queries: Vec<LoggedQueries>,

    /// Compress the files of --log-queries with gzip; their names end in .gz
    #[arg(long, num_args = 0..=1, require_equals = true, action = ArgAction::Set, default_value = "false",
          default_missing_value = "true", value_name = "BOOL", value_parser = values::switch,
          requires = "log_queries")]
    pub compress_query_log: bool,
}

/// Which questions to the solver are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LoggedQueries {
    /// Every question, as the engine asks it: all-queries.smt2
    #[value(alias = "all:smt2")]
    All,
    /// The same in KQuery: all-queries.kquery
    #[value(name = "all:kquery")]
    AllKquery,
    /// Those that no cache or other layer has answered: solver-queries.smt2
    #[value(alias = "solver:smt2")]
    Solver,
    /// The same in KQuery: solver-queries.kquery
    #[value(name = "solver:kquery")]
    SolverKquery,
}

//! Configuration of the solver chain.

use crate::backend::BackEndChoice;
use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A language in which queries are logged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueryLanguage {
    /// SMT-LIB 2, for solvers.
    SmtLib,
    /// KQuery, for KLEE's tools.
    KQuery,
}

/// Takes a logged query: its number and its text.
pub type WriteQuery = dyn Fn(u64, &str) + Send + Sync;

/// Where logged queries go.
#[derive(Clone)]
pub struct LogSink {
    /// How they are written.
    pub language: QueryLanguage,
    /// Takes them.
    pub write: Arc<WriteQuery>,
}

/// Describes a solver chain.
#[derive(Clone)]
pub struct SolverConfig {
    /// The back end. Default `bits`.
    pub backend: BackEndChoice,
    /// A second back end that checks every answer of the first. Default none.
    pub cross_check: Option<BackEndChoice>,
    /// The layers above the back end, outermost first, by their names in [`crate::LAYERS`].
    pub layers: Vec<String>,
    /// The most time that a back end may spend on one query; `None` means no limit. Default 30 s.
    pub time_limit: Option<Duration>,
    /// The command that starts the solver process (it calls [`crate::serve`]). If empty, Z3 runs in
    /// this process, where it may overrun its time limit. Default empty.
    pub process: Vec<OsString>,
    /// How many of the longest queries are kept in words. Default none.
    pub longest: usize,
    /// Receive every query that reaches the back end. Default none.
    pub log: Vec<LogSink>,
    /// Receive every query, including those that layers answer. Default none.
    pub log_all: Vec<LogSink>,
}

impl Default for SolverConfig {
    fn default() -> Self {
        let layers = [
            "byte_domain",
            "independence",
            "tables",
            "byte_ranges",
            "intervals",
            "term_domain",
            "query_cache",
            "model_reuse",
            "enumeration",
            "affine",
            "float_guess",
        ];
        Self {
            backend: BackEndChoice::default(),
            cross_check: None,
            layers: layers.map(str::to_owned).to_vec(),
            time_limit: Some(Duration::from_secs(30)),
            process: Vec::new(),
            longest: 0,
            log: Vec::new(),
            log_all: Vec::new(),
        }
    }
}

impl fmt::Debug for SolverConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SolverConfig")
            .field("backend", &self.backend)
            .field("cross_check", &self.cross_check)
            .field("layers", &self.layers)
            .field("time_limit", &self.time_limit)
            .field("process", &self.process)
            .field("longest", &self.longest)
            .field("log", &self.log.len())
            .field("log_all", &self.log_all.len())
            .finish()
    }
}

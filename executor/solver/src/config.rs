//! What can be chosen about solving.

use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Where query scripts go: called with the number of the query and its SMT-LIB 2 text.
pub type LogSink = Arc<dyn Fn(u64, &str) + Send + Sync>;

/// The solver that is wanted.
#[derive(Clone)]
pub struct Config {
    /// The back end, by its name in [`crate::BACKENDS`]. Default `bits`.
    pub backend: String,
    /// Another back end whose every answer must agree with the first. Default none.
    pub cross_check: Option<String>,
    /// The layers above the back end, outermost first, by their names in [`crate::LAYERS`].
    pub layers: Vec<String>,
    /// The most time that a back end may spend on one query; `None` means no limit. Default 10 s.
    pub time_limit: Option<Duration>,
    /// The command of a process that calls [`crate::serve`], which is started for queries that may
    /// not heed their limit; empty if they are answered in this process. Default empty.
    pub process: Vec<OsString>,
    /// Receives every query that reaches the back end. Default none.
    pub log: Option<LogSink>,
    /// Receives every query, whoever answers it. Default none.
    pub log_all: Option<LogSink>,
}

impl Default for Config {
    fn default() -> Self {
        let layers = [
            "byte_domain",
            "independence",
            "byte_ranges",
            "intervals",
            "term_domain",
            "query_cache",
            "model_reuse",
            "few_inputs",
            "affine",
            "float_guess",
        ];
        Self {
            backend: "bits".to_owned(),
            cross_check: None,
            layers: layers.map(str::to_owned).to_vec(),
            time_limit: Some(Duration::from_secs(10)),
            process: Vec::new(),
            log: None,
            log_all: None,
        }
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("backend", &self.backend)
            .field("cross_check", &self.cross_check)
            .field("layers", &self.layers)
            .field("time_limit", &self.time_limit)
            .field("process", &self.process)
            .field("log", &self.log.is_some())
            .field("log_all", &self.log_all.is_some())
            .finish()
    }
}

//! `--log-queries`: the questions to the solver as SMT-LIB 2 scripts, one after the other in one
//! file, in the order in which they were asked. `(reset)` parts them, so that the file can be given
//! to a solver as it is. Nothing in it depends on time or place: two equal runs write equal files.

use super::directory::Directory;
use crate::Error;
use plat_solver::LogSink;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

/// Which questions are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// Every question, as the engine asks it: all-queries.smt2
    All,
    /// Those that no cache or other layer has answered: solver-queries.smt2
    Solver,
}

impl Asked {
    fn file_name(self) -> &'static str {
        match self {
            Asked::All => "all-queries.smt2",
            Asked::Solver => "solver-queries.smt2",
        }
    }
}

/// A file of questions.
pub struct QueryLog {
    name: &'static str,
    writing: Arc<Mutex<Writing>>,
}

struct Writing {
    file: BufWriter<File>,
    failed: Option<io::Error>,
}

impl QueryLog {
    /// Makes the file.
    ///
    /// # Errors
    /// When that cannot be done.
    pub fn create(directory: &Directory, asked: Asked) -> Result<Self, Error> {
        let name = asked.file_name();
        let file = BufWriter::new(directory.lines(name)?);
        let writing = Writing { file, failed: None };
        Ok(Self {
            name,
            writing: Arc::new(Mutex::new(writing)),
        })
    }

    /// What is to be told the questions.
    pub fn sink(&self) -> LogSink {
        let writing = Arc::clone(&self.writing);
        Arc::new(move |number, script| {
            let mut writing = writing.lock().unwrap_or_else(PoisonError::into_inner);
            if writing.failed.is_none() {
                let script = script.trim_end().trim_end_matches("(exit)");
                let written = write!(writing.file, "; query {number}\n{script}(reset)\n\n");
                writing.failed = written.err();
            }
        })
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// When a question could not be written.
    pub fn finish(self) -> Result<(), Error> {
        let mut writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let flushed = writing.file.flush();
        let done = writing.failed.take().map_or(flushed, Err);
        done.map_err(|why| Error::input(format!("{}: cannot write: {why}", self.name)))
    }
}

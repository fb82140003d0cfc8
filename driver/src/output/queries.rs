//! `--log-queries`: the questions to the solver, one after the other in one file, in the order in which
//! they were asked, as SMT-LIB 2 scripts or in KQuery. `(reset)` parts scripts, so that the file can be
//! given to a solver as it is. Nothing in it depends on time or place: two equal runs write equal files.

use super::directory::Directory;
use crate::Error;
use flate2::Compression;
use flate2::write::GzEncoder;
use plat_solver::{LogSink, QueryLanguage};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Which questions are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// Every question, as the engine asks it: all-queries.smt2 or .kquery
    All,
    /// Those that no cache or other layer has answered: solver-queries.smt2 or .kquery
    Solver,
}

/// Which logs there are to be.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct QueryLogs {
    /// What is written in which language.
    pub which: Vec<(Asked, QueryLanguage)>,
    /// Whether the files are compressed, with `.gz` behind their names.
    pub compressed: bool,
}

fn file_name(asked: Asked, language: QueryLanguage, compressed: bool) -> String {
    let asked = match asked {
        Asked::All => "all",
        Asked::Solver => "solver",
    };
    let language = match language {
        QueryLanguage::SmtLib => "smt2",
        QueryLanguage::KQuery => "kquery",
    };
    let behind = if compressed { ".gz" } else { "" };
    format!("{asked}-queries.{language}{behind}")
}

/// A file of questions.
pub struct QueryLog {
    name: String,
    asked: Asked,
    language: QueryLanguage,
    writing: Arc<Mutex<Writing>>,
}

struct Writing {
    file: Output,
    failed: Option<io::Error>,
}

enum Output {
    Plain(BufWriter<File>),
    Compressed(GzEncoder<BufWriter<File>>),
}

impl Output {
    fn stream(&mut self) -> &mut dyn Write {
        match self {
            Output::Plain(file) => file,
            Output::Compressed(file) => file,
        }
    }

    /// Writes what is left.
    fn finish(&mut self) -> io::Result<()> {
        match self {
            Output::Plain(file) => file.flush(),
            Output::Compressed(file) => {
                file.try_finish()?;
                file.get_mut().flush()
            }
        }
    }
}

impl QueryLog {
    /// Makes the files.
    ///
    /// # Errors
    /// When that cannot be done.
    pub fn create_all(directory: &Directory, logs: &QueryLogs) -> Result<Vec<Self>, Error> {
        let each = logs.which.iter();
        each.map(|&(asked, language)| {
            let name = file_name(asked, language, logs.compressed);
            let file = BufWriter::new(directory.lines(&name)?);
            let file = match logs.compressed {
                true => Output::Compressed(GzEncoder::new(file, Compression::default())),
                false => Output::Plain(file),
            };
            let writing = Writing { file, failed: None };
            Ok(Self {
                name,
                asked,
                language,
                writing: Arc::new(Mutex::new(writing)),
            })
        })
        .collect()
    }

    /// Which questions are written to it.
    pub fn asked(&self) -> Asked {
        self.asked
    }

    /// What is to be told the questions.
    pub fn sink(&self) -> LogSink {
        let (writing, language) = (Arc::clone(&self.writing), self.language);
        let write = move |number: u64, text: &str| {
            let mut writing = writing.lock().unwrap_or_else(PoisonError::into_inner);
            if writing.failed.is_none() {
                let text = text.trim_end();
                let (comment, text, behind) = match language {
                    QueryLanguage::SmtLib => (';', text.trim_end_matches("(exit)"), "(reset)"),
                    QueryLanguage::KQuery => ('#', text, ""),
                };
                let stream = writing.file.stream();
                let written = write!(stream, "{comment} query {number}\n{text}{behind}\n\n");
                writing.failed = written.err();
            }
        };
        LogSink {
            language,
            write: Arc::new(write),
        }
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// When a question could not be written.
    pub fn finish(self) -> Result<(), Error> {
        let mut writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let finished = writing.file.finish();
        let done = writing.failed.take().map_or(finished, Err);
        done.map_err(|why| Error::input(format!("{}: cannot write: {why}", self.name)))
    }
}

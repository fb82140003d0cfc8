//! `messages.txt` and `warnings.txt`, and the same lines on standard error.
//!
//! Lines read `plat: ...`, `plat: WARNING: ...`, `plat: ERROR: file:line: ...`. On a terminal they
//! go through the progress bar, which otherwise would be torn.

use super::directory::Directory;
use crate::Error;
use crate::names::Names;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write as _;

/// Where the lines of a run go.
pub struct Log {
    messages: File,
    warnings: File,
    once: BTreeSet<String>,
    show: Box<dyn FnMut(&str)>,
    /// Whether warnings are shown too.
    warnings_shown: bool,
    names: Names,
}

impl Log {
    /// Opens both files; `show` puts a line on standard error, warnings only if they are to be
    /// shown.
    ///
    /// # Errors
    /// When the files cannot be made.
    pub fn create(
        directory: &Directory,
        show: Box<dyn FnMut(&str)>,
        warnings_shown: bool,
        names: Names,
    ) -> Result<Self, Error> {
        Ok(Log {
            messages: directory.lines("messages.txt")?,
            warnings: directory.lines("warnings.txt")?,
            once: BTreeSet::new(),
            show,
            warnings_shown,
            names,
        })
    }

    /// A message.
    pub fn message(&mut self, text: &str) {
        self.line(&format!("{}: {text}", self.names.voice));
    }

    /// Lines without a name before them.
    pub fn line(&mut self, text: &str) {
        let text = self.names.shown(text);
        // A full disk must not end a run that only wants to say something.
        let _ = writeln!(self.messages, "{text}");
        (self.show)(&text);
    }

    /// A warning.
    pub fn warning(&mut self, text: &str) {
        self.warn(format!("{}: WARNING: {text}", self.names.voice));
    }

    /// A warning that is given once in a run.
    pub fn warning_once(&mut self, text: &str) {
        if self.once.insert(text.to_string()) {
            self.warn(format!("{}: WARNING ONCE: {text}", self.names.voice));
        }
    }

    fn warn(&mut self, line: String) {
        let line = self.names.shown(&line);
        let _ = writeln!(self.warnings, "{line}");
        if self.warnings_shown {
            (self.show)(&line);
        }
    }
}

//! A run that takes over from a run of another version of its program.

use super::Prepared;
use super::stages::Written;
use crate::Error;
use crate::regress::{Comparison, Earlier};
use crate::trie::{self, header, header::Begun};

impl Prepared<'_> {
    /// Whether this run would be that of an earlier run but for the program.
    ///
    /// # Errors
    /// When it would be another one.
    pub fn check_versions(&self, earlier: &Earlier) -> Result<(), Error> {
        let mut own = header::of(&self.program, self.config(), &self.explorer.input);
        let of_old = earlier.header();
        own.program.clone_from(&of_old.program);
        of_old.check_same_run(&own).map_err(|why| {
            Error::input(format!(
                "{}: the runs cannot be compared: {why}; use what the old run was begun with",
                earlier.directory().display()
            ))
        })
    }

    /// Fills the directory of the run with the decisions of the earlier one, so that the run is led along
    /// them as far as nothing has changed. `begun` is what [`trie::header::begun`] says of the run.
    ///
    /// # Errors
    /// When the run has no directory, or a file cannot be written.
    pub fn take_over(&mut self, comparison: &Comparison, begun: Begun) -> Result<(), Error> {
        let mut header = header::of(&self.program, self.config(), &self.explorer.input);
        header::begin_in(&mut header, &begun.directory);
        let line = begun.command_line;
        let Some(written) = &self.written else {
            return Err(Error::input("a run that takes over needs a directory"));
        };
        let directory = &written.directory;
        let path = directory.path().join(trie::FILE);
        let remains = comparison.remains(header);
        remains.write(&path, &[line], None, &|_| None)?;
        self.explorer.config.trie.changed = comparison.changed().into();
        self.explorer.config.trie.next = comparison.earlier().trie().next;
        let observed = comparison.observed();
        self.explorer.observers.push(Box::new(observed));
        self.written = self.written.take().map(|written| Written {
            directory: written.directory.with_decisions(),
            ..written
        });
        Ok(())
    }
}

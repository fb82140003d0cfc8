//! A run that takes over from a run of another version of its program.

use super::Prepared;
use super::stages::Written;
use crate::output::{carried, recording};
use crate::regress::{Comparison, Earlier};
use crate::report::Numbers;
use crate::trie::{self, header};
use crate::{Error, Interrupt};

impl Prepared<'_> {
    /// Whether this run would be that of an earlier run but for the program.
    ///
    /// # Errors
    /// When it would be another one.
    pub fn check_versions(&self, earlier: &Earlier) -> Result<(), Error> {
        let mut own = header::of(&self.program, self.config(), &self.explorer.input)?;
        let of_old = earlier.header();
        own.program.clone_from(&of_old.program);
        of_old.check_same_run(&own).map_err(|why| {
            Error::input(format!(
                "{}: the runs cannot be compared: {why}; use what the old run was begun with",
                earlier.directory().display()
            ))
        })
    }

    /// Fills the directory of the run with what is taken over, as if it had been explored in it, so that
    /// the run goes on with the rest. `line` is the command line by which [`trie::header::begun`] says
    /// that the run was begun.
    ///
    /// # Errors
    /// When the run has no directory, or a file cannot be written.
    pub fn take_over(&mut self, comparison: &Comparison, line: Vec<String>) -> Result<(), Error> {
        let header = header::of(&self.program, self.config(), &self.explorer.input)?;
        let (Some(written), Some(output)) = (&self.written, &self.explorer.output) else {
            return Err(Error::input("a run that takes over needs a directory"));
        };
        let subject = recording::Subject {
            name: self.explorer.name(),
            program: &self.program,
            config: &self.explorer.config,
            input: &self.explorer.input,
            command_line: line.clone(),
            analysis: self.analysis,
            lines: written.lines.clone(),
            stop: Interrupt::default(),
            numbers: Numbers::default(),
        };
        let directory = &written.directory;
        carried::write(directory, &output.files, &subject, comparison.tests())?;
        let path = directory.path().join(trie::FILE);
        let remains = comparison.remains(header);
        remains.write(&path, &[line], None, &|_| None)?;
        self.written = self.written.take().map(|written| Written {
            directory: written.directory.with_decisions(),
            ..written
        });
        Ok(())
    }
}

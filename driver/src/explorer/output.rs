//! The directory that a run fills. Its files are written by observers of the run
//! ([`crate::output`]), as a library user's are.

use super::Explorer;
use crate::Error;
use crate::output::directory::Directory;
use crate::output::files::Files;
use crate::trie::Coverage;
use std::path::{Path, PathBuf};

/// A directory that a run fills, as it is asked for.
#[must_use]
pub struct Output {
    /// None is the first free `plat-out-N` beside the program.
    directory: Option<PathBuf>,
    /// Whether it is that of a run that is to go on.
    goes_on: bool,
    /// A piece of work that is done in it.
    work: Option<PathBuf>,
    /// What others have covered.
    pub(super) covered: Option<PathBuf>,
    pub(super) files: Files,
    pub(super) command_line: Vec<String>,
    pub(super) show: Box<dyn FnMut(&str)>,
}

impl Output {
    fn of(directory: Option<PathBuf>) -> Self {
        Output {
            directory,
            goes_on: false,
            work: None,
            covered: None,
            files: Files::default(),
            command_line: Vec::new(),
            show: Box::new(|_| {}),
        }
    }

    /// In a directory that does not exist yet.
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Output::of(Some(directory.into()))
    }

    /// In the directory of a run that was ended before all paths were explored: this run goes on with
    /// it. The program, its input and what decides over its paths must be the same; limits, searchers
    /// and the number of workers may be others.
    pub fn resume(directory: impl Into<PathBuf>) -> Self {
        Output {
            goes_on: true,
            ..Output::at(directory)
        }
    }

    /// In a directory that does not exist yet, for a piece of work of an earlier run of the same program
    /// ([`crate::trie::Trie::write_pieces`]): only its paths are explored. As for [`Output::resume`],
    /// what decides over paths must be the same as in that run.
    pub fn work(directory: impl Into<PathBuf>, work: impl Into<PathBuf>) -> Self {
        Output {
            work: Some(work.into()),
            ..Output::at(directory)
        }
    }

    /// For a piece of work: what others have covered meanwhile ([`crate::trie::Coverage`], a file), which is
    /// not new to this run.
    pub fn covered(self, file: Option<PathBuf>) -> Self {
        Output {
            covered: file,
            ..self
        }
    }

    /// In the first free directory `plat-out-N` beside the program, to which the link `plat-last` is
    /// set.
    pub fn beside_program() -> Self {
        Output::of(None)
    }

    /// Which files are written. Default [`Files::default`].
    pub fn files(self, files: Files) -> Self {
        Output { files, ..self }
    }

    /// How the run was asked for, as `info` says it. Default empty.
    pub fn command_line(self, line: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let command_line = line.into_iter().map(Into::into).collect();
        Output {
            command_line,
            ..self
        }
    }

    /// Gets the lines of `messages.txt` and `warnings.txt` as they are written. Default: nobody.
    pub fn show(self, show: impl FnMut(&str) + 'static) -> Self {
        Output {
            show: Box::new(show),
            ..self
        }
    }

    pub(super) fn goes_on(&self) -> bool {
        self.goes_on
    }

    pub(super) fn create(&self, program: &Path) -> Result<Directory, Error> {
        if let (true, Some(path)) = (self.goes_on, &self.directory) {
            return Directory::of_run(path)?.absolute();
        }
        if let (Some(work), Some(path)) = (&self.work, &self.directory) {
            (self.covered.as_deref().map(Coverage::read)).transpose()?;
            return Directory::of_work(path, work)?.absolute();
        }
        let made = Directory::create(self.directory.as_deref(), program, self.files.names)?;
        // Whoever calls may go elsewhere meanwhile.
        made.absolute()
    }
}

/// Makes a directory, and says where it is.
pub type MakeDirectory<'m> = &'m mut dyn FnMut() -> Result<PathBuf, Error>;

/// What is called for each directory, see [`Explorer::on_directory`].
pub type OnDirectory<'a> = Box<dyn FnMut(MakeDirectory<'_>) -> Result<(), Error> + 'a>;

/// What the run writes.
impl<'a> Explorer<'a> {
    /// Fills a directory that does not exist yet with tests, error reports and statistics, the same
    /// as the command `plat` does.
    pub fn output_directory(self, path: impl Into<PathBuf>) -> Self {
        self.output(Output::at(path))
    }

    /// Fills a directory, with more to say about it.
    pub fn output(mut self, output: Output) -> Self {
        self.output = Some(output);
        self
    }

    /// Is called for each directory that the stages make, temporary ones and that of the output, and
    /// must call what it is given, which makes it. Who may end the process from another thread can so
    /// remove everything that is there, and nothing is made that it has not heard of.
    pub fn on_directory(
        mut self,
        make: impl FnMut(MakeDirectory<'_>) -> Result<(), Error> + 'a,
    ) -> Self {
        self.on_directory = Some(Box::new(make));
        self
    }

    /// Makes a directory under the eyes of [`Explorer::on_directory`].
    pub(super) fn make<T>(
        &mut self,
        make: impl Fn(&Self) -> Result<T, Error>,
        path: impl Fn(&T) -> &Path,
    ) -> Result<T, Error> {
        let mut watch = self.on_directory.take();
        let mut made = None;
        let mut once = || {
            let new = make(self)?;
            let at = path(&new).to_path_buf();
            made = Some(new);
            Ok(at)
        };
        let done = match &mut watch {
            Some(watch) => watch(&mut once),
            None => once().map(|_| ()),
        };
        self.on_directory = watch;
        done?;
        made.ok_or_else(|| Error::internal("a directory was not made"))
    }
}

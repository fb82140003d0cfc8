//! The run directory: `plat-out-N` next to the input and the link `plat-last`, or the directory
//! that the user names. Every file appears whole or not at all: written under a temporary name,
//! then renamed.

use crate::Error;
use crate::input::{self, Kind};
use crate::names::Names;
use crate::suite::Container;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// An existing run directory.
#[derive(Clone, Debug)]
pub struct Directory {
    path: PathBuf,
    origin: Origin,
}

/// What is in a run directory at first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Origin {
    /// Nothing.
    New,
    /// The decisions of a piece of work, or what was taken over of a run of another version.
    Work,
    /// An earlier run, which stays whatever happens.
    Earlier,
}

impl Directory {
    /// Makes the directory the user asks for, which must not exist; else the first free
    /// directory of the run's names beside `input`, with the link to the last pointing to it.
    ///
    /// # Errors
    /// When it exists or cannot be made.
    pub fn create(asked: Option<&Path>, input: &Path, names: Names) -> Result<Self, Error> {
        match asked {
            Some(path) => match fs::create_dir(path) {
                Ok(()) => Ok(Directory {
                    path: path.into(),
                    origin: Origin::New,
                }),
                Err(why) if why.kind() == ErrorKind::AlreadyExists => Err(Error::input(format!(
                    "{}: the output directory exists already; name another one",
                    path.display()
                ))),
                Err(why) => Err(cannot_create(path, &why)),
            },
            None => Self::create_numbered(input, names),
        }
    }

    fn create_numbered(input: &Path, names: Names) -> Result<Self, Error> {
        let parent = match input.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        for number in 0u32.. {
            let name = format!("{}-{number}", names.directory);
            let path = parent.join(&name);
            match fs::create_dir(&path) {
                Ok(()) => {
                    link_last(parent, &name, names.last);
                    let origin = Origin::New;
                    return Ok(Directory { path, origin });
                }
                Err(why) if why.kind() == ErrorKind::AlreadyExists => {}
                Err(why) => return Err(cannot_create(&path, &why)),
            }
        }
        Err(Error::input(format!(
            "{}: no free number for {}-N",
            parent.display(),
            names.directory
        )))
    }

    /// Makes the directory for a piece of work, see [`crate::trie::Trie::write_pieces`].
    ///
    /// # Errors
    /// When the directory exists or cannot be made, or the file is not there.
    pub fn of_work(path: &Path, work: &Path) -> Result<Self, Error> {
        input::check(work, Kind::Work)?;
        crate::trie::header::check(work)?;
        let made = Self::create(Some(path), path, Names::PLAT)?;
        if let Err(why) = fs::copy(work, path.join(crate::trie::FILE)) {
            made.abandon();
            let work = work.display();
            return Err(Error::input(format!("{work}: cannot be copied: {why}")));
        }
        Ok(Directory {
            origin: Origin::Work,
            ..made
        })
    }

    /// The directory of an earlier run, to go on with.
    ///
    /// # Errors
    /// When there is none.
    pub fn of_run(path: &Path) -> Result<Self, Error> {
        match path.is_dir() {
            true => Ok(Directory {
                path: path.into(),
                origin: Origin::Earlier,
            }),
            false => Err(Error::input(format!(
                "{}: there is no such directory of a run",
                path.display()
            ))),
        }
    }

    /// The same directory, now that it has decisions to go on with.
    #[must_use]
    pub fn with_decisions(self) -> Self {
        Directory {
            origin: Origin::Work,
            ..self
        }
    }

    /// Whether it has the decisions of an earlier run.
    pub fn is_of_earlier_run(&self) -> bool {
        self.origin != Origin::New
    }

    /// Whether it has the tests of an earlier run.
    pub fn has_tests_file(&self) -> bool {
        self.is_of_earlier_run() && Container::is_in(&self.path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The same directory by a path that does not depend on where the process is.
    ///
    /// # Errors
    /// When the process is nowhere.
    pub fn absolute(&self) -> Result<Self, Error> {
        let path = std::path::absolute(&self.path).map_err(|why| cannot_write(&self.path, &why))?;
        let origin = self.origin;
        Ok(Directory { path, origin })
    }

    /// Removes it with all that is in it: the run it was made for could not be done. With test
    /// cases in it, it stays: they are results, whatever went wrong behind them.
    pub fn abandon(&self) {
        if self.origin == Origin::Earlier || self.has_tests() {
            return;
        }
        let _ = fs::remove_dir_all(&self.path);
        let Some(parent) = self.path.parent() else {
            return;
        };
        for last in [Names::PLAT.last, Names::KLEE.last] {
            let last = parent.join(last);
            if fs::read_link(&last).ok().as_deref() == self.path.file_name().map(Path::new) {
                let _ = fs::remove_file(last);
            }
        }
    }

    fn has_tests(&self) -> bool {
        let is_test = |entry: fs::DirEntry| entry.path().extension() == Some("ktest".as_ref());
        fs::read_dir(&self.path).is_ok_and(|entries| entries.flatten().any(is_test))
            || Container::open(&self.path).is_ok_and(|tests| !tests.is_empty())
    }

    /// Writes a file of it, whole.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, name: &str, contents: &[u8]) -> Result<(), Error> {
        write_whole(&self.path.join(name), contents)
    }

    /// Opens a file of it that grows by whole lines while the run goes on.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn lines(&self, name: &str) -> Result<fs::File, Error> {
        let path = self.path.join(name);
        let mut options = fs::File::options();
        options
            .create(true)
            .write(true)
            .append(self.is_of_earlier_run());
        let options = options.truncate(!self.is_of_earlier_run());
        options.open(&path).map_err(|why| cannot_write(&path, &why))
    }
}

/// Points the link to the last directory to this one. Failing is harmless: the link is a convenience, and where
/// another kind of file has its name, that file is not ours to remove.
fn link_last(parent: &Path, name: &str, last: &str) {
    let temporary = parent.join(format!(".{last}-{}", std::process::id()));
    let last = parent.join(last);
    let is_link = fs::symlink_metadata(&last).map(|meta| meta.file_type().is_symlink());
    if matches!(is_link, Ok(false)) {
        return;
    }
    if std::os::unix::fs::symlink(name, &temporary).is_ok()
        && fs::rename(&temporary, &last).is_err()
    {
        let _ = fs::remove_file(&temporary);
    }
}

/// Makes a directory, and those around it, unless it is there.
///
/// # Errors
/// When it cannot be made.
pub fn ensure(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(|why| cannot_create(path, &why))
}

/// Writes a file so that it is never half written.
///
/// # Errors
/// When it cannot be written; nothing is left behind.
pub fn write_whole(path: &Path, contents: &[u8]) -> Result<(), Error> {
    plat_transform::write_whole(path, contents).map_err(|why| cannot_write(path, &why))
}

fn cannot_create(path: &Path, why: &std::io::Error) -> Error {
    Error::input(format!("{}: cannot be created: {why}", path.display()))
}

fn cannot_write(path: &Path, why: &std::io::Error) -> Error {
    Error::input(format!("{}: cannot be written: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_directories_and_points_to_the_last() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let input = dir.join("p.bc");
        let first = Directory::create(None, &input, Names::PLAT).unwrap();
        let second = Directory::create(None, &input, Names::PLAT).unwrap();
        assert_eq!(first.path(), dir.join("plat-out-0"));
        assert_eq!(second.path(), dir.join("plat-out-1"));
        let last = fs::read_link(dir.join("plat-last")).unwrap();
        assert_eq!(last, Path::new("plat-out-1"));
    }

    #[test]
    fn refuses_what_exists_and_leaves_nothing_half_written() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        assert!(Directory::create(Some(dir), Path::new("p.bc"), Names::PLAT).is_err());
        assert!(Directory::create(Some(&dir.join("a/b")), Path::new("p.bc"), Names::PLAT).is_err());
        assert!(write_whole(&dir.join("a/b"), b"x").is_err());
        // A directory in the way makes the rename fail; the temporary file goes.
        fs::create_dir(dir.join("taken")).unwrap();
        assert!(write_whole(&dir.join("taken"), b"x").is_err());
        assert_eq!(fs::read_dir(dir).unwrap().count(), 1);
    }
}

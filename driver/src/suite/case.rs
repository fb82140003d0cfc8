//! Test cases from wherever they are: files, directories of files, directories of runs. A test of a
//! run is named as its file would be, whether it has one or not.

use super::container::Container;
use crate::Error;
use crate::input::{self, Kind};
use plat_env::Ktest;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A test case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Its file, or where its file would be.
    pub path: PathBuf,
    /// Its contents.
    pub test: Ktest,
}

/// The name of a test without what stands behind it: `test000012`.
pub fn stem(number: u32) -> String {
    format!("test{number:06}")
}

/// The number of a test by the name of one of its files.
pub fn number_of(path: &Path) -> Option<u32> {
    let stem = path.file_stem()?.to_str()?;
    let digits = stem.strip_prefix("test")?;
    digits.parse().ok()
}

/// Finds test cases. Containers that were opened stay open for the next case.
#[derive(Default, Debug)]
pub struct Cases {
    open: BTreeMap<PathBuf, Container>,
}

impl Cases {
    /// The container of a directory, if it has one.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn container(&mut self, directory: &Path) -> Result<Option<&Container>, Error> {
        if !self.open.contains_key(directory) {
            if !Container::is_in(directory) {
                return Ok(None);
            }
            let container = Container::open(directory)?;
            self.open.insert(directory.to_path_buf(), container);
        }
        Ok(self.open.get(directory))
    }

    /// The cases of a directory, in order: of its container if it has one, otherwise its `.ktest`
    /// files.
    ///
    /// # Errors
    /// When it cannot be read or has none.
    pub fn in_directory(&mut self, directory: &Path) -> Result<Vec<PathBuf>, Error> {
        let found: Vec<PathBuf> = match self.container(directory)? {
            Some(container) => {
                let path = |number| directory.join(stem(number) + ".ktest");
                container.numbers().map(path).collect()
            }
            None => {
                let wrong = |why| Error::input(format!("{}: {why}", directory.display()));
                let entries = fs::read_dir(directory).map_err(wrong)?;
                let entries = entries.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
                let paths = entries.into_iter().map(|entry| entry.path());
                let is_case = |path: &PathBuf| path.extension().is_some_and(|end| end == "ktest");
                let mut paths: Vec<PathBuf> = paths.filter(is_case).collect();
                paths.sort();
                paths
            }
        };
        if found.is_empty() {
            return Err(Error::input(format!(
                "{}: no tests: neither .ktest files nor {}",
                directory.display(),
                super::FILE
            )));
        }
        Ok(found)
    }

    /// The cases that are named: files, and all of directories.
    ///
    /// # Errors
    /// When something is not there, or a directory has none.
    pub fn named(&mut self, paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
        let mut all = Vec::new();
        for path in paths {
            match path.is_dir() {
                true => all.extend(self.in_directory(path)?),
                false => all.push(path.clone()),
            }
        }
        Ok(all)
    }

    /// The container that has the test of a path, and its number there, if its directory has one
    /// that does.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn kept(&mut self, path: &Path) -> Result<Option<(&Container, u32)>, Error> {
        let Some(number) = number_of(path) else {
            return Ok(None);
        };
        let directory = path.parent().unwrap_or(Path::new(""));
        let container = self.container(directory)?;
        Ok(container
            .filter(|container| container.has(number))
            .map(|container| (container, number)))
    }

    /// Reads a case: the file, or, if there is none, the test of the container beside it.
    ///
    /// # Errors
    /// When it is neither, or cannot be read.
    pub fn read(&mut self, path: &Path) -> Result<Case, Error> {
        let test = match path.exists() {
            false => match self.kept(path)? {
                Some((container, number)) => {
                    let test = container.test(number)?;
                    Some(test.to_ktest(&container.run().arguments))
                }
                None => None,
            },
            true => None,
        };
        let test = match test {
            Some(test) => test,
            None => {
                input::check(path, Kind::TestCase)?;
                Ktest::read(path).map_err(Error::input)?
            }
        };
        let path = path.to_path_buf();
        Ok(Case { path, test })
    }
}

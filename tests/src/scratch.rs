//! Directories for the files of a test.

use std::ffi::OsStr;
use std::ops::Deref;
use std::path::Path;
use tempfile::{Builder, TempDir};

/// A directory that goes with its owner, and stays when a test fails: somebody will look at it.
#[derive(Debug)]
pub struct Scratch(TempDir);

/// A fresh directory for one test, by a path without links. Its name has `name` in it.
pub fn scratch(name: &str) -> Scratch {
    let place = std::env::temp_dir().canonicalize().expect("a directory");
    let prefix = format!("plat-tests-{name}-");
    let directory = Builder::new().prefix(&prefix).tempdir_in(place);
    Scratch(directory.expect("a scratch directory"))
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.disable_cleanup(true);
            eprintln!("kept: {}", self.display());
        }
    }
}

impl Deref for Scratch {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

impl AsRef<Path> for Scratch {
    fn as_ref(&self) -> &Path {
        self
    }
}

impl AsRef<OsStr> for Scratch {
    fn as_ref(&self) -> &OsStr {
        self.as_os_str()
    }
}

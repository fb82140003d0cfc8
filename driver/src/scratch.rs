//! A temporary directory for what the stages make on the way. It is removed when it is no longer
//! needed. What a killed process has left is removed by the next one ([`leftovers`]).

mod leftovers;

use crate::Error;
use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// A directory that goes when this does.
pub struct Scratch {
    path: PathBuf,
    /// Says that it is in use; open as long as it is.
    _lock: File,
}

impl Scratch {
    /// Makes one.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn create() -> Result<Self, Error> {
        let base = std::env::temp_dir();
        leftovers::remove(&base);
        let (path, lock) = fresh(&base)?;
        Ok(Scratch { path, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What to say of a failure: files of this directory are not the user's.
    pub fn explain(&self, failure: Error) -> Error {
        let here = format!("{}/", self.path.display());
        if !failure.message.contains(&here) {
            return failure;
        }
        let message = failure.message.replace(&here, "temporary file ");
        let base = self.path.parent().unwrap_or(&self.path).display();
        Error {
            message: format!(
                "{message} (temporary files are in {base}; TMPDIR names another place)"
            ),
            ..failure
        }
    }
}

fn fresh(base: &Path) -> Result<(PathBuf, File), Error> {
    let refused = |path: &Path, why| {
        let path = path.display();
        Error::input(format!(
            "{path}: {why}: no room for temporary files; TMPDIR names another place for them"
        ))
    };
    for number in 0u32..1000 {
        let path = base.join(leftovers::name(std::process::id(), number));
        match DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => {}
            Err(why) if why.kind() == std::io::ErrorKind::AlreadyExists => continue,
            Err(why) => return Err(refused(&path, why)),
        }
        match leftovers::claim(&path) {
            Ok(Some(lock)) => return Ok((path, lock)),
            Ok(None) => {}
            Err(why) => {
                let _ = std::fs::remove_dir_all(&path);
                return Err(refused(&path, why));
            }
        }
    }
    Err(Error::input(format!(
        "{}: no room for temporary files; TMPDIR names another place for them",
        base.display()
    )))
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

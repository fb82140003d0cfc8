//! Room for what the stages make on the way. It goes when it is no longer needed, also when the
//! process is ended before the run ([`Watch`]). What a killed process has left goes with the next
//! one ([`leftovers`]).

mod leftovers;

use crate::failure::Failure;
use crate::watch::Watch;
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
    pub fn create(watch: &Watch) -> Result<Self, Failure> {
        let base = std::env::temp_dir();
        leftovers::remove(&base);
        let (path, lock) = watch.doom(|| fresh(&base), |(path, _)| path)?;
        Ok(Scratch { path, _lock: lock })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What to say of a failure: files of this directory are not the user's.
    pub fn explain(&self, failure: Failure) -> Failure {
        let here = format!("{}/", self.path.display());
        if !failure.message.contains(&here) {
            return failure;
        }
        let message = failure.message.replace(&here, "temporary file ");
        let base = self.path.parent().unwrap_or(&self.path).display();
        Failure {
            message: format!(
                "{message} (temporary files are in {base}; TMPDIR names another place)"
            ),
            ..failure
        }
    }
}

fn fresh(base: &Path) -> Result<(PathBuf, File), Failure> {
    let refused = |path: &Path, why| {
        let path = path.display();
        Failure::input(format!(
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
    Err(Failure::input(format!(
        "{}: no room for temporary files; TMPDIR names another place for them",
        base.display()
    )))
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

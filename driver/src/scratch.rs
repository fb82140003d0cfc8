//! Room for what the stages make on the way.

use crate::failure::Failure;
use std::path::{Path, PathBuf};

/// A directory that goes when this does.
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Makes one.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn create() -> Result<Self, Failure> {
        let base = std::env::temp_dir();
        for number in 0u32..1000 {
            let path = base.join(format!("plat-{}-{number}", std::process::id()));
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Scratch { path }),
                Err(why) if why.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(why) => {
                    return Err(Failure::input(format!("{}: {why}", path.display())));
                }
            }
        }
        Err(Failure::input(format!(
            "{}: no room for temporary files",
            base.display()
        )))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

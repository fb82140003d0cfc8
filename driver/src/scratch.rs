//! Room for what the stages make on the way. It goes when it is no longer needed, also when an
//! interrupt ends the process before the run, which would then have its own way of ending. What a
//! killed process has left goes with the next one ([`leftovers`]).

mod leftovers;

use crate::failure::Failure;
use crate::interrupt::INTERRUPTED;
use crate::output::directory::Directory;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How often a directory that others write into is removed before it is let be.
const ATTEMPTS: u32 = 1000;

type Doomed = Arc<Mutex<Option<Vec<PathBuf>>>>;

/// A directory that goes when this does.
pub struct Scratch {
    path: PathBuf,
    /// Says that it is in use; open as long as it is.
    _lock: File,
    /// What an interrupt removes; none once interrupts are for others.
    doomed: Doomed,
    signals: Handle,
}

impl Scratch {
    /// Makes one.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn create() -> Result<Self, Failure> {
        let doomed = Doomed::new(Mutex::new(Some(Vec::new())));
        let signals = remove_at_interrupt(Arc::clone(&doomed))
            .map_err(|why| Failure::input(format!("cannot handle interrupts: {why}")))?;
        let base = std::env::temp_dir();
        leftovers::remove(&base);
        let made = doom(&doomed, || fresh(&base), |(path, _)| path);
        let (path, lock) = made.inspect_err(|_| signals.close())?;
        Ok(Scratch {
            path,
            _lock: lock,
            doomed,
            signals,
        })
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

    /// Makes a directory that an interrupt removes too, as long as the scratch directory is there.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn along(
        &self,
        make: impl FnOnce() -> Result<Directory, Failure>,
    ) -> Result<Directory, Failure> {
        doom(&self.doomed, make, Directory::path)
    }
}

/// Makes something that an interrupt removes: one that comes meanwhile waits for it.
fn doom<T>(
    doomed: &Doomed,
    make: impl FnOnce() -> Result<T, Failure>,
    path: impl Fn(&T) -> &Path,
) -> Result<T, Failure> {
    let mut doomed = doomed.lock();
    let made = make()?;
    if let Ok(Some(doomed)) = doomed.as_deref_mut() {
        doomed.push(path(&made).to_path_buf());
    }
    Ok(made)
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

/// Until the handle is closed, an interrupt removes what is doomed and ends the process.
fn remove_at_interrupt(doomed: Doomed) -> std::io::Result<Handle> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let handle = signals.handle();
    std::thread::Builder::new().spawn(move || {
        if signals.forever().next().is_none() {
            return;
        }
        // The lock is kept to the end: whoever drops the scratch directory now waits for it.
        if let Ok(doomed) = doomed.lock()
            && let Some(paths) = doomed.as_deref()
        {
            paths.iter().for_each(|path| remove(path));
            std::process::exit(INTERRUPTED);
        }
    })?;
    Ok(handle)
}

/// Removes a directory, into which somebody may be writing still.
fn remove(path: &Path) {
    for _ in 0..ATTEMPTS {
        let _ = std::fs::remove_dir_all(path);
        if !path.exists() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.signals.close();
        if let Ok(mut doomed) = self.doomed.lock() {
            *doomed = None;
        }
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

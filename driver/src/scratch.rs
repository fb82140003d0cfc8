//! Room for what the stages make on the way. It goes when it is no longer needed, also when an
//! interrupt ends the process before the run, which would then have its own way of ending.

use crate::failure::Failure;
use crate::interrupt::INTERRUPTED;
use crate::output::directory::Directory;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How often a directory that others write into is removed before it is let be.
const ATTEMPTS: u32 = 1000;

type Doomed = Arc<Mutex<Option<Vec<PathBuf>>>>;

/// A directory that goes when this does.
pub struct Scratch {
    path: PathBuf,
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
        let made = doom(&doomed, || fresh(&std::env::temp_dir()), PathBuf::as_path);
        Ok(Scratch {
            path: made.inspect_err(|_| signals.close())?,
            doomed,
            signals,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
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

fn fresh(base: &Path) -> Result<PathBuf, Failure> {
    for number in 0u32..1000 {
        let path = base.join(format!("plat-{}-{number}", std::process::id()));
        match std::fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(why) if why.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(why) => return Err(Failure::input(format!("{}: {why}", path.display()))),
        }
    }
    Err(Failure::input(format!(
        "{}: no room for temporary files",
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

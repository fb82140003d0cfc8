//! Room for what the stages make on the way. It goes when it is no longer needed, also when an
//! interrupt ends the process before the run, which would then have its own way of ending.

use crate::failure::Failure;
use crate::interrupt::INTERRUPTED;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A directory that goes when this does.
pub struct Scratch {
    path: PathBuf,
    /// What an interrupt removes.
    doomed: Arc<Mutex<Vec<PathBuf>>>,
    signals: Handle,
}

impl Scratch {
    /// Makes one.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn create() -> Result<Self, Failure> {
        let base = std::env::temp_dir();
        let path = fresh(&base)?;
        let doomed = Arc::new(Mutex::new(vec![path.clone()]));
        match remove_at_interrupt(Arc::clone(&doomed)) {
            Ok(signals) => Ok(Scratch {
                path,
                doomed,
                signals,
            }),
            Err(why) => {
                let _ = std::fs::remove_dir_all(&path);
                Err(Failure::input(format!("cannot handle interrupts: {why}")))
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Has an interrupt remove this directory too, as long as the scratch directory is there.
    pub fn along(&self, directory: &Path) {
        if let Ok(mut doomed) = self.doomed.lock() {
            doomed.push(directory.to_path_buf());
        }
    }
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
fn remove_at_interrupt(doomed: Arc<Mutex<Vec<PathBuf>>>) -> std::io::Result<Handle> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let handle = signals.handle();
    std::thread::Builder::new().spawn(move || {
        if signals.forever().next().is_none() {
            return;
        }
        if let Ok(doomed) = doomed.lock() {
            for path in doomed.iter() {
                let _ = std::fs::remove_dir_all(path);
            }
            std::process::exit(INTERRUPTED);
        }
    })?;
    Ok(handle)
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.signals.close();
        if let Ok(mut doomed) = self.doomed.lock() {
            doomed.clear();
        }
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

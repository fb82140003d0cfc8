//! The helper processes of the command are the command itself.

use plat::{Error, Processes};
use std::path::PathBuf;

/// The file of this executable.
///
/// # Errors
/// When the system does not say which it is.
pub fn executable() -> Result<PathBuf, Error> {
    std::env::current_exe().map_err(|why| Error::input(format!("the executable of plat: {why}")))
}

/// The sub-commands of this executable.
///
/// # Errors
/// When the system does not say which executable this is.
pub fn processes() -> Result<Processes, Error> {
    let failed = |why| Error::input(format!("cannot start plat to read bitcode: {why}"));
    let plat = std::env::current_exe().map_err(failed)?;
    let mut processes = Processes::of(&plat);
    if !plat.is_file() {
        // The file has been replaced since.
        processes.solver = Processes::of(&PathBuf::from("/proc/self/exe")).solver;
    }
    Ok(processes)
}

//! The helper processes of the command are the command itself.

use crate::args::Command;
use crate::interrupt;
use plat::{Error, Processes};
use plat_protocol::Role;
use rustix::thread::set_name;
use std::ffi::CString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How many helpers a command mostly needs: one for each time that LLVM works, and one for Z3. More
/// are started as new processes.
const fn needed(command: &Command) -> usize {
    match command {
        Command::Explore(_) => 3,
        Command::Run(_) | Command::Resume(_) | Command::Regress(_) | Command::Analyze(_) => 2,
        Command::Link(_) | Command::Segment(_) | Command::Transform(_) => 1,
        _ => 0,
    }
}

/// Makes the processes that a command will need. Returns in them too.
///
/// # Errors
/// When a helper cannot be left alone by the signals that are for the command.
pub fn stand_by(command: &Command) -> Result<Role, Error> {
    let (count, plat) = (needed(command), executable()?);
    let role = plat_protocol::stand_by(plat.as_os_str(), count);
    if matches!(role, Role::Helper(_)) {
        // To others it looks like the command, which ends it when it ends.
        for signal in interrupt::signals() {
            signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))
                .map_err(|why| Error::input(format!("cannot handle interrupts: {why}")))?;
        }
    }
    Ok(role)
}

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

/// Lets `ps` and `pgrep` tell this process from the command that it works for.
pub fn take_name(name: &str) {
    if let Ok(name) = CString::new(name) {
        // Only the name.
        let _ = set_name(&name);
    }
}

//! The sandbox of native runs, as commands enter it.

use crate::say::note;
use plat::Error;
use plat::replay::Sandbox;

/// Confines this process for what it runs, unless it is asked not to, and says in the name of a command
/// what the system lacks for it.
///
/// # Errors
/// When the system refuses what every system has.
pub fn enter(command: &str, no_sandbox: bool) -> Result<Option<Sandbox>, Error> {
    if no_sandbox {
        return Ok(None);
    }
    let refused = |why| Error::input(format!("a sandbox: {why} (--no-sandbox does without)"));
    let sandbox = Sandbox::enter().map_err(refused)?;
    if let Some(lacking) = sandbox.lacking() {
        note!("{command}: warning: here the program can {lacking}");
    }
    Ok(Some(sandbox))
}

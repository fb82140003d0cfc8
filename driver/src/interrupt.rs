//! Ctrl-C: the first ends the run cleanly, a second one ends the process.

use crate::failure::Failure;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The shell's exit code for a process that an interrupt ended.
pub const INTERRUPTED: i32 = 130;

/// A flag that the first interrupt (or request to terminate) sets.
///
/// # Errors
/// When the system refuses.
pub fn flag() -> Result<Arc<AtomicBool>, Failure> {
    let asked = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the second signal finds the flag set and leaves.
        flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(&asked))
            .and_then(|_| flag::register(signal, Arc::clone(&asked)))
            .map_err(|why| Failure::input(format!("cannot handle interrupts: {why}")))?;
    }
    Ok(asked)
}

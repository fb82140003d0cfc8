//! Requests to end: Ctrl-C, `kill`, a terminal that goes away. The first ends the run cleanly, a
//! second one ends the process at once.

use plat::{Error, Interrupt};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The shell's exit code for a process that an interrupt ended.
pub const INTERRUPTED: i32 = 130;

/// The signals that ask this process to end: all of them do the same. A SIGHUP that is ignored
/// already (`nohup`) stays so.
pub fn signals() -> Vec<i32> {
    let mut signals = vec![SIGINT, SIGTERM];
    if !ignored(SIGHUP) {
        signals.push(SIGHUP);
    }
    signals
}

/// Whether whoever has started this process has made it ignore a signal.
fn ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// A flag that the first request sets. It stays for as long as the process does, as its handlers do.
///
/// # Errors
/// When the system refuses.
pub fn flag() -> Result<Interrupt, Error> {
    let asked: &'static Arc<AtomicBool> = Box::leak(Box::default());
    for signal in signals() {
        // In this order: the second signal finds the flag set and leaves.
        flag::register_conditional_shutdown(signal, INTERRUPTED, Arc::clone(asked))
            .and_then(|_| flag::register(signal, Arc::clone(asked)))
            .map_err(|why| Error::input(format!("cannot handle interrupts: {why}")))?;
    }
    Ok(Interrupt::of(asked))
}

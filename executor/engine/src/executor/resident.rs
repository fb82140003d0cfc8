//! The memory of this process: how much it is, and how the allocator gives back what is free.

use std::sync::OnceLock;

/// How the allocator of this process gives memory back to the system.
static GIVE_BACK: OnceLock<fn()> = OnceLock::new();

/// Tells how the allocator of this process gives free memory back to the system at once. A run compares
/// resident memory with its bound, and allocators keep what is free for a while: without this a run under
/// `--max-memory` may end because of memory that nobody uses. The first call counts.
pub fn give_memory_back_by(how: fn()) {
    let _ = GIVE_BACK.set(how);
}

/// Gives back what is free.
pub(crate) fn give_back() {
    if let Some(how) = GIVE_BACK.get() {
        how();
    }
}

/// Resident memory of this process in bytes; 0 if the system does not tell.
pub(crate) fn resident_memory() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|text| text.split_whitespace().nth(1)?.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}

//! Dividing the process.

use std::io;

/// Which side of a fork the caller is.
#[derive(Clone, Copy, Debug)]
pub enum Divided {
    /// The process that was; the other's number.
    Parent(u32),
    /// The new one.
    Child,
}

/// Divides the process.
///
/// # Errors
/// When the system has no room for another one.
#[expect(
    unsafe_code,
    reason = "rustix has no fork that prepares the C library for it"
)]
pub fn fork() -> io::Result<Divided> {
    // SAFETY: other threads of plat's processes hold no lock that the new one needs: they wait for
    // signals or for standard input.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Divided::Child),
        child => Ok(Divided::Parent(child.cast_unsigned())),
    }
}

//! Processes of the helper: waiting for their end, and ending what they have started.
//!
//! The helper is a subreaper: what a callee forks becomes its child when the callee's process has
//! ended, wherever it has gone (`setsid`, double forks), and is killed then.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::time::{Duration, Instant};

/// Turns -1 into the system's reason.
pub fn checked(result: i32) -> io::Result<i32> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        other => Ok(other),
    }
}

/// Makes this process the parent of all orphans among its descendants, and of a session of its own:
/// interrupts from the terminal are for others, and the terminal is not its descendants' to write to.
///
/// # Errors
/// When the system refuses.
pub fn become_warden() -> io::Result<()> {
    // SAFETY: neither takes pointers.
    unsafe {
        checked(libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1))?;
        // It fails for the leader of a group, which a helper is if it was started as one.
        libc::setsid();
    }
    Ok(())
}

/// A descriptor that is readable when a process has ended.
///
/// # Errors
/// When there is no such process, or the system has no such descriptors.
pub fn watch(process: i32) -> io::Result<File> {
    // SAFETY: it takes no pointers; such descriptors are closed when a program is executed.
    let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, process, 0) };
    let descriptor = checked(i32::try_from(descriptor).unwrap_or(-1))?;
    // SAFETY: the descriptor is new and owned by nobody else.
    Ok(unsafe { File::from_raw_fd(descriptor) })
}

/// Waits until one of the files is readable or closed at its other end; its index, or none at the
/// deadline.
///
/// # Errors
/// When the system refuses.
pub fn first_ready(files: &[&File], deadline: Option<Instant>) -> io::Result<Option<usize>> {
    let mut polled: Vec<libc::pollfd> = files
        .iter()
        .map(|file| libc::pollfd {
            fd: file.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        })
        .collect();
    loop {
        let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
        let wait = left.map_or(-1, |left| {
            i32::try_from(left.as_micros().div_ceil(1000)).unwrap_or(i32::MAX)
        });
        // SAFETY: the pointer is to so many elements.
        let count = unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, wait) };
        match checked(count) {
            Ok(0) => return Ok(None),
            Ok(_) => return Ok(polled.iter().position(|one| one.revents != 0)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Kills a child with its group and all that they have started. Returns how the child has ended.
///
/// # Errors
/// When it is no child.
pub fn end(child: i32) -> io::Result<i32> {
    // SAFETY: none of these takes pointers but to a local. The child was not waited for yet, so its
    // number is nobody else's.
    unsafe {
        libc::kill(-child, libc::SIGKILL);
        libc::kill(child, libc::SIGKILL);
    }
    let status = wait(child)?;
    end_orphans();
    Ok(status)
}

fn wait(child: i32) -> io::Result<i32> {
    let mut status = 0;
    loop {
        // SAFETY: the status is written to a local.
        match checked(unsafe { libc::waitpid(child, &raw mut status, 0) }) {
            Ok(_) => return Ok(status),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Kills children until there are none: those of a killed child become children in their turn.
pub fn end_orphans() {
    loop {
        // SAFETY: the status may be null.
        let waited = unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) };
        match checked(waited) {
            Ok(0) => {
                for child in children() {
                    // SAFETY: it takes no pointers; a child that was not waited for keeps its number.
                    unsafe { libc::kill(child, libc::SIGKILL) };
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// The numbers of this process's children.
fn children() -> Vec<i32> {
    let this = std::process::id().to_string();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let process = entry.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            // The name, in parentheses, may hold anything; state and parent follow.
            let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?;
            (parent == this).then_some(process)
        })
        .collect()
}

//! Processes of untrusted code: waiting for their end, and ending what they have started.
//!
//! Who starts them is a subreaper: what such a process forks becomes its child when the process has
//! ended, wherever it has gone (`setsid`, double forks), and is killed then.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group,
    pidfd_open, set_child_subreaper, set_parent_process_death_signal, setsid, wait, waitpid,
};
use std::fs::File;
use std::io;
use std::time::{Duration, Instant};

/// Makes this process the parent of all orphans among its descendants.
///
/// # Errors
/// When the system refuses.
pub fn adopt_orphans() -> io::Result<()> {
    Ok(set_child_subreaper(Some(getpid()))?)
}

/// Makes a session of this process's own: interrupts from the terminal are for others, and the terminal
/// is not its descendants' to write to.
pub fn leave_session() {
    // It fails for the leader of a group, which a helper is if it was started as one.
    let _ = setsid();
}

/// Has this process killed when the one that has started it ends.
///
/// # Errors
/// When the system refuses.
pub fn end_with_parent() -> io::Result<()> {
    Ok(set_parent_process_death_signal(Some(Signal::KILL))?)
}

/// A descriptor that is readable when a process has ended. It is closed when a program is executed.
///
/// # Errors
/// When there is no such process, or the system has no such descriptors.
pub fn watch(process: Pid) -> io::Result<File> {
    Ok(pidfd_open(process, PidfdFlags::empty())?.into())
}

/// Waits until one of the files is readable or closed at its other end; its index, or none at the
/// deadline.
///
/// # Errors
/// When the system refuses.
pub fn first_ready(files: &[&File], deadline: Option<Instant>) -> io::Result<Option<usize>> {
    let polled = files.iter().map(|file| PollFd::new(file, PollFlags::IN));
    let mut polled: Vec<PollFd<'_>> = polled.collect();
    loop {
        let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
        // What does not fit is longer than anybody waits.
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        match poll(&mut polled, left.as_ref()) {
            Ok(0) => return Ok(None),
            Ok(_) => return Ok(polled.iter().position(|one| !one.revents().is_empty())),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Kills a child with its group and all that they have started. Returns how the child has ended.
///
/// # Errors
/// When it is no child.
pub fn end(child: Pid) -> io::Result<WaitStatus> {
    // The child was not waited for yet, so its number is nobody else's. Its group is there only
    // once it has made one.
    let _ = kill_process_group(child, Signal::KILL);
    let _ = kill_process(child, Signal::KILL);
    let status = loop {
        match waitpid(Some(child), WaitOptions::empty()) {
            Ok(Some((_, status))) => break status,
            Ok(None) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    };
    end_orphans();
    Ok(status)
}

/// Kills children until there are none: those of a killed child become children in their turn.
pub fn end_orphans() {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(None) => {
                for child in children() {
                    // A child that was not waited for keeps its number.
                    let _ = kill_process(child, Signal::KILL);
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

/// The numbers of this process's children.
fn children() -> Vec<Pid> {
    let this = std::process::id().to_string();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let process = Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)?;
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            // The name, in parentheses, may hold anything; state and parent follow.
            let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?;
            (parent == this).then_some(process)
        })
        .collect()
}

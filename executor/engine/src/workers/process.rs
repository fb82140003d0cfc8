//! What workers need of the system: memory that they share, a pipe for each, forks of the process.

use plat_protocol::Incoming;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous};
use rustix::pipe::fcntl_setpipe_size;
use rustix::process::{Pid, WaitOptions, waitpid};
use rustix::time::{ClockId, clock_gettime};
use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// The most workers that a run can have.
pub const MOST: usize = 64;

/// Room that a pipe asks for, so that a worker need not wait for its reader.
const PIPE: usize = 1 << 20;

/// What all processes of a run see.
pub(super) struct Page {
    /// Identities that states have been given.
    pub states: AtomicU32,
    /// Nodes of the trie.
    pub nodes: AtomicU64,
    /// Processes that explore.
    pub running: AtomicU32,
    /// Processes that there have been.
    pub made: AtomicU32,
    /// The process that began.
    pub root: AtomicU32,
    /// All are to stop: a [`super::Halt`], or 0.
    pub halt: AtomicU32,
    /// Tests of live paths that the end of the run has taken from [`crate::Config::halt_tests`].
    pub halt_tests: AtomicU64,
    /// Memory of the first process in bytes.
    pub resident: AtomicU64,
    /// The places of workers.
    pub slots: [Slot; MOST],
}

/// The place of a worker.
pub(super) struct Slot {
    /// The process that has it; 0 if it is free. While a process forks it has the new one's place.
    pub process: AtomicU32,
    /// Live states.
    pub states: AtomicU64,
    /// Its share of memory in bytes.
    pub resident: AtomicU64,
    /// Processor time of all processes that have had the place, in nanoseconds.
    pub cpu: AtomicU64,
}

impl Page {
    /// Memory that forks share. It stays until the process ends.
    pub fn new() -> io::Result<&'static Page> {
        let access = ProtFlags::READ | ProtFlags::WRITE;
        let size = size_of::<Page>();
        // SAFETY: a new mapping, which overlaps nothing.
        let memory =
            unsafe { mmap_anonymous(std::ptr::null_mut(), size, access, MapFlags::SHARED) }?;
        // SAFETY: mappings begin at a page, are never unmapped here, and are zeros at first, which
        // are valid atomics.
        Ok(unsafe { &*memory.cast::<Page>() })
    }

    /// Memory of all processes in bytes.
    pub fn resident(&self) -> u64 {
        let slots = self.slots.iter();
        let busy = slots.filter(|slot| slot.process.load(Ordering::Relaxed) != 0);
        let workers: u64 = busy.map(|slot| slot.resident.load(Ordering::Relaxed)).sum();
        workers + self.resident.load(Ordering::Relaxed)
    }
}

/// Ends the process at once: destructors, which would write to the files of the first process, do
/// not run.
pub(super) fn leave(code: i32) -> ! {
    // SAFETY: it takes no pointers. (rustix keeps its own to itself.)
    unsafe { libc::_exit(code) }
}

/// Processor time of this process.
pub(crate) fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Whether a process still runs.
pub(super) fn lives(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name, in parentheses, may hold anything.
    let state = stat.rsplit(')').next().unwrap_or_default().trim_start();
    !state.is_empty() && !state.starts_with(['Z', 'X'])
}

/// Lets go of a child that has ended. Returns whether it has.
pub(super) fn reap(child: u32) -> bool {
    let child = Pid::from_raw(child.cast_signed());
    // One that is no child has nothing to let go of.
    !matches!(waitpid(child, WaitOptions::NOHANG), Ok(None))
}

/// This process's share of memory in bytes: pages that several have count in parts.
pub(super) fn share_of_memory() -> u64 {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap_or_default();
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
    let kib = line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.map_or_else(crate::executor::resident::resident_memory, |kib| kib * 1024)
}

/// A pipe whose ends do not wait.
pub(super) fn pipe() -> io::Result<(PipeReader, PipeWriter)> {
    let (reader, writer) = io::pipe()?;
    for end in [reader.as_fd(), writer.as_fd()] {
        // Without room the pipe has less.
        let _ = fcntl_setpipe_size(end, PIPE);
        fcntl_setfl(end, OFlags::NONBLOCK)?;
    }
    Ok((reader, writer))
}

/// Waits until one of the ends is ready, or for the longest time.
fn wait_for(ends: &mut [PollFd<'_>], longest: Duration) {
    let longest = Timespec::try_from(longest).ok();
    // What is ready shows when it is used.
    let _ = poll(ends, longest.as_ref());
}

/// Waits until there is something to read, or for the longest time.
pub(super) fn wait_to_read<'a>(readers: impl Iterator<Item = &'a PipeReader>, longest: Duration) {
    let ends = readers.map(|reader| PollFd::new(reader, PollFlags::IN));
    wait_for(&mut ends.collect::<Vec<_>>(), longest);
}

/// Waits until something can be written, or for the longest time.
pub(super) fn wait_to_write(writer: &PipeWriter, longest: Duration) {
    wait_for(&mut [PollFd::new(writer, PollFlags::OUT)], longest);
}

/// Reads what is there.
pub(super) fn drain(mut reader: &PipeReader, into: &mut Incoming) {
    loop {
        match into.read_from(&mut reader) {
            Ok(0) => break,
            Ok(_) => {}
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            // Nothing is left for now.
            Err(_) => break,
        }
    }
}

/// Writes as much of the front as there is room for, and takes that off.
pub(super) fn push(mut writer: &PipeWriter, bytes: &mut Vec<u8>) {
    let mut written = 0;
    while written < bytes.len() {
        match writer.write(&bytes[written..]) {
            Ok(some) => written += some,
            Err(why) if why.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    bytes.drain(..written);
}

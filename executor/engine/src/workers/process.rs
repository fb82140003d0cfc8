//! What workers need of the system: memory that they share, a pipe for each, forks of the process.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// The most workers that a run can have.
pub const MOST: usize = 64;

/// Room that a pipe asks for, so that a worker need not wait for its reader.
const PIPE: i32 = 1 << 20;

/// What all processes of a run see.
pub(super) struct Page {
    /// Identities that states have been given.
    pub states: AtomicU32,
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
        let (read, write) = (libc::PROT_READ, libc::PROT_WRITE);
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        let size = size_of::<Page>();
        // SAFETY: a new mapping, which overlaps nothing.
        let memory = unsafe { libc::mmap(std::ptr::null_mut(), size, read | write, flags, -1, 0) };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
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

/// Which side of a fork the caller is.
pub(super) enum Side {
    /// The process that was; the other's number.
    Parent(u32),
    /// The new one.
    Child,
}

/// Divides the process.
pub(super) fn fork() -> io::Result<Side> {
    // SAFETY: other threads of the process hold no lock that exploring needs: they wait for
    // signals or for standard input.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Side::Child),
        child => Ok(Side::Parent(child.cast_unsigned())),
    }
}

/// Ends the process at once: destructors, which would write to the files of the first process, do
/// not run.
pub(super) fn leave(code: i32) -> ! {
    // SAFETY: it takes no pointers.
    unsafe { libc::_exit(code) }
}

/// Processor time of this process.
pub(crate) fn cpu_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the clock is a constant, and the pointer is to a local.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    let part = |number: i64| u64::try_from(number).unwrap_or(0);
    Duration::from_secs(part(time.tv_sec)) + Duration::from_nanos(part(time.tv_nsec))
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
    // SAFETY: the status may be null.
    let ended = unsafe { libc::waitpid(child.cast_signed(), std::ptr::null_mut(), libc::WNOHANG) };
    ended != 0
}

/// This process's share of memory in bytes: pages that several have count in parts.
pub(super) fn share_of_memory() -> u64 {
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap_or_default();
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
    let kib = line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.map_or_else(crate::schedule::resident_memory, |kib| kib * 1024)
}

/// A pipe whose ends do not wait.
pub(super) fn pipe() -> io::Result<(PipeReader, PipeWriter)> {
    let (reader, writer) = io::pipe()?;
    for end in [reader.as_raw_fd(), writer.as_raw_fd()] {
        // SAFETY: these take no pointers. Without room the pipe has less.
        let set = unsafe {
            libc::fcntl(end, libc::F_SETPIPE_SZ, PIPE);
            libc::fcntl(end, libc::F_SETFL, libc::O_NONBLOCK)
        };
        if set == -1 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok((reader, writer))
}

/// Waits until one of the ends is ready, or for so many milliseconds.
fn wait_for(ends: impl Iterator<Item = i32>, events: i16, longest: i32) {
    let mut ends: Vec<libc::pollfd> = ends
        .map(|fd| libc::pollfd {
            fd,
            events,
            revents: 0,
        })
        .collect();
    // SAFETY: the pointer and the length are the vector's. What is ready shows when it is used.
    unsafe { libc::poll(ends.as_mut_ptr(), ends.len() as libc::nfds_t, longest) };
}

/// Waits until there is something to read, or for so many milliseconds.
pub(super) fn wait_to_read<'a>(readers: impl Iterator<Item = &'a PipeReader>, longest: i32) {
    wait_for(readers.map(AsRawFd::as_raw_fd), libc::POLLIN, longest);
}

/// Waits until something can be written, or for so many milliseconds.
pub(super) fn wait_to_write(writer: &PipeWriter, longest: i32) {
    wait_for([writer.as_raw_fd()].into_iter(), libc::POLLOUT, longest);
}

/// Reads what is there.
pub(super) fn drain(mut reader: &PipeReader, into: &mut Vec<u8>) {
    // Nonblocking: it ends in an error when nothing is left for now, and keeps what it has read.
    let _ = reader.read_to_end(into);
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

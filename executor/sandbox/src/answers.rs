//! What a native run is told in place of the system, so that it can do what its path did: directories in
//! [order](crate::listings), and the path's random bytes.
//!
//! A filter has such calls of a run wait for this process, which answers. So it holds for programs without
//! a C library, too, and for what they start. Where the system has no such filters, or does not let this
//! process see what is the other one's, the system answers as always.

use crate::filter;
use crate::listings::{Listings, Part};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
use std::fmt;
use std::io;
use std::mem;
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::time::{Duration, Instant};

/// The random bytes of a run: so many more of them.
pub type Random = Box<dyn FnMut(usize) -> Vec<u8>>;

/// What answers the calls of one run.
pub struct Answers {
    /// Where the run's first process sends its end of the filter.
    channel: UnixStream,
    /// Calls come from here while the run has processes.
    calls: Option<OwnedFd>,
    listings: Listings,
    random: Random,
    /// Random bytes that nobody waited for any more.
    left: Option<Vec<u8>>,
}

impl fmt::Debug for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answers").finish_non_exhaustive()
    }
}

/// Whether runs can ask on this machine. Starts one that does nothing.
pub fn available() -> bool {
    let mut command = Command::new("/bin/true");
    let answers = Answers::watch(&mut command, Box::new(|size| vec![0; size]));
    let (Ok(mut answers), Ok(mut child)) = (answers, command.spawn()) else {
        return false;
    };
    answers.begin();
    let asks = answers.calls.is_some();
    while let Ok(None) = child.try_wait() {
        answers.serve(Duration::from_millis(2));
    }
    asks
}

/// What is to be done for a call.
enum Answer {
    Listed(Part),
    Random(Vec<u8>),
    /// The system does it.
    AsAlways,
}

impl Answers {
    /// Has the run of a command ask here.
    ///
    /// # Errors
    /// When the system has no more descriptors.
    pub fn watch(command: &mut Command, random: Random) -> io::Result<Self> {
        let (channel, theirs) = UnixStream::pair()?;
        channel.set_nonblocking(true)?;
        // SAFETY: what is done in the child is made of system calls on memory that is there already.
        unsafe { command.pre_exec(move || filter::send(&theirs)) };
        Ok(Answers {
            channel,
            calls: None,
            listings: Listings::default(),
            random,
            left: None,
        })
    }

    /// Begins to answer, once the command runs.
    pub fn begin(&mut self) {
        self.calls = filter::receive(&self.channel);
    }

    /// Answers what is asked for some time, which it uses up while the run has processes.
    pub fn serve(&mut self, time: Duration) {
        let end = Instant::now() + time;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let Some(calls) = &self.calls else {
                std::thread::sleep(left);
                return;
            };
            let mut polled = [PollFd::new(calls, PollFlags::IN)];
            let left = Timespec::try_from(left).ok();
            match poll(&mut polled, left.as_ref()) {
                Ok(0) | Err(_) => return,
                Ok(_) if polled[0].revents().contains(PollFlags::IN) => {
                    self.next_call(calls.as_raw_fd());
                    if Instant::now() >= end {
                        return;
                    }
                }
                Ok(_) => {
                    self.calls = None;
                    return;
                }
            }
        }
    }

    fn next_call(&mut self, calls: RawFd) {
        // SAFETY: a structure of numbers.
        let mut call: libc::seccomp_notif = unsafe { mem::zeroed() };
        // SAFETY: the system fills in the structure.
        let asked = unsafe { libc::ioctl(calls, libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut call) };
        if asked != 0 {
            // The process was interrupted or has ended.
            return;
        }
        let mut response = libc::seccomp_notif_resp {
            id: call.id,
            val: 0,
            error: 0,
            flags: libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32,
        };
        let answer = self.answer(calls, &call);
        let result = match &answer {
            Answer::Listed(part) if part.too_large => Some(Err(libc::EINVAL)),
            Answer::Listed(Part { bytes, .. }) => Some(Ok((call.data.args[1], bytes))),
            Answer::Random(bytes) => Some(Ok((call.data.args[0], bytes))),
            Answer::AsAlways => None,
        };
        match result {
            Some(Ok((to, bytes))) if write(call.pid, to, bytes) => {
                response.val = bytes.len() as i64;
                response.flags = 0;
            }
            Some(Err(error)) => {
                response.error = -error;
                response.flags = 0;
            }
            // The system says what is wrong with the place.
            Some(Ok(_)) | None => {}
        }
        if let Answer::Listed(part) = &answer
            && response.flags == 0
            && !part.pass()
        {
            response.val = 0;
            response.error = 0;
            response.flags = libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32;
        }
        // SAFETY: the system reads the structure.
        let sent = unsafe { libc::ioctl(calls, libc::SECCOMP_IOCTL_NOTIF_SEND, &raw mut response) };
        if sent != 0 {
            // Interrupted by a signal, after which it asks once more.
            match answer {
                Answer::Listed(part) => part.go_back(),
                Answer::Random(bytes) => self.left = Some(bytes),
                Answer::AsAlways => {}
            }
        }
    }

    fn answer(&mut self, calls: RawFd, call: &libc::seccomp_notif) -> Answer {
        match i64::from(call.data.nr) {
            libc::SYS_getdents64 => self
                .list(calls, call)
                .map_or(Answer::AsAlways, Answer::Listed),
            libc::SYS_getrandom => self.random(call).map_or(Answer::AsAlways, Answer::Random),
            _ => Answer::AsAlways,
        }
    }

    /// getdents64(fd, buffer, size)
    fn list(&mut self, calls: RawFd, call: &libc::seccomp_notif) -> Option<Part> {
        let [fd, _, size, ..] = call.data.args;
        let fd = fd as RawFd;
        let process = pidfd_open(thread_group(call.pid)?, PidfdFlags::empty()).ok()?;
        let directory = pidfd_getfd(process, fd, PidfdGetfdFlags::empty()).ok()?;
        // Only now the number is surely still that of the process that asked.
        // SAFETY: the system reads the number.
        let valid = unsafe {
            libc::ioctl(
                calls,
                libc::SECCOMP_IOCTL_NOTIF_ID_VALID,
                &raw const call.id,
            )
        };
        if valid != 0 {
            return None;
        }
        self.listings.next(fd, directory, size as u32 as usize)
    }

    /// getrandom(buffer, size, flags): bytes as the kernel of paths makes them.
    fn random(&mut self, call: &libc::seccomp_notif) -> Option<Vec<u8>> {
        /// `GRND_NONBLOCK`
        const AT_ONCE: u32 = 1;
        /// The most that one call gets.
        const MOST: u64 = 1 << 20;
        let [_, size, flags, ..] = call.data.args;
        let flags = flags as u32;
        // The GNU C Library asks so for a key of its heap, and has no such call in a path.
        let is_library = size == 8 && flags == AT_ONCE;
        if flags & !7 != 0 || is_library {
            return None;
        }
        let size = size.min(MOST) as usize;
        match self.left.take() {
            Some(left) if left.len() == size => Some(left),
            _ if size == 0 => Some(Vec::new()),
            _ => Some((self.random)(size)),
        }
    }
}

/// The process that a thread belongs to.
fn thread_group(thread: u32) -> Option<Pid> {
    let status = std::fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Tgid:"))?;
    Pid::from_raw(line.trim().parse().ok()?)
}

/// Writes to the memory of a process; whether it could.
fn write(process: u32, to: u64, bytes: &[u8]) -> bool {
    let part = |start: *mut libc::c_void| libc::iovec {
        iov_base: start,
        iov_len: bytes.len(),
    };
    let here = part(bytes.as_ptr().cast_mut().cast());
    let there = part(to as *mut libc::c_void);
    let process = process.cast_signed();
    // SAFETY: the system reads the bytes, and checks the place in the other process.
    let written = unsafe { libc::process_vm_writev(process, &here, 1, &there, 1, 0) };
    written == bytes.len() as isize
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::process::Stdio;

    fn output(command: &mut Command, random: Random) -> String {
        let mut answers = Answers::watch(command, random).unwrap();
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        answers.begin();
        while child.try_wait().unwrap().is_none() {
            answers.serve(Duration::from_millis(2));
        }
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    }

    #[test]
    fn a_run_lists_directories_in_order() {
        let place = std::env::temp_dir().join(format!("plat-listings-{}", std::process::id()));
        fs::create_dir(&place).unwrap();
        let names = ["m", "B", "a", "zz", "c", ".h", "a.b", "Z", "0"];
        for name in names {
            fs::write(place.join(name), "").unwrap();
        }
        let mut command = Command::new("ls");
        command.args(["-f", "-1"]).arg(&place);
        let listed = output(&mut command, Box::new(|size| vec![0; size]));
        fs::remove_dir_all(&place).unwrap();
        let mut expected = names;
        expected.sort_unstable();
        let expected: Vec<&str> = [".", ".."].into_iter().chain(expected).collect();
        assert_eq!(listed.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_run_draws_random_bytes_from_here() {
        let program =
            "import os; print(os.getrandom(5).hex(), os.getrandom(3, os.GRND_NONBLOCK).hex())";
        let mut command = Command::new("python3");
        command
            .args(["-S", "-c", program])
            .env("PYTHONHASHSEED", "0");
        let mut next = 0;
        let random = move |size| {
            next += 1;
            vec![next; size]
        };
        let drawn = output(&mut command, Box::new(random));
        assert_eq!(drawn.trim(), "0101010101 020202");
    }
}

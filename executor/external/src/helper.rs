//! The helper process: reads requests, and makes each call in a fork of itself.

use crate::native;
use crate::protocol::{Reply, Request, Returned, Setup, Started};
use crate::regions::{self, Region};
use crate::shared::Shared;
use plat_protocol::{decode, encode, receive, send};
use plat_sandbox::{Sandbox, descendants as process};
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::{Pid, Signal, getpid, getppid, set_parent_process_death_signal, setpgid};
use rustix::stdio::{self, dup2_stderr, dup2_stdin, dup2_stdout};
use serde::de::DeserializeOwned;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::os::fd::{AsFd, AsRawFd as _};
use std::time::{Duration, Instant};

pub use crate::regions::reserve_early;

/// Room for an answer beside what its blocks take.
const LEAST_ROOM: usize = 1 << 16;

/// Serves requests from standard input until it ends or the process that has started this one does.
/// `arguments` are those behind the helper's command.
///
/// # Errors
/// When the executor says something that is no request, or cannot be answered.
pub fn serve(arguments: &[OsString]) -> io::Result<()> {
    process::leave_session();
    // What the run was started with is not the callees'.
    close_inherited();
    let sandbox = Sandbox::enter_without_files()?;
    let mut executor = Executor {
        from: duplicate(stdio::stdin())?,
        to: duplicate(stdio::stdout())?,
        process: process::watch(getppid().ok_or(io::ErrorKind::NotFound)?)?,
    };
    silence()?;
    let Some(setup) = executor.hear::<Setup>()? else {
        return Ok(());
    };
    let ready = regions::ensure(arguments).and_then(|regions| {
        native::load(&setup.libraries)?;
        Ok(regions)
    });
    let regions = match ready {
        Ok(regions) => regions,
        Err(why) => return send(&mut executor.to, &Started::Failed(why)),
    };
    send(&mut executor.to, &Started::Ready(sandbox.lacking()))?;
    let helper = Helper {
        executor: &executor,
        regions,
        longest: Duration::from_millis(setup.longest),
    };
    let mut to = &executor.to;
    while let Some(request) = executor.hear::<Request>()? {
        let reply = match helper.call(&request)? {
            Some(reply) => reply,
            None => break,
        };
        send(&mut to, &reply)?;
    }
    // What libraries have started when they were loaded.
    process::end_orphans();
    Ok(())
}

/// The process whose calls are made here.
struct Executor {
    from: File,
    to: File,
    /// Readable when it has ended.
    process: File,
}

impl Executor {
    /// The next message; none when there will be no more. The pipe alone does not say so: forks of
    /// the executor have it open too.
    fn hear<T: DeserializeOwned>(&self) -> io::Result<Option<T>> {
        match process::first_ready(&[&self.from, &self.process], None)? {
            Some(0) => receive(&mut &self.from),
            _ => Ok(None),
        }
    }
}

/// Closes everything but the standard descriptors.
fn close_inherited() {
    // SAFETY: this process has opened nothing yet, so nobody owns what is closed. (rustix has no
    // such call, as it cannot know that.)
    unsafe {
        if libc::syscall(libc::SYS_close_range, 3, u32::MAX, 0) != 0 {
            // A kernel without this call.
            for descriptor in 3..libc::sysconf(libc::_SC_OPEN_MAX) as i32 {
                libc::close(descriptor);
            }
        }
    }
}

/// Makes the standard descriptors lead nowhere, also for libraries that are loaded.
fn silence() -> io::Result<()> {
    let null = File::options().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&null)?;
    dup2_stdout(&null)?;
    Ok(dup2_stderr(&null)?)
}

/// The same file under a number above the standard ones.
fn duplicate(file: impl AsFd) -> io::Result<File> {
    Ok(fcntl_dupfd_cloexec(file, 3)?.into())
}

/// A file in memory, for what a callee writes.
fn memory() -> io::Result<File> {
    Ok(memfd_create(c"output", MemfdFlags::CLOEXEC)?.into())
}

fn contents(mut file: File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What all calls have in common.
struct Helper<'a> {
    executor: &'a Executor,
    regions: Vec<Region>,
    longest: Duration,
}

impl Helper<'_> {
    /// Makes a call in a child process, of which nothing is left behind; none when the executor has
    /// gone meanwhile.
    fn call(&self, request: &Request) -> io::Result<Option<Reply>> {
        let blocks = request.blocks.iter();
        let room: usize = blocks.map(|block| 2 * block.bytes.len() + 64).sum();
        let shared = Shared::new(room + LEAST_ROOM)?;
        let outputs = [memory()?, memory()?];
        // SAFETY: what runs in the child is this thread's alone. (rustix has no fork that prepares
        // the C library for it.)
        let child = match unsafe { libc::fork() } {
            0 => {
                self.answer(request, &outputs, &shared);
                // SAFETY: ends the child without running what the parent registered for its exit.
                unsafe { libc::_exit(0) };
            }
            // -1 is no number of a process.
            child => Pid::from_raw(child.max(0)).ok_or_else(io::Error::last_os_error)?,
        };
        let ended = process::watch(child)?;
        let files = [&ended, &self.executor.process];
        let first = process::first_ready(&files, Some(Instant::now() + self.longest));
        let status = process::end(child)?;
        match first? {
            None => return Ok(Some(Reply::Hung)),
            Some(0) => {}
            Some(_) => return Ok(None),
        }
        let reply = match decode(&shared.get()) {
            Ok(Reply::Returned(returned)) => {
                let [stdout, stderr] = outputs.map(contents);
                Reply::Returned(Returned {
                    stdout: stdout?,
                    stderr: stderr?,
                    ..returned
                })
            }
            Ok(reply) => reply,
            Err(_) => match status.terminating_signal() {
                Some(signal) => Reply::Crashed(signal),
                None => Reply::Exited(status.exit_status().unwrap_or(0)),
            },
        };
        Ok(Some(reply))
    }

    /// The child's part.
    fn answer(&self, request: &Request, outputs: &[File; 2], shared: &Shared) {
        let this = getpid();
        // Both can fail only where the system lacks them.
        let _ = setpgid(None, None);
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        let [stdout, stderr] = outputs;
        let standard = dup2_stdout(stdout).and_then(|()| dup2_stderr(stderr));
        let Executor { from, to, process } = self.executor;
        for own in [from, to, process, stdout, stderr] {
            // SAFETY: these are this process's copies, which it uses no more and never drops.
            unsafe { rustix::io::close(own.as_raw_fd()) };
        }
        let reply = match standard {
            Ok(()) => native::call(&self.regions, request),
            Err(error) => Reply::Failed(error.to_string()),
        };
        // A callee that forks may return twice: the first process has made the call.
        if getpid() == this {
            // Without an answer the end of this process is the reply.
            if let Ok(bytes) = encode(&reply) {
                shared.put(&bytes);
            }
        }
    }
}

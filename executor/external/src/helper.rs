//! The helper process: reads requests, and makes each call in a fork of itself.

use crate::native;
use crate::process::{self, checked};
use crate::protocol::{Reply, Request, Returned, Setup};
use crate::regions::{self, Region};
use crate::shared::Shared;
use crate::wire::{receive, send};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _};
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
    process::become_warden()?;
    // What the run was started with is not the callees'.
    close_inherited();
    let mut executor = Executor {
        from: duplicate(0)?,
        to: duplicate(1)?,
        // SAFETY: it takes no pointers.
        process: process::watch(unsafe { libc::getppid() })?,
    };
    silence()?;
    let Some(setup) = executor.hear()? else {
        return Ok(());
    };
    let setup = Setup::decode(&setup).ok_or(io::ErrorKind::InvalidData)?;
    let ready = regions::ensure(arguments).and_then(|regions| {
        native::load(&setup.libraries)?;
        Ok(regions)
    });
    let regions = match ready {
        Ok(regions) => regions,
        Err(why) => return send(&mut executor.to, &Reply::Failed(why).encode()),
    };
    send(&mut executor.to, &Reply::Exited(0).encode())?;
    let helper = Helper {
        executor: &executor,
        regions,
        longest: Duration::from_millis(setup.longest),
    };
    let mut to = &executor.to;
    while let Some(request) = executor.hear()? {
        let request = Request::decode(&request).ok_or(io::ErrorKind::InvalidData)?;
        let reply = match helper.call(&request)? {
            Some(reply) => reply,
            None => break,
        };
        send(&mut to, &reply.encode())?;
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
    fn hear(&self) -> io::Result<Option<Vec<u8>>> {
        match process::first_ready(&[&self.from, &self.process], None)? {
            Some(0) => receive(&mut &self.from),
            _ => Ok(None),
        }
    }
}

/// Closes everything but the standard descriptors.
fn close_inherited() {
    // SAFETY: this process has opened nothing yet.
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
    (0..3).try_for_each(|descriptor| redirect(&null, descriptor))
}

fn duplicate(descriptor: i32) -> io::Result<File> {
    // SAFETY: duplicating a descriptor touches no memory.
    let copy = checked(unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 3) })?;
    // SAFETY: the descriptor is new and owned by nobody else.
    Ok(unsafe { File::from_raw_fd(copy) })
}

/// Makes a descriptor number refer to a file.
fn redirect(file: &File, descriptor: i32) -> io::Result<()> {
    // SAFETY: replacing a descriptor touches no memory; nobody owns the standard ones.
    checked(unsafe { libc::dup2(file.as_raw_fd(), descriptor) }).map(drop)
}

/// A file in memory, for what a callee writes.
fn memory() -> io::Result<File> {
    // SAFETY: the name is a C string.
    let file = checked(unsafe { libc::memfd_create(c"output".as_ptr(), libc::MFD_CLOEXEC) })?;
    // SAFETY: the descriptor is new and owned by nobody else.
    Ok(unsafe { File::from_raw_fd(file) })
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
        // SAFETY: what runs in the child is this thread's alone.
        let child = checked(unsafe { libc::fork() })?;
        if child == 0 {
            self.answer(request, &outputs, &shared);
            // SAFETY: ends the child without running what the parent registered for its exit.
            unsafe { libc::_exit(0) };
        }
        let ended = process::watch(child)?;
        let files = [&ended, &self.executor.process];
        let first = process::first_ready(&files, Some(Instant::now() + self.longest));
        let status = process::end(child)?;
        match first? {
            None => return Ok(Some(Reply::Hung)),
            Some(0) => {}
            Some(_) => return Ok(None),
        }
        let reply = match Reply::decode(&shared.get()) {
            Some(Reply::Returned(returned)) => {
                let [stdout, stderr] = outputs.map(contents);
                Reply::Returned(Returned {
                    stdout: stdout?,
                    stderr: stderr?,
                    ..returned
                })
            }
            Some(reply) => reply,
            None if libc::WIFSIGNALED(status) => Reply::Crashed(libc::WTERMSIG(status)),
            None => Reply::Exited(libc::WEXITSTATUS(status)),
        };
        Ok(Some(reply))
    }

    /// The child's part.
    fn answer(&self, request: &Request, outputs: &[File; 2], shared: &Shared) {
        let this = std::process::id();
        // SAFETY: none of these takes pointers. The descriptors are this process's copies, which it
        // uses no more.
        unsafe {
            libc::setpgid(0, 0);
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        }
        let [stdout, stderr] = outputs;
        let standard = redirect(stdout, 1).and_then(|()| redirect(stderr, 2));
        let Executor { from, to, process } = self.executor;
        for own in [from, to, process, stdout, stderr] {
            // SAFETY: as above.
            unsafe { libc::close(own.as_raw_fd()) };
        }
        let reply = match standard {
            Ok(()) => native::call(&self.regions, request),
            Err(error) => Reply::Failed(error.to_string()),
        };
        // A callee that forks may return twice: the first process has made the call.
        if std::process::id() == this {
            shared.put(&reply.encode());
        }
    }
}

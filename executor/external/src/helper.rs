//! The helper process: reads requests, and makes each call in a fork of itself.

use crate::native;
use crate::protocol::{Reply, Request, Setup};
use crate::wire::{receive, send};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::time::{Duration, Instant};

/// Serves requests from standard input until it ends.
///
/// # Errors
/// When the executor says something that is no request, or cannot be answered.
pub fn serve() -> io::Result<()> {
    let (mut from, mut to) = (duplicate(0)?, duplicate(1)?);
    // Callees must not write into the conversation.
    let null = File::options().read(true).write(true).open("/dev/null")?;
    redirect(&null, 0)?;
    redirect(&null, 1)?;
    let Some(setup) = receive(&mut from)? else {
        return Ok(());
    };
    let setup = Setup::decode(&setup).ok_or(io::ErrorKind::InvalidData)?;
    let ready = native::load(&setup.libraries);
    let answer = ready.map_or_else(Reply::Failed, |()| Reply::Exited(0));
    send(&mut to, &answer.encode())?;
    while let Some(request) = receive(&mut from)? {
        let request = Request::decode(&request).ok_or(io::ErrorKind::InvalidData)?;
        let reply = call(&setup, &request)?;
        send(&mut to, &reply.encode())?;
    }
    Ok(())
}

fn checked(result: i32) -> io::Result<i32> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        other => Ok(other),
    }
}

fn duplicate(descriptor: i32) -> io::Result<File> {
    // SAFETY: duplicating a descriptor touches no memory.
    let copy = checked(unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 10) })?;
    // SAFETY: the descriptor is new and owned by nobody else.
    Ok(unsafe { File::from_raw_fd(copy) })
}

/// Makes a descriptor number refer to a file.
pub(crate) fn redirect(file: &File, descriptor: i32) -> io::Result<()> {
    // SAFETY: replacing a descriptor touches no memory; nobody owns the standard ones.
    checked(unsafe { libc::dup2(file.as_raw_fd(), descriptor) }).map(drop)
}

fn pipe() -> io::Result<(File, File)> {
    let mut ends = [0; 2];
    // SAFETY: the array has room for the two descriptors.
    checked(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) })?;
    // SAFETY: both are new and owned by nobody else.
    let [read, write] = ends.map(|end| unsafe { OwnedFd::from_raw_fd(end) });
    Ok((read.into(), write.into()))
}

/// Makes a call in a child process.
fn call(setup: &Setup, request: &Request) -> io::Result<Reply> {
    let (read, write) = pipe()?;
    // SAFETY: this process has one thread, so the child may go on as it likes.
    let child = checked(unsafe { libc::fork() })?;
    if child == 0 {
        drop(read);
        let reply = native::call(&setup.regions, request);
        let mut write = write;
        let sent = send(&mut write, &reply.encode());
        // SAFETY: ends the child without running what the parent registered for its exit.
        unsafe { libc::_exit(i32::from(sent.is_err())) };
    }
    drop(write);
    let deadline = Instant::now() + Duration::from_millis(setup.longest);
    let frame = before(read, deadline)?;
    if frame.is_none() {
        // SAFETY: the child is ours and was not waited for yet.
        unsafe { libc::kill(child, libc::SIGKILL) };
    }
    let mut status = 0;
    // SAFETY: the child is ours; the status is written to a local.
    while unsafe { libc::waitpid(child, &raw mut status, 0) } == -1 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let Some(frame) = frame else {
        return Ok(Reply::Hung);
    };
    let reply = receive(&mut frame.as_slice())?.and_then(|bytes| Reply::decode(&bytes));
    Ok(match reply {
        Some(reply) => reply,
        None if libc::WIFSIGNALED(status) => Reply::Crashed(libc::WTERMSIG(status)),
        None => Reply::Exited(libc::WEXITSTATUS(status)),
    })
}

/// All that comes through the pipe, if its other end closes before the deadline.
fn before(mut pipe: File, deadline: Instant) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 1 << 16];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        let mut ready = libc::pollfd {
            fd: pipe.as_raw_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        let wait = i32::try_from(left.as_millis() + 1).unwrap_or(i32::MAX);
        // SAFETY: one descriptor, in a local.
        match checked(unsafe { libc::poll(&raw mut ready, 1, wait) }) {
            Ok(0) => return Ok(None),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        }
        match pipe.read(&mut buffer)? {
            0 => return Ok(Some(bytes)),
            count => bytes.extend_from_slice(&buffer[..count]),
        }
    }
}

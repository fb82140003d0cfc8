//! Reads and writes with a deadline on the pipes of the solver process.

use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;

use plat_protocol::Incoming;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;

use crate::deadline::Deadline;

use super::messages::Reply;

/// The longest time between two checks for an interrupt.
const POLL_NANOSECONDS: i64 = 20_000_000;

/// Makes reads and writes at this end non-blocking.
pub(super) fn set_nonblocking(end: &impl AsFd) -> io::Result<()> {
    Ok(fcntl_setfl(end, OFlags::NONBLOCK)?)
}

/// Waits until this end is ready. Returns false if the deadline passes first.
fn ready(end: &impl AsFd, events: PollFlags, deadline: Deadline) -> io::Result<bool> {
    loop {
        let left = deadline.left().map_or(POLL_NANOSECONDS, |left| {
            i64::try_from(left.as_nanos()).unwrap_or(POLL_NANOSECONDS)
        });
        let timeout = Timespec {
            tv_sec: 0,
            tv_nsec: left.min(POLL_NANOSECONDS),
        };
        match poll(&mut [PollFd::new(end, events)], Some(&timeout)) {
            Ok(0) if deadline.is_over() => return Ok(false),
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(true),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Writes all bytes. Returns false if the deadline passes first.
pub(super) fn write_all(
    to: &mut (impl Write + AsFd),
    mut bytes: &[u8],
    deadline: Deadline,
) -> io::Result<bool> {
    while !bytes.is_empty() {
        match to.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                if !ready(to, PollFlags::OUT, deadline)? {
                    return Ok(false);
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

/// Reads the reply; `None` if the deadline passes first.
pub(super) fn read_reply(
    from: &mut (impl Read + AsFd),
    incoming: &mut Incoming,
    deadline: Deadline,
) -> io::Result<Option<Reply>> {
    loop {
        if let Some(reply) = incoming.message()? {
            return Ok(Some(reply));
        }
        match incoming.read_from(from) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                if !ready(from, PollFlags::IN, deadline)? {
                    return Ok(None);
                }
            }
            Err(error) => return Err(error),
        }
    }
}

//! What passes between a run and its solver process: frames of bytes on pipes, each behind its
//! length. Both ends of the run wait no longer than until a moment.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd};

use plat_expr::Assignment;

use crate::answer::Answer;
use crate::deadline::Deadline;
use crate::effort::Effort;

/// No frame is longer: a wrong length must not ask for all memory.
const LONGEST: u64 = 1 << 32;

/// A frame around `body`.
pub(super) fn frame(body: &[u8]) -> Vec<u8> {
    [&(body.len() as u64).to_le_bytes(), body].concat()
}

/// The body of the frame in `bytes`, if it is whole.
pub(super) fn whole(bytes: &[u8]) -> io::Result<Option<&[u8]>> {
    let Some((length, body)) = bytes.split_first_chunk() else {
        return Ok(None);
    };
    let length = u64::from_le_bytes(*length);
    if length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(body.get(..length as usize))
}

/// Reads a frame, however long it takes; none if the other end is closed.
pub(super) fn receive(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 8];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u64::from_le_bytes(length);
    if length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut body = Vec::new();
    from.take(length).read_to_end(&mut body)?;
    Ok((body.len() as u64 == length).then_some(body))
}

/// Makes reads and writes at this end return when there is nothing, or no room.
pub(super) fn never_wait(end: &impl AsRawFd) -> io::Result<()> {
    // SAFETY: it takes no pointers.
    match unsafe { libc::fcntl(end.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Longest time in milliseconds without a look at the deadline, which an interrupt can bring about.
const LOOK: i32 = 20;

/// Waits until the end is ready; whether it was before the deadline.
fn ready(end: &impl AsFd, events: i16, deadline: Deadline) -> io::Result<bool> {
    loop {
        let longest = deadline.left().map_or(LOOK, |left| {
            let left = i32::try_from(left.as_micros().div_ceil(1000)).unwrap_or(LOOK);
            left.min(LOOK)
        });
        let mut one = libc::pollfd {
            fd: end.as_fd().as_raw_fd(),
            events,
            revents: 0,
        };
        // SAFETY: one descriptor, in a local.
        match unsafe { libc::poll(&raw mut one, 1, longest) } {
            0 if deadline.is_over() => return Ok(false),
            0 => {}
            -1 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
            -1 => return Err(io::Error::last_os_error()),
            _ => return Ok(true),
        }
    }
}

/// Writes everything, if there is room for it before the deadline; whether there was.
pub(super) fn write_all(
    to: &mut (impl Write + AsFd),
    mut bytes: &[u8],
    deadline: Deadline,
) -> io::Result<bool> {
    while !bytes.is_empty() {
        match to.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if !ready(to, libc::POLLOUT, deadline)? {
                    return Ok(false);
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

/// Reads more of a frame into `bytes`, until it is whole or the deadline is past; whether it is.
pub(super) fn read_more(
    from: &mut (impl Read + AsFd),
    bytes: &mut Vec<u8>,
    deadline: Deadline,
) -> io::Result<bool> {
    let mut buffer = [0; 1 << 12];
    while whole(bytes)?.is_none() {
        match from.read(&mut buffer) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if !ready(from, libc::POLLIN, deadline)? {
                    return Ok(false);
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(true)
}

/// A query: how many milliseconds it may take, and its script.
pub(super) fn query(milliseconds: u64, effort: Effort, script: &str) -> Vec<u8> {
    let operations = effort.operations().to_le_bytes();
    [&milliseconds.to_le_bytes(), &operations, script.as_bytes()].concat()
}

/// The parts of a query.
pub(super) fn parts(query: &[u8]) -> Option<(u64, Effort, &str)> {
    let (milliseconds, rest) = query.split_first_chunk()?;
    let (operations, script) = rest.split_first_chunk()?;
    let effort = match u64::from_le_bytes(*operations) {
        u64::MAX => Effort::FULL,
        operations => Effort::of(operations),
    };
    let script = std::str::from_utf8(script).ok()?;
    Some((u64::from_le_bytes(*milliseconds), effort, script))
}

/// An answer; `bytes` are those of its model, by the numbers that the script has for them.
pub(super) fn encode(answer: &Answer, bytes: impl Iterator<Item = (u32, u32, u8)>) -> Vec<u8> {
    match answer {
        Answer::Unsat => vec![0],
        Answer::Unknown(reason) => [&[1], reason.as_bytes()].concat(),
        Answer::Sat(_) => {
            let mut out = vec![2];
            for (symbol, index, value) in bytes {
                out.extend(symbol.to_le_bytes());
                out.extend(index.to_le_bytes());
                out.push(value);
            }
            out
        }
    }
}

/// The answer that was encoded.
pub(super) fn decode(bytes: &[u8]) -> Option<Answer> {
    let (&kind, rest) = bytes.split_first()?;
    Some(match kind {
        0 => Answer::Unsat,
        1 => Answer::Unknown(String::from_utf8_lossy(rest).into_owned()),
        2 => {
            let (parts, []) = rest.as_chunks::<9>() else {
                return None;
            };
            let mut model = Assignment::new();
            for &[a, b, c, d, e, f, g, h, value] in parts {
                let [symbol, index] = [[a, b, c, d], [e, f, g, h]].map(u32::from_le_bytes);
                model.set_byte(plat_expr::SymbolId(symbol), index, value);
            }
            Answer::Sat(model)
        }
        _ => return None,
    })
}

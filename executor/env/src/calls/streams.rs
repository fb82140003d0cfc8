//! Pipes and sockets: what waits in them, sending, and waiting for either.

use crate::call::{Answer, Call, Failure, SysResult};
use crate::descriptors::{O_NONBLOCK, PIPE_CAPACITY, PipeId, Target};
use crate::errno::Errno;
use crate::fidelity::Difference;
use crate::metadata::Time;
use crate::signals::SIGPIPE;
use crate::sockets::{Address, CAPACITY, Carries, Peer, Role, SocketId, UNIX};
use crate::threads::{Waits, Waker};
use plat_expr::{Byte, Value};

/// `SO_RCVTIMEO`, `SO_SNDTIMEO` of `SOL_SOCKET`.
const TIME_LIMITS: [(i32, i32); 2] = [(1, 20), (1, 21)];

/// The next bytes of a pipe, without removing them.
pub(super) fn from_pipe(
    call: &mut Call<'_>,
    id: PipeId,
    size: u64,
    flags: u32,
) -> Result<Vec<Byte>, Failure> {
    let descriptors = &call.env.descriptors;
    let bytes = &descriptors.pipe(id).ok_or(Errno::EIO)?.bytes;
    if bytes.is_empty() && size > 0 {
        let writer = Target::Writer(id);
        if descriptors.open_files().any(|open| open.target == writer) {
            return Err(full_or_empty(call, flags, Difference::ReadEmptyPipe));
        }
        return Ok(Vec::new());
    }
    Ok(bytes.iter().take(size as usize).copied().collect())
}

/// A pipe has no bytes, or no room.
fn full_or_empty(call: &mut Call<'_>, flags: u32, alone: Difference) -> Failure {
    if flags & O_NONBLOCK != 0 {
        return Errno::EAGAIN.into();
    }
    if call.env.alone() {
        // A real process would block for ever.
        call.differs(alone);
        return Errno::EAGAIN.into();
    }
    Failure::Wait(Waits {
        until: None,
        limit: None,
        waker: Waker::Program,
    })
}

/// Nobody reads any more what would be written.
fn broken(call: &mut Call<'_>, signal: bool) -> Answer {
    let error = SysResult::error(Errno::EPIPE);
    match error {
        SysResult::Return(error) if signal => Ok(call.deliver(SIGPIPE, error)),
        _ => Err(Errno::EPIPE.into()),
    }
}

/// Writes to a pipe: all at once while it can hold all.
pub(super) fn to_pipe(call: &mut Call<'_>, id: PipeId, bytes: &[Byte], flags: u32) -> Answer {
    if bytes.is_empty() {
        return Ok(SysResult::number(0));
    }
    let descriptors = &call.env.descriptors;
    let reader = Target::Reader(id);
    if !descriptors.open_files().any(|open| open.target == reader) {
        return broken(call, true);
    }
    let used = descriptors.pipe(id).ok_or(Errno::EIO)?.bytes.len();
    let room = (PIPE_CAPACITY - used).min(bytes.len());
    let waits = !call.env.alone() && flags & O_NONBLOCK == 0;
    if room == 0 || waits && room < bytes.len() && used > 0 {
        return Err(full_or_empty(call, flags, Difference::WriteFullPipe));
    }
    let pipe = call.env.descriptors.pipe_mut(id).ok_or(Errno::EIO)?;
    pipe.bytes.extend(&bytes[..room]);
    pipe.writes += 1;
    Ok(SysResult::number(room as u64))
}

/// How a call receives or sends.
#[derive(Clone, Copy, Default)]
pub(super) struct How {
    /// It does not wait.
    pub at_once: bool,
    /// What it receives stays.
    pub peeks: bool,
    /// It waits for as much as it asks for.
    pub all: bool,
    /// It raises no signal.
    pub no_signal: bool,
}

impl How {
    /// The way of an open file with these flags.
    pub(super) fn of(flags: u32) -> Self {
        Self {
            at_once: flags & O_NONBLOCK != 0,
            ..Self::default()
        }
    }
}

/// What is received.
pub(super) struct Received {
    /// The bytes.
    pub bytes: Vec<Byte>,
    /// How long the message is.
    pub whole: usize,
    /// Who sent it.
    pub from: Option<Address>,
}

/// What a socket receives next, without removing it.
pub(super) fn next_input(
    call: &mut Call<'_>,
    id: SocketId,
    size: u64,
    how: How,
) -> Result<Received, Failure> {
    let descriptors = &call.env.descriptors;
    let socket = descriptors.socket(id).ok_or(Errno::EIO)?;
    let connected = matches!(socket.role, Role::Connected(_));
    if socket.carries != Carries::Datagrams && !connected {
        return Err(Errno::ENOTCONN.into());
    }
    let at_end = descriptors.is_at_end(id);
    let whole = match socket.carries {
        Carries::Bytes => socket.input.len(),
        Carries::Datagrams | Carries::Packets => socket
            .messages
            .front()
            .map_or(0, |message| message.bytes.len()),
    };
    let too_few = how.all && socket.carries == Carries::Bytes && (whole as u64) < size;
    if size > 0 && !at_end && (!socket.has_input() || too_few && !how.at_once) {
        let outside = socket.waits_outside();
        return Err(not_ready(call, id, TIME_LIMITS[0], how, outside));
    }
    let most = usize::try_from(size).unwrap_or(usize::MAX);
    let first = socket.messages.front();
    let (bytes, from) = match first {
        Some(message) => {
            let bytes = message.bytes.iter().take(most).copied().collect();
            (bytes, message.from.clone())
        }
        None => (socket.input.iter().take(most).copied().collect(), None),
    };
    Ok(Received { bytes, whole, from })
}

/// Removes what was received: so many bytes, or the message.
pub(super) fn take_input(call: &mut Call<'_>, id: SocketId, count: usize) {
    if let Some(socket) = call.env.descriptors.socket_mut(id)
        && socket.messages.pop_front().is_none()
    {
        socket.input.drain(..count.min(socket.input.len()));
    }
}

/// A socket has nothing to receive, no connection, or its peer no room.
pub(super) fn not_ready(
    call: &mut Call<'_>,
    id: SocketId,
    option: (i32, i32),
    how: How,
    outside: bool,
) -> Failure {
    if how.at_once {
        return Errno::EAGAIN.into();
    }
    let socket = call.env.descriptors.socket(id);
    let set = socket.and_then(|socket| socket.options.iter().find(|one| one.0 == option));
    let word = |bytes: &[u8]| bytes.try_into().map_or(0, i64::from_le_bytes);
    let limit = set.filter(|set| set.1.len() == 16).map(|(_, bytes)| Time {
        seconds: word(&bytes[..8]),
        nanos: word(&bytes[8..]).saturating_mul(1000),
    });
    let limit = limit.filter(|&limit| limit != Time::default());
    let waker = Waker::of_descriptor(outside);
    call.wait(limit, waker).unwrap_or(Errno::EAGAIN.into())
}

/// The time limit of waiting for a connection is that of receiving.
pub(super) fn no_connection(call: &mut Call<'_>, id: SocketId, how: How) -> Failure {
    not_ready(call, id, TIME_LIMITS[0], how, true)
}

/// Sends bytes from a socket, to an address or to its peer.
pub(super) fn send(
    call: &mut Call<'_>,
    id: SocketId,
    bytes: &[Byte],
    to: Option<&Address>,
    how: How,
) -> Answer {
    let socket = call.env.descriptors.socket(id).ok_or(Errno::EIO)?;
    if socket.writes_no_more {
        return broken(call, !how.no_signal);
    }
    let (role, carries, local) = (socket.role.clone(), socket.carries, socket.local.clone());
    match role {
        Role::Connected(Peer::Outside) => {
            call.env.descriptors.outside.counts.sent += bytes.len() as u64;
            Ok(SysResult::number(bytes.len() as u64))
        }
        Role::Connected(Peer::Socket(peer)) => to_socket(call, id, peer, bytes, local, how),
        Role::Idle if carries == Carries::Datagrams => datagram(call, id, bytes, to, how),
        Role::Idle | Role::Listening(_) => Err(Errno::ENOTCONN.into()),
    }
}

/// Sends to another socket of the program.
fn to_socket(
    call: &mut Call<'_>,
    id: SocketId,
    peer: SocketId,
    bytes: &[Byte],
    from: Option<Address>,
    how: How,
) -> Answer {
    let descriptors = &call.env.descriptors;
    let other = descriptors.socket(peer).ok_or(Errno::EIO)?;
    let (waiting, carries) = (other.waiting(), other.carries);
    if !descriptors.has_socket(peer) || other.reads_no_more {
        return match carries {
            Carries::Datagrams => Err(Errno::ECONNREFUSED.into()),
            Carries::Bytes | Carries::Packets => broken(call, !how.no_signal),
        };
    }
    let room = CAPACITY.saturating_sub(waiting).min(bytes.len());
    if carries != Carries::Bytes && bytes.len() > CAPACITY {
        return Err(Errno::EMSGSIZE.into());
    }
    let short = room < bytes.len() && (carries != Carries::Bytes || !how.at_once && waiting > 0);
    if room == 0 && !bytes.is_empty() || short {
        return Err(not_ready(call, id, TIME_LIMITS[1], how, false));
    }
    if let Some(other) = call.env.descriptors.socket_mut(peer)
        && (carries != Carries::Bytes || room > 0)
    {
        other.receive(&bytes[..room], from);
    }
    Ok(SysResult::number(room as u64))
}

/// Sends a datagram to an address, or to that which the socket has connected to.
fn datagram(
    call: &mut Call<'_>,
    id: SocketId,
    bytes: &[Byte],
    to: Option<&Address>,
    how: How,
) -> Answer {
    call.env.descriptors.name_socket(id);
    let socket = call.env.descriptors.socket(id).ok_or(Errno::EIO)?;
    let (family, local) = (socket.family, socket.local.clone().map(Address::loopback));
    let nowhere = match family {
        UNIX => Errno::ENOTCONN,
        _ => Errno::EDESTADDRREQ,
    };
    let to = to.or(socket.remote.as_ref()).cloned().ok_or(nowhere)?;
    if to.family() != family {
        return Err(Errno::EAFNOSUPPORT.into());
    }
    let known = call.env.descriptors.bound_to(&to, Carries::Datagrams);
    if let Some(peer) = known {
        return to_socket(call, id, peer, bytes, local, how);
    }
    if family == UNIX {
        return Err(Errno::ECONNREFUSED.into());
    }
    let env = &mut *call.env;
    env.descriptors.outside.counts.sent += bytes.len() as u64;
    env.descriptors.let_outside_send(id, Some(&to));
    Ok(SysResult::number(bytes.len() as u64))
}

/// The socket of the descriptor in argument 0, and how it waits.
pub(super) fn socket_of(call: &mut Call<'_>) -> Result<(SocketId, How), Failure> {
    let fd = call.int32(0)?;
    let open = call.env.descriptors.usable(fd)?;
    match open.target {
        Target::Socket(id) => Ok((id, How::of(open.flags))),
        _ => Err(Errno::ENOTSOCK.into()),
    }
}

/// Stores an address: as much of it as there is room for in argument `index`, and how long it is in
/// argument `index + 1`.
pub(super) fn put_address(
    call: &mut Call<'_>,
    index: usize,
    address: &Address,
) -> Result<(), Failure> {
    if call.is_null(index)? || call.is_null(index + 1)? {
        return Ok(());
    }
    let size = call.get(call.args[index + 1], 4)?;
    let room = i32::from_le_bytes([size[0], size[1], size[2], size[3]]);
    let room = usize::try_from(room).map_err(|_| Errno::EINVAL)?;
    let bytes = address.bytes();
    call.put(index, &bytes[..room.min(bytes.len())])?;
    call.put(index + 1, &(bytes.len() as u32).to_le_bytes())?;
    Ok(())
}

/// The address in arguments `index` (where) and `index + 1` (how long).
pub(super) fn address(call: &mut Call<'_>, index: usize) -> Result<Address, Failure> {
    let size = call.int32(index + 1)?;
    let size = u64::try_from(size).ok().filter(|&size| size <= 128);
    let size = size.ok_or(Errno::EINVAL)?;
    let bytes = call.get(call.args[index], size)?;
    Ok(Address::new(&bytes).ok_or(Errno::EINVAL)?)
}

/// A call has sent or received so many bytes.
pub(super) fn counted(count: usize) -> SysResult {
    SysResult::Return(Value::Int(count as u64))
}

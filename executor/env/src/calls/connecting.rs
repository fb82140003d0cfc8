//! Sockets: making them, connecting them, their addresses and options.

use super::streams::{address, no_connection, put_address, socket_of};
use crate::call::{Answer, Call, Failure, SysResult, SystemCall};
use crate::descriptors::{O_CLOEXEC, O_NONBLOCK, Target};
use crate::errno::Errno;
use crate::fidelity::Difference;
use crate::sockets::{Address, Carries, INET, INET6, Peer, Role, Socket, SocketId, UNIX};
use std::collections::VecDeque;

/// The calls that make and connect sockets.
pub static CALLS: &[SystemCall] = &[
    SystemCall {
        number: 41,
        name: "socket",
        run: socket,
    },
    SystemCall {
        number: 42,
        name: "connect",
        run: connect,
    },
    SystemCall {
        number: 43,
        name: "accept",
        run: accept,
    },
    SystemCall {
        number: 48,
        name: "shutdown",
        run: shutdown,
    },
    SystemCall {
        number: 49,
        name: "bind",
        run: bind,
    },
    SystemCall {
        number: 50,
        name: "listen",
        run: listen,
    },
    SystemCall {
        number: 51,
        name: "getsockname",
        run: getsockname,
    },
    SystemCall {
        number: 52,
        name: "getpeername",
        run: getpeername,
    },
    SystemCall {
        number: 53,
        name: "socketpair",
        run: socketpair,
    },
    SystemCall {
        number: 54,
        name: "setsockopt",
        run: setsockopt,
    },
    SystemCall {
        number: 55,
        name: "getsockopt",
        run: getsockopt,
    },
    SystemCall {
        number: 288,
        name: "accept4",
        run: accept4,
    },
];

/// The access mode of a socket: it is read and written.
const READ_WRITE: u32 = 2;
/// `SOL_SOCKET`
const SOCKET_LEVEL: i32 = 1;
/// `IPPROTO_IP`, `IPPROTO_TCP`, `IPPROTO_UDP`, `IPPROTO_IPV6`
const IP_LEVEL: i32 = 0;
const TCP_LEVEL: i32 = 6;
const UDP_LEVEL: i32 = 17;
const IPV6_LEVEL: i32 = 41;
/// Bytes of Linux 6.1's `struct tcp_info`.
const TCP_INFO: usize = 240;

/// The family, the kind and the flags of a new socket in arguments 0 to 2.
fn kind(call: &mut Call<'_>) -> Result<(u16, Carries, u32), Failure> {
    let (family, kind, protocol) = (call.int32(0)?, call.uint32(1)?, call.int32(2)?);
    let flags = kind & (O_CLOEXEC | O_NONBLOCK);
    let known = u16::try_from(family).map_err(|_| Errno::EAFNOSUPPORT)?;
    let usual = match (known, kind & !flags) {
        (UNIX, 1..=2 | 5) => 0,
        (INET | INET6, 1) => 6,
        (INET | INET6, 2) => 17,
        _ => return Err(refused(call, known, kind & !flags)),
    };
    let carries = match kind & !flags {
        1 => Carries::Bytes,
        2 => Carries::Datagrams,
        _ => Carries::Packets,
    };
    let ping = [(INET, 1), (INET6, 58)].contains(&(known, protocol));
    if carries == Carries::Datagrams && ping {
        call.differs(Difference::SocketKind);
        return Err(Errno::EACCES.into());
    }
    // PF_UNIX is a protocol of local sockets.
    if protocol != 0 && protocol != usual && (known, protocol) != (UNIX, 1) {
        return Err(Errno::EPROTONOSUPPORT.into());
    }
    let family = known;
    Ok((family, carries, flags))
}

/// Why there is no socket of a family and kind: Linux has further ones, of which some are for the
/// superuser alone.
fn refused(call: &mut Call<'_>, family: u16, kind: u32) -> Failure {
    /// `SOCK_RAW`, `AF_PACKET`, the last family.
    const RAW: u32 = 3;
    const PACKET: u16 = 17;
    const LAST: u16 = 45;
    let network = matches!(family, INET | INET6);
    let raw = network && kind == RAW || family == PACKET;
    if raw && call.env.tree.identity().uid != 0 {
        return Errno::EPERM.into();
    }
    if !(1..=LAST).contains(&family) {
        return Errno::EAFNOSUPPORT.into();
    }
    if raw || !network && family != UNIX {
        call.differs(Difference::SocketKind);
    }
    match (raw, network || family == UNIX) {
        (true, _) => Errno::EPERM,
        (false, true) => Errno::ESOCKTNOSUPPORT,
        (false, false) => Errno::EAFNOSUPPORT,
    }
    .into()
}

fn socket(call: &mut Call<'_>) -> Answer {
    let (family, carries, flags) = kind(call)?;
    call.env.descriptors.free(0).next().ok_or(Errno::EMFILE)?;
    let id = call
        .env
        .descriptors
        .new_socket(Socket::new(family, carries));
    opened(call, id, flags)
}

/// A descriptor for a socket.
fn opened(call: &mut Call<'_>, id: SocketId, flags: u32) -> Answer {
    let fd = call
        .env
        .descriptors
        .open(Target::Socket(id), flags | READ_WRITE)?;
    Ok(SysResult::number(fd.into()))
}

fn socketpair(call: &mut Call<'_>) -> Answer {
    let (family, carries, flags) = kind(call)?;
    if family != UNIX {
        return Err(Errno::EOPNOTSUPP.into());
    }
    let mut free = call.env.descriptors.free(0);
    let (Some(one), Some(other)) = (free.next(), free.next()) else {
        return Err(Errno::EMFILE.into());
    };
    drop(free);
    call.put(3, &[one.to_le_bytes(), other.to_le_bytes()].concat())?;
    let (one, other) = call.env.descriptors.new_pair(family, carries);
    opened(call, one, flags)?;
    opened(call, other, flags)?;
    Ok(SysResult::number(0))
}

fn socket_at(call: &Call<'_>, id: SocketId) -> Result<Socket, Errno> {
    call.env.descriptors.socket(id).cloned().ok_or(Errno::EIO)
}

fn change(call: &mut Call<'_>, id: SocketId, change: impl FnOnce(&mut Socket)) -> Answer {
    let socket = call.env.descriptors.socket_mut(id).ok_or(Errno::EIO)?;
    change(socket);
    Ok(SysResult::number(0))
}

/// bind(fd, address, its size).
fn bind(call: &mut Call<'_>) -> Answer {
    let (id, _) = socket_of(call)?;
    let mut address = address(call, 1)?;
    let socket = socket_at(call, id)?;
    if address.family() != socket.family {
        return Err(Errno::EAFNOSUPPORT.into());
    }
    if socket.local.is_some() {
        return Err(Errno::EINVAL.into());
    }
    let any_port = address.port() == Some(0);
    if any_port {
        address = Address::of_port(socket.family, call.env.descriptors.free_port());
    } else if call
        .env
        .descriptors
        .bound_to(&address, socket.carries)
        .is_some()
    {
        return Err(Errno::EADDRINUSE.into());
    }
    let answer = change(call, id, |socket| socket.local = Some(address));
    if !any_port {
        call.env.descriptors.let_outside_send(id, None);
    }
    answer
}

/// listen(fd, how many may wait). All peers outside that are left connect at once.
fn listen(call: &mut Call<'_>) -> Answer {
    let (id, _) = socket_of(call)?;
    call.int32(1)?;
    let socket = socket_at(call, id)?;
    match (socket.carries, &socket.role) {
        (Carries::Datagrams, _) => return Err(Errno::EOPNOTSUPP.into()),
        (_, Role::Connected(_)) => return Err(Errno::EINVAL.into()),
        (_, Role::Listening(_)) => return Ok(SysResult::number(0)),
        (_, Role::Idle) => {}
    }
    if socket.family == UNIX && socket.local.is_none() {
        return Err(Errno::EINVAL.into());
    }
    let env = &mut *call.env;
    env.descriptors.name_socket(id);
    if let Some(socket) = env.descriptors.socket_mut(id) {
        socket.role = Role::Listening(VecDeque::new());
    }
    env.descriptors.let_outside_connect(id);
    Ok(SysResult::number(0))
}

fn accept(call: &mut Call<'_>) -> Answer {
    accept_with(call, 0)
}

fn accept4(call: &mut Call<'_>) -> Answer {
    let flags = call.uint32(3)?;
    if flags & !(O_CLOEXEC | O_NONBLOCK) != 0 {
        return Err(Errno::EINVAL.into());
    }
    accept_with(call, flags)
}

/// accept(fd, address or null, its size).
fn accept_with(call: &mut Call<'_>, flags: u32) -> Answer {
    let (id, how) = socket_of(call)?;
    let socket = socket_at(call, id)?;
    let Role::Listening(queue) = &socket.role else {
        return Err(match socket.carries {
            Carries::Datagrams => Errno::EOPNOTSUPP.into(),
            Carries::Bytes | Carries::Packets => Errno::EINVAL.into(),
        });
    };
    let Some(&next) = queue.front() else {
        return Err(no_connection(call, id, how));
    };
    call.env.descriptors.free(0).next().ok_or(Errno::EMFILE)?;
    let remote = socket_at(call, next)?.remote;
    let remote = remote.unwrap_or_else(|| Address::of_port(socket.family, 0));
    put_address(call, 1, &remote)?;
    change(call, id, |socket| {
        if let Role::Listening(queue) = &mut socket.role {
            queue.pop_front();
        }
    })?;
    opened(call, next, flags)
}

/// connect(fd, address, its size).
fn connect(call: &mut Call<'_>) -> Answer {
    let (id, _) = socket_of(call)?;
    let address = address(call, 1)?;
    let socket = socket_at(call, id)?;
    if socket.carries == Carries::Datagrams {
        return connect_datagrams(call, id, &address);
    }
    if address.family() != socket.family {
        return Err(Errno::EAFNOSUPPORT.into());
    }
    match socket.role {
        Role::Idle => {}
        Role::Connected(_) => return Err(Errno::EISCONN.into()),
        Role::Listening(_) => return Err(Errno::EINVAL.into()),
    }
    let listener = call.env.descriptors.bound_to(&address, socket.carries);
    if let Some(listener) = listener {
        let other = socket_at(call, listener)?;
        if !matches!(other.role, Role::Listening(_)) {
            return Err(Errno::ECONNREFUSED.into());
        }
        return connect_own(call, id, listener, &address);
    }
    if socket.family == UNIX {
        let named = address.bytes().get(2).is_some_and(|&first| first != 0);
        let missing = if named {
            Errno::ENOENT
        } else {
            Errno::ECONNREFUSED
        };
        return Err(missing.into());
    }
    if !call.env.descriptors.connect_outside(id) {
        call.differs(Difference::ConnectOutside);
        return Err(Errno::ECONNREFUSED.into());
    }
    call.env.descriptors.name_socket(id);
    change(call, id, |socket| {
        socket.local = socket.local.take().map(Address::loopback);
        socket.remote = Some(address);
    })
}

/// Connects with a socket of the program that listens.
fn connect_own(call: &mut Call<'_>, id: SocketId, listener: SocketId, address: &Address) -> Answer {
    let descriptors = &mut call.env.descriptors;
    descriptors.name_socket(id);
    let (Some(own), Some(listening)) = (descriptors.socket(id), descriptors.socket(listener))
    else {
        return Err(Errno::EIO.into());
    };
    let mut accepted = Socket::new(own.family, own.carries);
    accepted.local = Some(address.clone().loopback());
    accepted.remote = own.local.clone().map(Address::loopback);
    accepted.options.clone_from(&listening.options);
    let (local, remote) = (accepted.remote.clone(), accepted.local.clone());
    let accepted = descriptors.new_socket(accepted);
    descriptors.join(id, accepted);
    descriptors.queue(listener, accepted);
    change(call, id, |socket| {
        (socket.local, socket.remote) = (local, remote);
    })
}

/// Says where the datagrams of a socket go; an address without a family takes it back.
fn connect_datagrams(call: &mut Call<'_>, id: SocketId, address: &Address) -> Answer {
    let socket = socket_at(call, id)?;
    if address.family() == 0 {
        return change(call, id, |socket| socket.remote = None);
    }
    if address.family() != socket.family {
        return Err(Errno::EAFNOSUPPORT.into());
    }
    let known = call.env.descriptors.bound_to(address, Carries::Datagrams);
    if socket.family == UNIX && known.is_none() {
        return Err(Errno::ENOENT.into());
    }
    let env = &mut *call.env;
    env.descriptors.name_socket(id);
    env.descriptors.let_outside_send(id, Some(address));
    change(call, id, |socket| {
        socket.local = socket.local.take().map(Address::loopback);
        socket.remote = Some(address.clone());
    })
}

/// shutdown(fd, 0 reading, 1 writing, 2 both).
fn shutdown(call: &mut Call<'_>) -> Answer {
    let (id, _) = socket_of(call)?;
    let how = call.int32(1)?;
    if !(0..=2).contains(&how) {
        return Err(Errno::EINVAL.into());
    }
    if !matches!(socket_at(call, id)?.role, Role::Connected(_)) {
        return Err(Errno::ENOTCONN.into());
    }
    change(call, id, |socket| {
        socket.reads_no_more |= how != 1;
        socket.writes_no_more |= how != 0;
    })
}

fn getsockname(call: &mut Call<'_>) -> Answer {
    let (id, _) = socket_of(call)?;
    let socket = socket_at(call, id)?;
    let local = socket
        .local
        .unwrap_or_else(|| Address::of_port(socket.family, 0));
    put_address(call, 1, &local)?;
    Ok(SysResult::number(0))
}

fn getpeername(call: &mut Call<'_>) -> Answer {
    let (id, _) = socket_of(call)?;
    let socket = socket_at(call, id)?;
    let network = socket.family != UNIX && socket.carries == Carries::Bytes;
    if network && socket.writes_no_more && call.env.descriptors.is_at_end(id) {
        // Both ends have finished.
        return Err(Errno::ENOTCONN.into());
    }
    let remote = match (socket.remote, socket.role) {
        (Some(remote), _) => remote,
        (None, Role::Connected(Peer::Socket(_) | Peer::Outside)) => {
            Address::of_port(socket.family, 0)
        }
        _ => return Err(Errno::ENOTCONN.into()),
    };
    put_address(call, 1, &remote)?;
    Ok(SysResult::number(0))
}

/// That a socket has options of a level; `refused` is what Linux says of others of IPv4.
fn has_level(socket: &Socket, level: i32, refused: Errno) -> Result<(), Errno> {
    let has = match level {
        SOCKET_LEVEL => true,
        _ if socket.family == UNIX => return Err(Errno::EOPNOTSUPP),
        IP_LEVEL => true,
        TCP_LEVEL => socket.carries == Carries::Bytes,
        UDP_LEVEL => socket.carries == Carries::Datagrams,
        IPV6_LEVEL => socket.family == INET6,
        _ => false,
    };
    has.then_some(()).ok_or(match socket.family {
        INET6 => Errno::ENOPROTOOPT,
        _ => refused,
    })
}

/// setsockopt(fd, level, option, value, its size). An option is kept; time limits have an effect.
fn setsockopt(call: &mut Call<'_>) -> Answer {
    let (id, _) = socket_of(call)?;
    let (option, size) = ((call.int32(1)?, call.int32(2)?), call.int32(4)?);
    let size = u64::try_from(size).map_err(|_| Errno::EINVAL)?;
    if option.0 == SOCKET_LEVEL && size < 4 {
        return Err(Errno::EINVAL.into());
    }
    has_level(&socket_at(call, id)?, option.0, Errno::ENOPROTOOPT)?;
    let value = call.get(call.args[3], size.min(256))?;
    change(call, id, |socket| {
        socket.options.retain(|one| one.0 != option);
        socket.options.push((option, value));
    })
}

/// getsockopt(fd, level, option, value, its size).
fn getsockopt(call: &mut Call<'_>) -> Answer {
    let (id, _) = socket_of(call)?;
    let option = (call.int32(1)?, call.int32(2)?);
    let socket = socket_at(call, id)?;
    has_level(&socket, option.0, Errno::EOPNOTSUPP)?;
    let size = call.get(call.args[4], 4)?;
    let room = i32::from_le_bytes([size[0], size[1], size[2], size[3]]);
    let room = usize::try_from(room).map_err(|_| Errno::EINVAL)?;
    let value = known_option(&socket, option);
    let size = room.min(value.len());
    call.put(3, &value[..size])?;
    call.put(4, &(size as u32).to_le_bytes())?;
    Ok(SysResult::number(0))
}

/// The state of a connection of which nothing was measured.
fn tcp_info(socket: &Socket) -> Vec<u8> {
    let mut info = vec![0; TCP_INFO];
    // TCP_CLOSE, TCP_LISTEN, TCP_ESTABLISHED
    info[0] = match socket.role {
        Role::Idle => 7,
        Role::Listening(_) => 10,
        Role::Connected(_) => 1,
    };
    info
}

/// The value of an option.
fn known_option(socket: &Socket, option: (i32, i32)) -> Vec<u8> {
    let number = |number: i32| number.to_le_bytes().to_vec();
    match option {
        // SO_TYPE
        (SOCKET_LEVEL, 3) => number(match socket.carries {
            Carries::Bytes => 1,
            Carries::Datagrams => 2,
            Carries::Packets => 5,
        }),
        // SO_ERROR
        (SOCKET_LEVEL, 4) => number(0),
        // SO_ACCEPTCONN
        (SOCKET_LEVEL, 30) => number(matches!(socket.role, Role::Listening(_)).into()),
        // SO_DOMAIN
        (SOCKET_LEVEL, 39) => number(socket.family.into()),
        _ => {
            let set = socket.options.iter().find(|one| one.0 == option);
            match (set, option) {
                // SO_SNDBUF, SO_RCVBUF: the system takes twice as much.
                (Some((_, value)), (SOCKET_LEVEL, 7 | 8)) => {
                    let size = value[..4].try_into().map_or(0, i32::from_le_bytes);
                    number(size.wrapping_mul(2))
                }
                (Some((_, value)), _) => value.clone(),
                // SO_SNDBUF, SO_RCVBUF
                (None, (SOCKET_LEVEL, 7 | 8)) => number(crate::sockets::CAPACITY as i32),
                // SO_LINGER
                (None, (SOCKET_LEVEL, 13)) => vec![0; 8],
                // SO_RCVTIMEO, SO_SNDTIMEO
                (None, (SOCKET_LEVEL, 20 | 21)) => vec![0; 16],
                (None, (TCP_LEVEL, 11)) => tcp_info(socket),
                (None, _) => number(0),
            }
        }
    }
}

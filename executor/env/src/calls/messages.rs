//! Sending and receiving over sockets: send, recv and their relatives.

use super::streams::{
    How, Received, address, counted, next_input, put_address, send, socket_of, take_input,
};
use super::transfer::{Piece, gather, pieces_at, scatter_bytes, total};
use crate::call::{Answer, Call, Failure, SysResult, SystemCall};
use crate::environment::Injected;
use crate::errno::Errno;
use crate::fidelity::Difference;
use crate::sockets::{Address, Carries, SocketId};

/// The calls that send and receive.
pub static CALLS: &[SystemCall] = &[
    SystemCall {
        number: 44,
        name: "sendto",
        run: sendto,
    },
    SystemCall {
        number: 45,
        name: "recvfrom",
        run: recvfrom,
    },
    SystemCall {
        number: 46,
        name: "sendmsg",
        run: sendmsg,
    },
    SystemCall {
        number: 47,
        name: "recvmsg",
        run: recvmsg,
    },
];

/// `MSG_OOB`: data out of band.
const OUT_OF_BAND: u32 = 1;
/// `MSG_PEEK`
const PEEK: u32 = 2;
/// `MSG_TRUNC`
const TRUNCATED: u32 = 0x20;
/// `MSG_DONTWAIT`
const AT_ONCE: u32 = 0x40;
/// `MSG_WAITALL`
const ALL: u32 = 0x100;
/// `MSG_NOSIGNAL`
const NO_SIGNAL: u32 = 0x4000;

/// The socket in argument 0, and how it sends or receives with these flags.
fn socket_with(call: &mut Call<'_>, flags: u32) -> Result<(SocketId, How), Failure> {
    let (id, how) = socket_of(call)?;
    if flags & OUT_OF_BAND != 0 {
        call.differs(Difference::OutOfBand);
        return Err(Errno::EINVAL.into());
    }
    let how = How {
        at_once: how.at_once || flags & AT_ONCE != 0,
        peeks: flags & PEEK != 0,
        all: flags & ALL != 0,
        no_signal: flags & NO_SIGNAL != 0,
    };
    Ok((id, how))
}

/// sendto(fd, bytes, how many, flags, address or null, its size).
fn sendto(call: &mut Call<'_>) -> Answer {
    let (size, flags) = (call.int(2)?, call.uint32(3)?);
    let (id, how) = socket_with(call, flags)?;
    call.injected(Injected::Write)?;
    let to = match call.is_null(4)? {
        true => None,
        false => Some(address(call, 4)?),
    };
    let pieces = [(call.args[1], size)];
    send_pieces(call, id, &pieces, to.as_ref(), how)
}

fn send_pieces(
    call: &mut Call<'_>,
    id: SocketId,
    pieces: &[Piece],
    to: Option<&Address>,
    how: How,
) -> Answer {
    let bytes = gather(call, pieces, total(pieces))?;
    send(call, id, &bytes, to, how)
}

/// recvfrom(fd, bytes, how many, flags, address or null, its size).
fn recvfrom(call: &mut Call<'_>) -> Answer {
    let (size, flags) = (call.int(2)?, call.uint32(3)?);
    let (id, how) = socket_with(call, flags)?;
    call.injected(Injected::Read)?;
    let pieces = [(call.args[1], size)];
    let received = next_input(call, id, size, how)?;
    scatter_bytes(call, &pieces, &received.bytes)?;
    if let Some(from) = &received.from {
        put_address(call, 4, from)?;
    }
    Ok(done(call, id, &received, how, flags))
}

/// What was received goes, unless the call only looked; the result.
fn done(call: &mut Call<'_>, id: SocketId, received: &Received, how: How, flags: u32) -> SysResult {
    if !how.peeks {
        take_input(call, id, received.bytes.len());
    }
    let stream = call.env.descriptors.socket(id);
    let stream = stream.is_some_and(|socket| socket.carries == Carries::Bytes);
    match flags & TRUNCATED != 0 && !stream {
        true => counted(received.whole),
        false => counted(received.bytes.len()),
    }
}

/// The fields of the `struct msghdr` in argument 1 that the calls need.
struct Header {
    /// Where the address is, and its size.
    address: (bool, u64),
    /// The pieces of the message.
    pieces: Vec<Piece>,
    /// How much room there is for what comes beside the message.
    control: u64,
}

fn header(call: &mut Call<'_>) -> Result<Header, Failure> {
    let place = call.memory.read_word(call.args[1])?;
    let named = !matches!(place, plat_expr::Value::Int(0));
    let size = call.get_u64(1, 8)? & 0xffff_ffff;
    let vector = call.memory.displaced(call.args[1], 16);
    let vector = call.memory.read_word(vector)?;
    let count = call.get_u64(1, 24)?;
    let pieces = pieces_at(call, vector, count)?;
    Ok(Header {
        address: (named, size),
        pieces,
        control: call.get_u64(1, 40)?,
    })
}

/// sendmsg(fd, message, flags).
fn sendmsg(call: &mut Call<'_>) -> Answer {
    let flags = call.uint32(2)?;
    let (id, how) = socket_with(call, flags)?;
    call.injected(Injected::Write)?;
    let header = header(call)?;
    if header.control > 0 {
        call.differs(Difference::ControlMessage);
    }
    let to = match header.address {
        (true, size) => {
            let place = call.memory.read_word(call.args[1])?;
            let bytes = call.get(place, size.min(128))?;
            Some(Address::new(&bytes).ok_or(Errno::EINVAL)?)
        }
        (false, _) => None,
    };
    send_pieces(call, id, &header.pieces, to.as_ref(), how)
}

/// recvmsg(fd, message, flags).
fn recvmsg(call: &mut Call<'_>) -> Answer {
    let flags = call.uint32(2)?;
    let (id, how) = socket_with(call, flags)?;
    call.injected(Injected::Read)?;
    let header = header(call)?;
    let received = next_input(call, id, total(&header.pieces), how)?;
    scatter_bytes(call, &header.pieces, &received.bytes)?;
    let size = match (&received.from, header.address) {
        (Some(from), (true, room)) => {
            let place = call.memory.read_word(call.args[1])?;
            let bytes = from.bytes();
            let room = bytes.len().min(room as usize);
            call.memory.write_concrete(place, &bytes[..room])?;
            bytes.len() as u32
        }
        _ => 0,
    };
    let message = received.whole > received.bytes.len();
    let carries = call.env.descriptors.socket(id).map(|socket| socket.carries);
    let cut = message && carries != Some(Carries::Bytes);
    let fields = [
        (8, size.to_le_bytes().to_vec()),
        (40, vec![0; 8]),
        (
            48,
            u32::from(cut)
                .wrapping_mul(TRUNCATED)
                .to_le_bytes()
                .to_vec(),
        ),
    ];
    for (at, bytes) in fields {
        let place = call.memory.displaced(call.args[1], at);
        call.memory.write_concrete(place, &bytes)?;
    }
    Ok(done(call, id, &received, how, flags))
}

//! poll and select. Files and streams are always ready; pipes and sockets may have to be waited for.

use super::counting;
use crate::call::{Answer, Call, Failure, SysResult, SystemCall};
use crate::descriptors::{Descriptors, OpenFile, PIPE_CAPACITY, Target};
use crate::environment::Environment;
use crate::errno::Errno;
use crate::metadata::Time;
use crate::sockets::{CAPACITY, Carries, Peer, Role, Socket, SocketId};
use crate::threads::Waker;
use plat_expr::Value;

/// The calls that wait for descriptors.
pub static CALLS: &[SystemCall] = &[
    SystemCall {
        number: 7,
        name: "poll",
        run: poll,
    },
    SystemCall {
        number: 23,
        name: "select",
        run: select,
    },
    SystemCall {
        number: 270,
        name: "pselect6",
        run: pselect6,
    },
    SystemCall {
        number: 271,
        name: "ppoll",
        run: ppoll,
    },
];

const POLLIN: u16 = 1;
const POLLOUT: u16 = 4;
const POLLERR: u16 = 8;
const POLLHUP: u16 = 0x10;
const POLLNVAL: u16 = 0x20;
const POLLRDNORM: u16 = 0x40;
const POLLWRNORM: u16 = 0x100;
const POLLRDHUP: u16 = 0x2000;

/// The events of a descriptor, and a number that changes when there is something new.
pub(super) struct PollEvents {
    /// The events.
    pub events: u16,
    /// The number: of what came, and whether the end did.
    pub arrivals: u64,
}

/// The events of a descriptor.
pub(super) fn events(env: &Environment, fd: i32) -> PollEvents {
    let plain = |events| PollEvents {
        events,
        arrivals: 0,
    };
    let Ok(open) = env.descriptors.usable(fd) else {
        return plain(POLLNVAL);
    };
    match open.target {
        Target::Socket(id) => {
            let came = env.descriptors.socket(id).map_or(0, |one| one.arrivals);
            PollEvents {
                events: of_socket(&env.descriptors, id),
                arrivals: came * 2 + u64::from(env.descriptors.is_at_end(id)),
            }
        }
        Target::Reader(id) => PollEvents {
            events: of_open(env, open),
            arrivals: env.descriptors.pipe(id).map_or(0, |pipe| pipe.writes),
        },
        Target::Counter(id) => PollEvents {
            events: of_open(env, open),
            arrivals: counting::arrivals(env, id),
        },
        _ => plain(of_open(env, open)),
    }
}

/// What may make descriptors ready that are waited for.
#[derive(Clone, Copy)]
pub(super) struct Wakers {
    /// Who may.
    pub who: Waker,
    /// In how long the first timer does.
    pub timer: Option<Time>,
}

impl Default for Wakers {
    fn default() -> Self {
        Self {
            who: Waker::Program,
            timer: None,
        }
    }
}

impl Wakers {
    /// One more descriptor is waited for.
    pub(super) fn add(&mut self, env: &Environment, fd: i32) {
        let who = match env.descriptors.usable(fd).map(|open| &open.target) {
            Ok(&Target::Socket(id)) => {
                let socket = env.descriptors.socket(id);
                Waker::of_descriptor(socket.is_some_and(Socket::waits_outside))
            }
            Ok(&Target::Counter(id)) => {
                let timer = counting::ready_in(env, id);
                self.timer = self.timer.into_iter().chain(timer).min();
                counting::waker(env, id)
            }
            _ => Waker::Program,
        };
        self.who = self.who.max(who);
    }
}

/// Events, if something holds.
fn some(holds: bool, events: u16) -> u16 {
    if holds { events } else { 0 }
}

fn of_socket(descriptors: &Descriptors, id: SocketId) -> u16 {
    let Some(socket) = descriptors.socket(id) else {
        return POLLNVAL;
    };
    let (input, output) = (POLLIN | POLLRDNORM, POLLOUT | POLLWRNORM);
    match socket.role {
        Role::Listening(ref queue) => some(!queue.is_empty(), input),
        Role::Idle if socket.carries == Carries::Datagrams => {
            output | some(socket.has_input(), input)
        }
        Role::Idle => output | POLLHUP,
        Role::Connected(peer) => {
            let at_end = descriptors.is_at_end(id);
            let (room, gone) = match peer {
                Peer::Outside => (true, false),
                Peer::Socket(peer) => {
                    let waiting = descriptors.socket(peer).map_or(0, Socket::waiting);
                    (waiting < CAPACITY, !descriptors.has_socket(peer))
                }
            };
            some(socket.has_input() || at_end, input)
                | some(at_end, POLLRDHUP)
                | some(room || gone, output)
                | some(gone || at_end && socket.writes_no_more, POLLHUP)
        }
    }
}

/// The events of an open file that is no socket.
fn of_open(env: &Environment, open: &OpenFile) -> u16 {
    let has = |end: Target| env.descriptors.open_files().any(|open| open.target == end);
    let waiting = |id| env.descriptors.pipe(id).map_or(0, |pipe| pipe.bytes.len());
    match open.target {
        Target::Reader(id) => {
            let input = if waiting(id) > 0 { POLLIN } else { 0 };
            input | if has(Target::Writer(id)) { 0 } else { POLLHUP }
        }
        Target::Writer(id) => {
            let output = if waiting(id) < PIPE_CAPACITY {
                POLLOUT
            } else {
                0
            };
            output | if has(Target::Reader(id)) { 0 } else { POLLERR }
        }
        Target::Stream(_) => POLLOUT,
        Target::Watched(_) => 0,
        Target::Counter(id) => {
            let (read, write) = counting::ready(env, id);
            some(read, POLLIN) | some(write, POLLOUT)
        }
        _ => POLLIN | POLLOUT,
    }
}

/// What waiting for descriptors has found.
#[derive(Default)]
struct Found {
    /// How many are ready.
    ready: u64,
    /// Whether any may become ready: it is a socket or a counter.
    may_become: bool,
    /// What may make them ready.
    wakers: Wakers,
    /// What is written, and where.
    writes: Vec<(Value, Vec<u8>)>,
}

impl Found {
    /// The events of a descriptor, which is waited for.
    fn events(&mut self, env: &Environment, fd: i32) -> u16 {
        let open = env.descriptors.usable(fd);
        self.may_become |=
            open.is_ok_and(|open| matches!(open.target, Target::Socket(_) | Target::Counter(_)));
        self.wakers.add(env, fd);
        events(env, fd).events
    }
}

/// Ends a waiting call. If nothing is ready and nothing can become ready, its time limit passes; without one
/// only a signal from outside ends it.
fn finish(call: &mut Call<'_>, found: Found, limit: Option<Time>) -> Answer {
    let may_become = found.may_become || !call.env.alone();
    let Wakers { who, timer } = found.wakers;
    let who = match may_become {
        true => who,
        false => who.max(Waker::Signaller),
    };
    if found.ready == 0
        && (may_become || limit.is_none())
        && let Some(wait) = call.wait_for_timers(limit, timer, who)
    {
        return Err(wait);
    }
    for (address, bytes) in &found.writes {
        call.memory.write_concrete(*address, bytes)?;
    }
    if let Some(time) = limit
        && found.ready == 0
        && !may_become
    {
        call.env.clock.sleep(time);
    }
    Ok(SysResult::number(found.ready))
}

/// The time limit of so many milliseconds; there is none if they are negative.
pub(super) fn limit_of_milliseconds(limit: i32) -> Option<Time> {
    let limit = i64::from(limit);
    (limit >= 0).then_some(Time {
        seconds: limit / 1000,
        nanos: limit % 1000 * 1_000_000,
    })
}

/// The `struct timespec` in argument `index`, unless it is null.
fn limit(call: &mut Call<'_>, index: usize) -> Result<Option<Time>, Failure> {
    match call.is_null(index)? {
        true => Ok(None),
        false => Ok(Some(super::timing::duration(call, index)?)),
    }
}

/// poll(array of struct pollfd, count, milliseconds or -1).
fn poll(call: &mut Call<'_>) -> Answer {
    let limit = limit_of_milliseconds(call.int32(2)?);
    let ready = polled(call)?;
    finish(call, ready, limit)
}

/// ppoll(array of struct pollfd, count, time or null, ...).
fn ppoll(call: &mut Call<'_>) -> Answer {
    let limit = limit(call, 2)?;
    let ready = polled(call)?;
    finish(call, ready, limit)
}

/// The ready events of the array in arguments 0 and 1.
fn polled(call: &mut Call<'_>) -> Result<Found, Failure> {
    let count = call.int(1)?;
    if count > crate::environment::MAX_DESCRIPTORS {
        return Err(Errno::EINVAL.into());
    }
    let mut found = Found::default();
    for index in 0..count {
        let address = call.memory.displaced(call.args[0], index * 8);
        let bytes = call.get(address, 6)?;
        let fd = i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let wanted = u16::from_le_bytes([bytes[4], bytes[5]]);
        let always = POLLERR | POLLHUP | POLLNVAL;
        let events = if fd < 0 {
            0
        } else {
            found.events(call.env, fd) & (wanted | always)
        };
        found.ready += u64::from(events != 0);
        let address = call.memory.displaced(address, 6);
        found.writes.push((address, events.to_le_bytes().to_vec()));
    }
    Ok(found)
}

/// select(count, readable, writable, exceptional, `struct timeval` or null).
fn select(call: &mut Call<'_>) -> Answer {
    let limit = match call.is_null(4)? {
        true => None,
        false => Some(Time {
            seconds: call.get_u64(4, 0)? as i64,
            nanos: (call.get_u64(4, 8)? as i64).saturating_mul(1000),
        }),
    };
    let ready = selected(call)?;
    finish(call, ready, limit)
}

/// pselect6(count, readable, writable, exceptional, time or null, ...).
fn pselect6(call: &mut Call<'_>) -> Answer {
    let limit = limit(call, 4)?;
    let ready = selected(call)?;
    finish(call, ready, limit)
}

/// The ready descriptors of the sets in arguments 1 to 3.
fn selected(call: &mut Call<'_>) -> Result<Found, Failure> {
    let count = call.int32(0)?;
    let count = u64::try_from(count).map_err(|_| Errno::EINVAL)?;
    let count = count.min(crate::environment::MAX_DESCRIPTORS);
    let mut found = Found::default();
    for (index, mask) in [(1, POLLIN | POLLHUP), (2, POLLOUT | POLLERR), (3, 0)] {
        if call.is_null(index)? {
            continue;
        }
        for word in 0..count.div_ceil(64) {
            let wanted = call.get_u64(index, word * 8)?;
            let mut ready = 0u64;
            for bit in (0..64).filter(|bit| word * 64 + bit < count && wanted >> bit & 1 == 1) {
                let events = found.events(call.env, (word * 64 + bit) as i32);
                if events == POLLNVAL {
                    return Err(Errno::EBADF.into());
                }
                ready |= u64::from(events & mask != 0) << bit;
            }
            found.ready += u64::from(ready.count_ones());
            let address = call.memory.displaced(call.args[index], word * 8);
            found.writes.push((address, ready.to_le_bytes().to_vec()));
        }
    }
    Ok(found)
}

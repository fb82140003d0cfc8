//! epoll: descriptors that are watched together.

use super::polling::{PollEvents, Wakers, events, limit_of_milliseconds};
use crate::call::{Answer, Call, Failure, SysResult, SystemCall};
use crate::descriptors::{O_CLOEXEC, OpenId, Target};
use crate::errno::Errno;
use crate::metadata::Time;
use crate::watched::{Interest, WatchedId};

/// The calls of epoll.
pub static CALLS: &[SystemCall] = &[
    SystemCall {
        number: 213,
        name: "epoll_create",
        run: epoll_create,
    },
    SystemCall {
        number: 232,
        name: "epoll_wait",
        run: epoll_wait,
    },
    SystemCall {
        number: 233,
        name: "epoll_ctl",
        run: epoll_ctl,
    },
    SystemCall {
        number: 281,
        name: "epoll_pwait",
        run: epoll_wait,
    },
    SystemCall {
        number: 291,
        name: "epoll_create1",
        run: epoll_create1,
    },
];

/// `EPOLLERR`, `EPOLLHUP`: always watched.
const ALWAYS: u32 = 0x18;
/// `EPOLLONESHOT`: told once.
const ONCE: u32 = 1 << 30;
/// `EPOLLET`: told when something is new.
const EDGE: u32 = 1 << 31;
/// Bytes of a `struct epoll_event`.
const EVENT: usize = 12;

fn epoll_create(call: &mut Call<'_>) -> Answer {
    match call.int32(0)? {
        1.. => create(call, 0),
        _ => Err(Errno::EINVAL.into()),
    }
}

fn epoll_create1(call: &mut Call<'_>) -> Answer {
    let flags = call.uint32(0)?;
    match flags & !O_CLOEXEC {
        0 => create(call, flags),
        _ => Err(Errno::EINVAL.into()),
    }
}

fn create(call: &mut Call<'_>, flags: u32) -> Answer {
    call.env.descriptors.free(0).next().ok_or(Errno::EMFILE)?;
    let id = call.env.descriptors.new_watched();
    let fd = call.env.descriptors.open(Target::Watched(id), flags | 2)?;
    Ok(SysResult::number(fd.into()))
}

fn watched_of(call: &Call<'_>, fd: i32) -> Result<WatchedId, Errno> {
    match call.env.descriptors.usable(fd)?.target {
        Target::Watched(id) => Ok(id),
        _ => Err(Errno::EINVAL),
    }
}

/// epoll_ctl(epoll, 1 add, 2 remove or 3 change, fd, event).
fn epoll_ctl(call: &mut Call<'_>) -> Answer {
    const ADD: i32 = 1;
    const REMOVE: i32 = 2;
    const CHANGE: i32 = 3;
    let (epoll, operation, fd) = (call.int32(0)?, call.int32(1)?, call.int32(2)?);
    let open = call.env.descriptors.open_id(fd).ok_or(Errno::EBADF)?;
    let id = watched_of(call, epoll)?;
    let target = &call.env.descriptors.get(fd)?.target;
    if matches!(target, Target::File(_) | Target::Directory { .. }) {
        return Err(Errno::EPERM.into());
    }
    if epoll == fd {
        return Err(Errno::EINVAL.into());
    }
    let known = call.env.descriptors.watched(id).ok_or(Errno::EIO)?;
    let known = known
        .interests
        .get(&(fd as u32))
        .is_some_and(|one| one.open == open);
    match (operation, known) {
        (ADD, true) => return Err(Errno::EEXIST.into()),
        (REMOVE | CHANGE, false) => return Err(Errno::ENOENT.into()),
        (ADD | REMOVE | CHANGE, _) => {}
        _ => return Err(Errno::EINVAL.into()),
    }
    let interest = match operation {
        REMOVE => None,
        _ => Some(interest(call, open)?),
    };
    let watched = call.env.descriptors.watched_mut(id).ok_or(Errno::EIO)?;
    match interest {
        Some(interest) => watched.interests.insert(fd as u32, interest),
        None => watched.interests.remove(&(fd as u32)),
    };
    Ok(SysResult::number(0))
}

/// The interest in argument 3, in an open file.
fn interest(call: &mut Call<'_>, open: OpenId) -> Result<Interest, Failure> {
    let events = call.get(call.args[3], 4)?;
    let data = call.memory.displaced(call.args[3], 4);
    Ok(Interest {
        open,
        // Of these Linux tells until it has told something once, even if nothing is asked for.
        events: u32::from_le_bytes([events[0], events[1], events[2], events[3]]) | ALWAYS,
        data: call.memory.read_word(data)?,
        told: (0, 0),
    })
}

/// What is ready of the watched descriptors: each with its events, and the number that changes
/// with what arrives.
fn ready(call: &Call<'_>, id: WatchedId) -> Result<Vec<(u32, Interest)>, Errno> {
    let watched = call.env.descriptors.watched(id).ok_or(Errno::EIO)?;
    let mut found = Vec::new();
    for (&fd, interest) in &watched.interests {
        if call.env.descriptors.open_id(fd as i32) != Some(interest.open) {
            continue;
        }
        let PollEvents { events, arrivals } = events(call.env, fd as i32);
        let events = u32::from(events) & (interest.events | ALWAYS);
        let old = interest.told;
        let is_new = events & !old.0 != 0 || arrivals != old.1;
        let disabled = interest.events & !(EDGE | ONCE) == 0;
        if events != 0 && !disabled && (interest.events & EDGE == 0 || is_new) {
            let told = (events, arrivals);
            found.push((fd, Interest { told, ..*interest }));
        }
    }
    Ok(found)
}

/// epoll_wait(epoll, events, how many, milliseconds or -1).
fn epoll_wait(call: &mut Call<'_>) -> Answer {
    let (fd, most) = (call.int32(0)?, call.int32(2)?);
    let limit = limit_of_milliseconds(call.int32(3)?);
    let most = usize::try_from(most).ok().filter(|&most| most > 0);
    let most = most.ok_or(Errno::EINVAL)?;
    let id = watched_of(call, fd)?;
    let mut found = ready(call, id)?;
    found.truncate(most);
    if found.is_empty() {
        return nothing(call, id, limit);
    }
    for (at, (_, interest)) in (0..).step_by(EVENT).zip(&found) {
        let events = call.memory.displaced(call.args[1], at);
        let data = call.memory.displaced(call.args[1], at + 4);
        let bytes = interest.told.0.to_le_bytes();
        call.memory.write_concrete(events, &bytes)?;
        call.memory.write_word(data, interest.data)?;
    }
    let count = found.len() as u64;
    let watched = call.env.descriptors.watched_mut(id).ok_or(Errno::EIO)?;
    for (fd, mut interest) in found {
        if interest.events & ONCE != 0 {
            interest.events &= EDGE | ONCE;
        }
        watched.interests.insert(fd, interest);
    }
    Ok(SysResult::number(count))
}

fn nothing(call: &mut Call<'_>, id: WatchedId, limit: Option<Time>) -> Answer {
    let watched = call.env.descriptors.watched(id).ok_or(Errno::EIO)?;
    let mut wakers = Wakers::default();
    for &fd in watched.interests.keys() {
        wakers.add(call.env, fd as i32);
    }
    match call.wait_for_timers(limit, wakers.timer, wakers.who) {
        Some(wait) => Err::<SysResult, Failure>(wait),
        None => Ok(SysResult::number(0)),
    }
}

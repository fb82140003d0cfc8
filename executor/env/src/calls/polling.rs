//! poll and select. No call ever blocks: files and streams are always ready.

use crate::call::{Answer, Call, Failure, SysResult, SystemCall};
use crate::descriptors::{PIPE_CAPACITY, Target};
use crate::environment::Environment;
use crate::errno::Errno;
use crate::fidelity::Difference;
use crate::metadata::Time;
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

/// The events of a descriptor.
fn events(env: &Environment, fd: i32) -> u16 {
    let Ok(open) = env.descriptors.usable(fd) else {
        return POLLNVAL;
    };
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
        _ => POLLIN | POLLOUT,
    }
}

/// Ends a waiting call. If nothing is ready, its time limit passes, as nothing becomes ready later.
fn finish(call: &mut Call<'_>, ready: u64, limit: Option<Time>, forever: Difference) -> Answer {
    match limit {
        _ if ready > 0 => {}
        Some(time) => call.env.clock.sleep(time),
        None => call.differs(forever),
    }
    Ok(SysResult::number(ready))
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
    let limit = i64::from(call.int32(2)?);
    let limit = (limit >= 0).then_some(Time {
        seconds: limit / 1000,
        nanos: limit % 1000 * 1_000_000,
    });
    let ready = polled(call)?;
    finish(call, ready, limit, Difference::PollForever)
}

/// ppoll(array of struct pollfd, count, time or null, ...).
fn ppoll(call: &mut Call<'_>) -> Answer {
    let limit = limit(call, 2)?;
    let ready = polled(call)?;
    finish(call, ready, limit, Difference::PollForever)
}

/// Writes the ready events to the array in arguments 0 and 1. Returns how many descriptors are
/// ready.
fn polled(call: &mut Call<'_>) -> Result<u64, Failure> {
    let count = call.int(1)?;
    if count > crate::environment::MAX_DESCRIPTORS {
        return Err(Errno::EINVAL.into());
    }
    let mut ready = 0;
    for index in 0..count {
        let address = call.memory.displaced(call.args[0], index * 8);
        let bytes = call.get(address, 6)?;
        let fd = i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let wanted = u16::from_le_bytes([bytes[4], bytes[5]]);
        let always = POLLERR | POLLHUP | POLLNVAL;
        let found = if fd < 0 {
            0
        } else {
            events(call.env, fd) & (wanted | always)
        };
        ready += u64::from(found != 0);
        let address = call.memory.displaced(address, 6);
        call.memory.write_concrete(address, &found.to_le_bytes())?;
    }
    Ok(ready)
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
    finish(call, ready, limit, Difference::SelectForever)
}

/// pselect6(count, readable, writable, exceptional, time or null, ...).
fn pselect6(call: &mut Call<'_>) -> Answer {
    let limit = limit(call, 4)?;
    let ready = selected(call)?;
    finish(call, ready, limit, Difference::SelectForever)
}

/// Writes the ready descriptors to the sets in arguments 1 to 3. Returns their number.
fn selected(call: &mut Call<'_>) -> Result<u64, Failure> {
    let count = call.int32(0)?;
    let count = u64::try_from(count).map_err(|_| Errno::EINVAL)?;
    let count = count.min(crate::environment::MAX_DESCRIPTORS);
    let mut ready = 0;
    let mut answers: Vec<(Value, u64)> = Vec::new();
    for (index, mask) in [(1, POLLIN | POLLHUP), (2, POLLOUT | POLLERR), (3, 0)] {
        if call.is_null(index)? {
            continue;
        }
        for word in 0..count.div_ceil(64) {
            let wanted = call.get_u64(index, word * 8)?;
            let mut found = 0;
            for bit in (0..64).filter(|bit| word * 64 + bit < count && wanted >> bit & 1 == 1) {
                let events = events(call.env, (word * 64 + bit) as i32);
                if events == POLLNVAL {
                    return Err(Errno::EBADF.into());
                }
                found |= u64::from(events & mask != 0) << bit;
            }
            ready += u64::from(found.count_ones());
            answers.push((call.memory.displaced(call.args[index], word * 8), found));
        }
    }
    for (address, found) in answers {
        call.memory.write_word(address, Value::Int(found))?;
    }
    Ok(ready)
}

//! poll and select. Nothing here ever makes a program wait: files and streams are always ready.

use crate::call::{Answer, Call, Entry, SysResult};
use crate::descriptors::{PIPE_CAPACITY, Target};
use crate::environment::Environment;
use crate::errno::Errno;
use plat_expr::Value;

/// The calls that wait for descriptors.
pub static CALLS: &[Entry] = &[
    Entry {
        number: 7,
        name: "poll",
        run: poll,
    },
    Entry {
        number: 23,
        name: "select",
        run: select,
    },
    Entry {
        number: 270,
        name: "pselect6",
        run: select,
    },
    Entry {
        number: 271,
        name: "ppoll",
        run: poll,
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

/// poll(array of struct pollfd, count, timeout).
fn poll(call: &mut Call<'_>) -> Answer {
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
    Ok(SysResult::number(ready))
}

/// select(count, readable, writable, exceptional, timeout).
fn select(call: &mut Call<'_>) -> Answer {
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
    Ok(SysResult::number(ready))
}

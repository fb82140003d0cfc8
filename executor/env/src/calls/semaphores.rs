//! Semaphores of System V IPC.

use super::ipc::{self, READ, WRITE};
use super::timing;
use crate::call::{Answer, Call, Failure, SysResult, SystemCall};
use crate::errno::Errno;
use crate::fidelity::Difference;
use crate::ipc::{Ipc, MAX_VALUE, Operation, Permission, SemaphoreSet, Wish};
use crate::metadata::Time;
use crate::threads::Waker;
use std::collections::BTreeMap;

/// The calls on semaphores.
pub static CALLS: &[SystemCall] = &[
    SystemCall {
        number: 64,
        name: "semget",
        run: semget,
    },
    SystemCall {
        number: 65,
        name: "semop",
        run: semop,
    },
    SystemCall {
        number: 66,
        name: "semctl",
        run: semctl,
    },
    SystemCall {
        number: 220,
        name: "semtimedop",
        run: semtimedop,
    },
];

/// `SEMMSL`
const MOST: i32 = 32_000;
/// `SEMOPM`
const MOST_OPERATIONS: u64 = 500;

fn sets(ipc: &Ipc) -> &BTreeMap<i32, SemaphoreSet> {
    &ipc.sets
}

/// semget(key, how many, flags).
fn semget(call: &mut Call<'_>) -> Answer {
    let (key, count, flags) = (call.int32(0)?, call.int32(1)?, call.uint32(2)?);
    if !(0..=MOST).contains(&count) {
        return Err(Errno::EINVAL.into());
    }
    let suits = |one: &SemaphoreSet| one.all.len() >= count as usize;
    let all = &call.env.family.ipc.sets;
    if let Some(number) = ipc::find(call, all, (key, flags), suits)? {
        return Ok(SysResult::number(number as u64));
    }
    if count == 0 {
        return Err(Errno::EINVAL.into());
    }
    let set = SemaphoreSet {
        permission: Permission::new(key, ipc::identity(call), flags),
        all: vec![(0, 0); count as usize],
        times: [0, ipc::now(call)],
    };
    let ipc = call.env.ipc_mut();
    let number = ipc.new_number();
    ipc.sets.insert(number, set);
    Ok(SysResult::number(number as u64))
}

/// semop(set, operations, how many).
fn semop(call: &mut Call<'_>) -> Answer {
    operate(call, None)
}

/// semtimedop(set, operations, how many, duration or null).
fn semtimedop(call: &mut Call<'_>) -> Answer {
    let limit = match call.is_null(3)? {
        true => None,
        false => Some(timing::duration(call, 3)?),
    };
    operate(call, limit)
}

fn operate(call: &mut Call<'_>, limit: Option<Time>) -> Answer {
    if let Some(at) = call.env.waits_at() {
        return go_on(call, at, limit);
    }
    let (number, operations) = (call.int32(0)?, operations(call)?);
    let changes = operations.iter().any(|one| one.change != 0);
    let set = call.env.family.ipc.sets.get(&number);
    let set = set.ok_or(Errno::EINVAL)?;
    if (operations.iter()).any(|one| usize::from(one.at) >= set.all.len()) {
        return Err(Errno::EFBIG.into());
    }
    let wanted = if changes { WRITE } else { READ };
    ipc::usable(call, sets, number, wanted)?;
    let (process, now) = (call.env.process(), ipc::now(call));
    if call
        .env
        .ipc_mut()
        .operate(number, &operations, process, now)?
    {
        call.env.descriptors.note_change();
        return Ok(SysResult::number(0));
    }
    let waits = call.wait(limit, Waker::Program).ok_or(Errno::EAGAIN)?;
    call.env.wait_in_line(number, Wish::Operations(operations));
    Err(waits)
}

/// The thread has waited; `at` is where it stands.
fn go_on(call: &mut Call<'_>, at: usize, limit: Option<Time>) -> Answer {
    let came = call.env.family.ipc.waiters[at].came;
    if came.is_none()
        && let Some(waits) = call.wait(limit, Waker::Program)
    {
        return Err(waits);
    }
    call.env.ipc_mut().waiters.remove(at);
    came.unwrap_or(Err(Errno::EAGAIN))?;
    Ok(SysResult::number(0))
}

/// The `struct sembuf`s in arguments 1 and 2.
fn operations(call: &mut Call<'_>) -> Result<Vec<Operation>, Failure> {
    let count = call.int(2)?;
    if count == 0 {
        return Err(Errno::EINVAL.into());
    }
    if count > MOST_OPERATIONS {
        return Err(Errno::E2BIG.into());
    }
    let bytes = call.get(call.args[1], count * 6)?;
    let operations = bytes.chunks_exact(6).map(|one| Operation {
        at: u16::from_le_bytes([one[0], one[1]]),
        change: i16::from_le_bytes([one[2], one[3]]),
        flags: u16::from_le_bytes([one[4], one[5]]).into(),
    });
    Ok(operations.collect())
}

/// semctl(set, semaphore, command, value or place).
fn semctl(call: &mut Call<'_>) -> Answer {
    const LAST_PROCESS: u32 = 11;
    const VALUE: u32 = 12;
    const VALUES: u32 = 13;
    const WAIT_FOR_MORE: u32 = 14;
    const WAIT_FOR_ZERO: u32 = 15;
    const SET_VALUE: u32 = 16;
    const SET_VALUES: u32 = 17;
    const INFORMATION: [u32; 4] = [3, 18, 19, 20];
    let (number, command) = (call.int32(0)?, call.uint32(2)? & !ipc::NEW_STRUCTURES);
    if number < 0 {
        return Err(Errno::EINVAL.into());
    }
    match command {
        ipc::STAT => {
            let bytes = structure(ipc::usable(call, sets, number, READ)?);
            call.memory.write_concrete(call.args[3], &bytes)?;
        }
        ipc::SET => {
            let old = ipc::controlled(call, sets, number)?.permission;
            let (new, now) = (ipc::changed(call, 3, old)?, ipc::now(call));
            if let Some(set) = call.env.ipc_mut().sets.get_mut(&number) {
                set.permission = new;
                set.times[1] = now;
            }
        }
        ipc::REMOVE => {
            ipc::controlled(call, sets, number)?;
            call.env.ipc_mut().remove_set(number);
            call.env.descriptors.note_change();
        }
        LAST_PROCESS | VALUE | WAIT_FOR_MORE | WAIT_FOR_ZERO => {
            let at = semaphore(call, number, READ)?;
            let (value, process) = call.env.family.ipc.sets[&number].all[usize::from(at)];
            let ipc = &call.env.family.ipc;
            return Ok(SysResult::number(match command {
                LAST_PROCESS => process,
                VALUE => value.into(),
                _ => ipc.waiting_at(number, at, command == WAIT_FOR_ZERO),
            }));
        }
        VALUES => {
            let set = ipc::usable(call, sets, number, READ)?;
            let values = set.all.iter().flat_map(|one| one.0.to_le_bytes());
            let values: Vec<u8> = values.collect();
            call.memory.write_concrete(call.args[3], &values)?;
        }
        SET_VALUE => {
            let value = u16::try_from(call.int32(3)?).ok();
            let value = value.filter(|value| *value <= MAX_VALUE);
            let value = value.ok_or(Errno::ERANGE)?;
            let at = semaphore(call, number, WRITE)?;
            set_values(call, number, &[(at, value)]);
        }
        SET_VALUES => {
            let count = ipc::usable(call, sets, number, WRITE)?.all.len();
            let bytes = call.get(call.args[3], count as u64 * 2)?;
            let values = bytes.chunks_exact(2);
            let values = values.map(|one| u16::from_le_bytes([one[0], one[1]]));
            let values: Vec<(u16, u16)> = (0..).zip(values).collect();
            if values.iter().any(|one| one.1 > MAX_VALUE) {
                return Err(Errno::ERANGE.into());
            }
            set_values(call, number, &values);
        }
        command => {
            if INFORMATION.contains(&command) {
                call.differs(Difference::IpcInformation);
            }
            return Err(Errno::EINVAL.into());
        }
    }
    Ok(SysResult::number(0))
}

/// The semaphore in argument 1, of a set that the program may use like that.
fn semaphore(call: &mut Call<'_>, number: i32, wanted: u32) -> Result<u16, Failure> {
    let at = call.int32(1)?;
    let count = ipc::usable(call, sets, number, wanted)?.all.len();
    let at = u16::try_from(at).ok();
    let at = at.filter(|at| usize::from(*at) < count);
    Ok(at.ok_or(Errno::EINVAL)?)
}

fn set_values(call: &mut Call<'_>, number: i32, values: &[(u16, u16)]) {
    let (process, now) = (call.env.process(), ipc::now(call));
    let ipc = call.env.ipc_mut();
    ipc.set_values(number, values, process, now);
    call.env.descriptors.note_change();
}

/// A `struct semid_ds`.
fn structure(set: &SemaphoreSet) -> Vec<u8> {
    ipc::layout(&set.permission)
        .u64(set.times[0].cast_unsigned())
        .u64(0)
        .u64(set.times[1].cast_unsigned())
        .u64(0)
        .u64(set.all.len() as u64)
        .zeros_to(104)
        .finish()
}

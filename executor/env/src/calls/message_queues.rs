//! Queues of messages of System V IPC. Their bytes may be symbolic; types and sizes are numbers.

use super::ipc::{self, READ, WRITE};
use crate::call::{Answer, Call, SysResult, SystemCall};
use crate::errno::Errno;
use crate::fidelity::Difference;
use crate::ipc::{AT_ONCE, Ipc, Message, Permission, Queue, Which, Wish};
use crate::threads::Waker;
use plat_expr::Value;
use std::collections::{BTreeMap, VecDeque};

/// The calls on queues.
pub static CALLS: &[SystemCall] = &[
    SystemCall {
        number: 68,
        name: "msgget",
        run: msgget,
    },
    SystemCall {
        number: 69,
        name: "msgsnd",
        run: msgsnd,
    },
    SystemCall {
        number: 70,
        name: "msgrcv",
        run: msgrcv,
    },
    SystemCall {
        number: 71,
        name: "msgctl",
        run: msgctl,
    },
];

/// `MSGMAX`
const LONGEST: u64 = 8192;
/// `MSGMNB`
const CAPACITY: u64 = 16_384;
/// Bytes of a message's type.
const TYPE: u64 = 8;

fn queues(ipc: &Ipc) -> &BTreeMap<i32, Queue> {
    &ipc.queues
}

/// msgget(key, flags).
fn msgget(call: &mut Call<'_>) -> Answer {
    let (key, flags) = (call.int32(0)?, call.uint32(1)?);
    let all = &call.env.family.ipc.queues;
    if let Some(number) = ipc::find(call, all, (key, flags), |_| true)? {
        return Ok(SysResult::number(number as u64));
    }
    let queue = Queue {
        permission: Permission::new(key, ipc::identity(call), flags),
        messages: VecDeque::new(),
        capacity: CAPACITY,
        times: [0, 0, ipc::now(call)],
        processes: [0, 0],
    };
    let ipc = call.env.ipc_mut();
    let number = ipc.new_number();
    ipc.queues.insert(number, queue);
    Ok(SysResult::number(number as u64))
}

/// msgsnd(queue, message, size of its text, flags).
fn msgsnd(call: &mut Call<'_>) -> Answer {
    let (number, size, flags) = (call.int32(0)?, call.int(2)?, call.uint32(3)?);
    let waited = call.env.waits_at();
    if let Some(at) = waited
        && let Some(came) = call.env.family.ipc.waiters[at].came
    {
        call.env.ipc_mut().waiters.remove(at);
        came?;
    }
    let kind = call.get_u64(1, 0)?.cast_signed();
    if size > LONGEST || number < 0 || kind < 1 {
        return Err(Errno::EINVAL.into());
    }
    let place = call.memory.displaced(call.args[1], TYPE);
    let text = call.memory.read(place, size)?.into();
    let queue = ipc::usable(call, queues, number, WRITE)?;
    if !queue.has_room(size) {
        if flags & AT_ONCE != 0 {
            return Err(Errno::EAGAIN.into());
        }
        let waits = call.wait(None, Waker::Program).ok_or(Errno::EAGAIN)?;
        if waited.is_none() {
            call.env.wait_in_line(number, Wish::Room);
        }
        return Err(waits);
    }
    let (process, now) = (call.env.process(), ipc::now(call));
    let ipc = call.env.ipc_mut();
    if let Some(at) = waited {
        ipc.waiters.remove(at);
    }
    ipc.send(number, Message { kind, text }, process, now);
    call.env.descriptors.note_change();
    Ok(SysResult::number(0))
}

/// msgrcv(queue, message, size of its text, type, flags).
fn msgrcv(call: &mut Call<'_>) -> Answer {
    const CUT: u32 = 0o10000;
    const EXCEPT: u32 = 0o20000;
    const COPY: u32 = 0o40000;
    let (number, size, kind) = (call.int32(0)?, call.int(2)?, call.int(3)?.cast_signed());
    let flags = call.uint32(4)?;
    if number < 0 || size.cast_signed() < 0 {
        return Err(Errno::EINVAL.into());
    }
    if let Some(at) = call.env.waits_at() {
        return go_on(call, at, size);
    }
    if flags & COPY != 0 {
        call.differs(Difference::MessageCopy);
        return Err(Errno::ENOSYS.into());
    }
    let which = match kind {
        0 => Which::Any,
        ..0 => Which::UpTo(kind.checked_neg().unwrap_or(i64::MAX)),
        _ if flags & EXCEPT != 0 => Which::Not(kind),
        _ => Which::Of(kind),
    };
    let queue = ipc::usable(call, queues, number, READ)?;
    let cut = flags & CUT != 0;
    let Some(at) = queue.find(which) else {
        if flags & AT_ONCE != 0 {
            return Err(Errno::ENOMSG.into());
        }
        let waits = call.wait(None, Waker::Program).ok_or(Errno::ENOMSG)?;
        let wish = Wish::Message(which, size, cut);
        call.env.wait_in_line(number, wish);
        return Err(waits);
    };
    let message = queue.messages[at].clone();
    if message.text.len() as u64 > size && !cut {
        return Err(Errno::E2BIG.into());
    }
    let result = deliver(call, &message, size)?;
    let (process, now) = (call.env.process(), ipc::now(call));
    call.env.ipc_mut().take(number, at, process, now);
    call.env.descriptors.note_change();
    Ok(SysResult::number(result))
}

/// The thread has waited for a message; `at` is where it stands.
fn go_on(call: &mut Call<'_>, at: usize, size: u64) -> Answer {
    let waiter = &call.env.family.ipc.waiters[at];
    let Some(came) = waiter.came else {
        let waits = call.wait(None, Waker::Program);
        return Err(waits.unwrap_or(Errno::ENOMSG.into()));
    };
    let result = match waiter.message.clone() {
        Some(message) => deliver(call, &message, size)?,
        None => 0,
    };
    call.env.ipc_mut().waiters.remove(at);
    came?;
    Ok(SysResult::number(result))
}

/// Writes a message to where the program wants it; the bytes of its text.
fn deliver(call: &mut Call<'_>, message: &Message, size: u64) -> Result<u64, crate::memory::Stop> {
    let fits = message.text.len().min(size as usize);
    let kind = Value::Int(message.kind.cast_unsigned());
    call.memory.write_word(call.args[1], kind)?;
    let place = call.memory.displaced(call.args[1], TYPE);
    call.memory.write(place, &message.text[..fits])?;
    Ok(fits as u64)
}

/// msgctl(queue, command, structure).
fn msgctl(call: &mut Call<'_>) -> Answer {
    const INFORMATION: [u32; 4] = [3, 11, 12, 13];
    let (number, command) = (call.int32(0)?, call.uint32(1)? & !ipc::NEW_STRUCTURES);
    match command {
        ipc::STAT => {
            let bytes = structure(ipc::usable(call, queues, number, READ)?);
            call.memory.write_concrete(call.args[2], &bytes)?;
        }
        ipc::SET => {
            let queue = ipc::controlled(call, queues, number)?;
            let old = queue.permission;
            let new = ipc::changed(call, 2, old)?;
            let capacity = call.get_u64(2, 88)?;
            if capacity > CAPACITY && ipc::identity(call).uid != 0 {
                return Err(Errno::EPERM.into());
            }
            let now = ipc::now(call);
            if let Some(queue) = call.env.ipc_mut().queues.get_mut(&number) {
                queue.permission = new;
                queue.capacity = capacity;
                queue.times[2] = now;
            }
            call.env.descriptors.note_change();
        }
        ipc::REMOVE => {
            ipc::controlled(call, queues, number)?;
            call.env.ipc_mut().remove_queue(number);
            call.env.descriptors.note_change();
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

/// A `struct msqid_ds`.
fn structure(queue: &Queue) -> Vec<u8> {
    let [sent, received, changed] = queue.times;
    ipc::layout(&queue.permission)
        .u64(sent.cast_unsigned())
        .u64(received.cast_unsigned())
        .u64(changed.cast_unsigned())
        .u64(queue.bytes())
        .u64(queue.messages.len() as u64)
        .u64(queue.capacity)
        .u32(queue.processes[0] as u32)
        .u32(queue.processes[1] as u32)
        .zeros_to(120)
        .finish()
}

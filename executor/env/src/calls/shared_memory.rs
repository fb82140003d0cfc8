//! Memory of System V IPC. An attachment is an object of the process; what is in it is carried over when
//! another process runs, as for shared mappings.

use super::ipc::{self, READ, WRITE};
use super::mapping::{self, PAGE};
use crate::call::{Answer, Call, SysResult, SystemCall};
use crate::errno::Errno;
use crate::fidelity::Difference;
use crate::ipc::{Ipc, Permission, Segment};
use crate::processes::SharedMapping;
use plat_expr::Value;
use std::collections::BTreeMap;

/// The calls on shared memory.
pub static CALLS: &[SystemCall] = &[
    SystemCall {
        number: 29,
        name: "shmget",
        run: shmget,
    },
    SystemCall {
        number: 30,
        name: "shmat",
        run: shmat,
    },
    SystemCall {
        number: 31,
        name: "shmctl",
        run: shmctl,
    },
    SystemCall {
        number: 67,
        name: "shmdt",
        run: shmdt,
    },
];

/// `SHMMAX`
const LARGEST: u64 = u64::MAX - (1 << 24);

fn segments(ipc: &Ipc) -> &BTreeMap<i32, Segment> {
    &ipc.segments
}

/// shmget(key, size, flags).
fn shmget(call: &mut Call<'_>) -> Answer {
    /// `SHM_HUGETLB`
    const HUGE: u32 = 0o4000;
    let (key, size, flags) = (call.int32(0)?, call.int(1)?, call.uint32(2)?);
    let all = &call.env.family.ipc.segments;
    if let Some(number) = ipc::find(call, all, (key, flags), |one| one.size >= size)? {
        return Ok(SysResult::number(number as u64));
    }
    if size == 0 || size > LARGEST {
        return Err(Errno::EINVAL.into());
    }
    if flags & HUGE != 0 {
        // There are none.
        return Err(Errno::ENOMEM.into());
    }
    let segment = Segment {
        permission: Permission::new(key, ipc::identity(call), flags),
        size,
        number: call.env.descriptors.new_mapping(),
        attached: 0,
        removed: false,
        times: [0, 0, ipc::now(call)],
        processes: [call.env.process(), 0],
    };
    let ipc = call.env.ipc_mut();
    let number = ipc.new_number();
    ipc.segments.insert(number, segment);
    Ok(SysResult::number(number as u64))
}

/// shmat(segment, address, flags).
fn shmat(call: &mut Call<'_>) -> Answer {
    const READ_ONLY: u32 = 0o10000;
    const EXECUTE: u32 = 0o100_000;
    let (number, flags) = (call.int32(0)?, call.uint32(2)?);
    let wanted = match flags & READ_ONLY {
        0 => READ | WRITE,
        _ => READ,
    };
    let execute = if flags & EXECUTE == 0 { 0 } else { 0o111 };
    let segment = ipc::usable(call, segments, number, wanted | execute)?;
    let (mapping, size) = (segment.number, segment.size);
    if !call.is_null(1)? {
        call.differs(Difference::MmapFixed);
        return Err(Errno::ENOMEM.into());
    }
    if flags & READ_ONLY != 0 {
        call.differs(Difference::MmapProtection);
    }
    let shared = &call.env.mapped.shared;
    let known = shared.iter().position(|one| one.number == mapping);
    let address = match known {
        Some(at) => {
            call.differs(Difference::AttachedAgain);
            call.env.mapped.shared[at].attachments += 1;
            call.env.mapped.shared[at].address
        }
        None => attach(call, number, mapping, size)?,
    };
    let (process, now) = (call.env.process(), ipc::now(call));
    if let Some(segment) = call.env.ipc_mut().segments.get_mut(&number) {
        segment.attached += 1;
        segment.times[0] = now;
        segment.processes[1] = process;
    }
    Ok(SysResult::Return(address))
}

/// Memory that has what is in a segment.
fn attach(
    call: &mut Call<'_>,
    number: i32,
    mapping: u32,
    size: u64,
) -> Result<Value, crate::call::Failure> {
    let size = size.checked_next_multiple_of(PAGE).ok_or(Errno::ENOMEM)?;
    let address = call.memory.allocate(size)?.ok_or(Errno::ENOMEM)?;
    if let Some(bytes) = call.env.kept(mapping) {
        call.memory.write(address, &bytes)?;
    }
    call.env.mapped.shared.push(SharedMapping {
        number: mapping,
        address,
        size,
        segment: Some(number),
        attachments: 1,
    });
    Ok(address)
}

/// shmdt(address).
fn shmdt(call: &mut Call<'_>) -> Answer {
    let asked = call.int(0)?;
    let mut found = None;
    for at in 0..call.env.mapped.shared.len() {
        let shared = call.env.mapped.shared[at];
        if let Some(segment) = shared.segment
            && call.memory.concrete(shared.address)? == asked
        {
            found = Some((at, segment, shared));
        }
    }
    let (at, segment, shared) = found.ok_or(Errno::EINVAL)?;
    if shared.attachments > 1 {
        call.env.mapped.shared[at].attachments -= 1;
    } else {
        mapping::leave(call, shared)?;
        call.env.mapped.shared.remove(at);
    }
    let (process, now) = (call.env.process(), ipc::now(call));
    call.env.ipc_mut().detach(segment, process, now);
    Ok(SysResult::number(0))
}

/// shmctl(segment, command, structure).
fn shmctl(call: &mut Call<'_>) -> Answer {
    const LOCK: u32 = 11;
    const UNLOCK: u32 = 12;
    const INFORMATION: [u32; 4] = [3, 13, 14, 15];
    let (number, command) = (call.int32(0)?, call.uint32(1)? & !ipc::NEW_STRUCTURES);
    match command {
        ipc::STAT => {
            let segment = ipc::usable(call, segments, number, READ)?;
            let bytes = structure(segment);
            call.memory.write_concrete(call.args[2], &bytes)?;
        }
        ipc::SET => {
            let old = ipc::controlled(call, segments, number)?.permission;
            let new = ipc::changed(call, 2, old)?;
            let now = ipc::now(call);
            if let Some(segment) = call.env.ipc_mut().segments.get_mut(&number) {
                segment.permission = new;
                segment.times[2] = now;
            }
        }
        ipc::REMOVE => {
            ipc::controlled(call, segments, number)?;
            call.env.ipc_mut().remove_segment(number);
        }
        LOCK | UNLOCK => {
            ipc::controlled(call, segments, number)?;
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

/// A `struct shmid_ds`.
fn structure(segment: &Segment) -> Vec<u8> {
    let mut permission = segment.permission;
    if segment.removed {
        /// `SHM_DEST`
        const REMOVED: u32 = 0o1000;
        permission.mode |= REMOVED;
    }
    let [attached, detached, changed] = segment.times;
    ipc::layout(&permission)
        .u64(segment.size)
        .u64(attached.cast_unsigned())
        .u64(detached.cast_unsigned())
        .u64(changed.cast_unsigned())
        .u32(segment.processes[0] as u32)
        .u32(segment.processes[1] as u32)
        .u64(segment.attached)
        .zeros_to(112)
        .finish()
}

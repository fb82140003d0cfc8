//! mmap and brk. An anonymous mapping is a fresh object; a mapping of a regular file that is private or
//! only read is an object with the file's bytes.

use crate::call::{Answer, Call, SysResult, SystemCall};
use crate::descriptors::Target;
use crate::environment::Break;
use crate::errno::Errno;
use crate::fidelity::Difference;
use crate::memory::Stop;
use crate::processes::SharedMapping;
use plat_expr::Value;

/// The calls on memory.
pub static CALLS: &[SystemCall] = &[
    SystemCall {
        number: 9,
        name: "mmap",
        run: mmap,
    },
    SystemCall {
        number: 10,
        name: "mprotect",
        run: mprotect,
    },
    SystemCall {
        number: 11,
        name: "munmap",
        run: munmap,
    },
    SystemCall {
        number: 12,
        name: "brk",
        run: brk,
    },
    SystemCall {
        number: 26,
        name: "msync",
        run: no_effect,
    },
    SystemCall {
        number: 28,
        name: "madvise",
        run: madvise,
    },
    SystemCall {
        number: 149,
        name: "mlock",
        run: no_effect,
    },
    SystemCall {
        number: 150,
        name: "munlock",
        run: no_effect,
    },
    SystemCall {
        number: 151,
        name: "mlockall",
        run: lock_all,
    },
    SystemCall {
        number: 152,
        name: "munlockall",
        run: no_effect,
    },
];

/// Bytes of a page.
pub(super) const PAGE: u64 = 4096;
/// The program break moves in an object of this size.
const BREAK_SIZE: u64 = 1 << 20;

fn no_effect(_: &mut Call<'_>) -> Answer {
    Ok(SysResult::number(0))
}

/// mlockall(flags): nothing happens, but the flags have to be such as there are, and not
/// `MCL_ONFAULT` alone.
fn lock_all(call: &mut Call<'_>) -> Answer {
    const ON_FAULT: u32 = 4;
    match call.uint32(0)? {
        0 | ON_FAULT | 8.. => Err(Errno::EINVAL.into()),
        _ => Ok(SysResult::number(0)),
    }
}

/// mmap(address, size, protection, flags, fd, offset).
fn mmap(call: &mut Call<'_>) -> Answer {
    const WRITE: u32 = 2;
    const PRIVATE: u32 = 2;
    const FIXED: u32 = 0x10;
    const ANONYMOUS: u32 = 0x20;
    let (size, protection, flags) = (call.int(1)?, call.uint32(2)?, call.uint32(3)?);
    if size == 0 {
        return Err(Errno::EINVAL.into());
    }
    if flags & FIXED != 0 {
        call.differs(Difference::MmapFixed);
        return Err(Errno::ENOMEM.into());
    }
    let rounded = size.checked_next_multiple_of(PAGE).ok_or(Errno::ENOMEM)?;
    let mut contents = None;
    if flags & ANONYMOUS == 0 {
        let (fd, offset) = (call.int32(4)?, call.int(5)?);
        let open = call.env.descriptors.get(fd)?;
        let Target::File(id) = open.target else {
            return Err(Errno::ENODEV.into());
        };
        if !open.readable() {
            return Err(Errno::EACCES.into());
        }
        if offset % PAGE != 0 {
            return Err(Errno::EINVAL.into());
        }
        // What is only read, as by `localtime`, may be a copy.
        if flags & PRIVATE == 0 && (protection & WRITE != 0 || open.writable()) {
            call.differs(Difference::MmapShared);
            return Err(Errno::ENODEV.into());
        }
        contents = Some(call.env.tree.file(id)?.contents.read(offset, rounded));
    }
    let address = call.memory.allocate(rounded)?.ok_or(Errno::ENOMEM)?;
    if !accessible(protection) {
        call.differs(Difference::MmapProtection);
    }
    if flags & (PRIVATE | ANONYMOUS) == ANONYMOUS {
        let number = call.env.descriptors.new_mapping();
        let size = rounded;
        call.env.mapped.shared.push(SharedMapping {
            number,
            address,
            size,
            segment: None,
            attachments: 1,
        });
    }
    if let Some(bytes) = contents.filter(|bytes| !bytes.is_empty()) {
        call.memory.write(address, &bytes)?;
    }
    Ok(SysResult::Return(address))
}

/// Whether the protection is exactly read and write.
fn accessible(protection: u32) -> bool {
    const READ_WRITE: u32 = 3;
    protection == READ_WRITE
}

/// mprotect(address, size, protection)
fn mprotect(call: &mut Call<'_>) -> Answer {
    if !accessible(call.uint32(2)?) {
        call.differs(Difference::MprotectIgnored);
    }
    no_effect(call)
}

/// madvise(address, size, advice)
fn madvise(call: &mut Call<'_>) -> Answer {
    /// `MADV_DONTNEED`, `MADV_FREE`, `MADV_REMOVE`, `MADV_WIPEONFORK`
    const DISCARDS: [i32; 4] = [4, 8, 9, 18];
    if DISCARDS.contains(&call.int32(2)?) {
        call.differs(Difference::MadviseDiscard);
    }
    no_effect(call)
}

fn munmap(call: &mut Call<'_>) -> Answer {
    let size = call.int(1)?;
    if size == 0 {
        return Err(Errno::EINVAL.into());
    }
    let rounded = size.checked_next_multiple_of(PAGE).ok_or(Errno::EINVAL)?;
    let address = call.args[0];
    let mut shared = call.env.mapped.shared.iter();
    let at = shared.position(|one| (one.address, one.size) == (address, rounded));
    match at {
        Some(at) => {
            leave(call, call.env.mapped.shared[at])?;
            let gone = call.env.mapped.shared.remove(at);
            call.env.count_attachments(&[gone], false);
        }
        None => call.memory.release(address, rounded)?,
    }
    Ok(SysResult::number(0))
}

/// The process leaves memory that it shares: what is in it stays for the others.
pub(super) fn leave(call: &mut Call<'_>, mapping: SharedMapping) -> Result<(), Stop> {
    let bytes = call.memory.read(mapping.address, mapping.size)?;
    call.memory.release(mapping.address, mapping.size)?;
    call.env.keep(mapping.number, bytes);
    Ok(())
}

/// brk(address): the break moves inside one object, allocated by the first call. An address outside
/// of it leaves the break unchanged.
fn brk(call: &mut Call<'_>) -> Answer {
    let state = match call.env.mapped.program_break {
        Some(state) => state,
        None => match call.memory.allocate(BREAK_SIZE)? {
            Some(base) => Break { base, used: 0 },
            None => return Ok(SysResult::number(0)),
        },
    };
    // Stored at once, so that a repeated call does not allocate again.
    call.env.mapped.program_break = Some(state);
    let asked = call.args[0];
    let used = match (asked, state.base) {
        (Value::Pointer(object, offset), Value::Pointer(base, start)) if object == base => {
            offset.wrapping_sub(start) as u64
        }
        _ => {
            let base = call.memory.concrete(state.base)?;
            call.int(0)?.wrapping_sub(base)
        }
    };
    // brk(0) asks for the current break.
    let asks = matches!(asked, Value::Int(0));
    if used > BREAK_SIZE && !asks {
        call.differs(Difference::BreakLimit);
    }
    let used = if used <= BREAK_SIZE { used } else { state.used };
    call.env.mapped.program_break = Some(Break { used, ..state });
    Ok(SysResult::Return(call.memory.displaced(state.base, used)))
}

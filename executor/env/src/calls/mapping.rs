//! mmap and brk: memory from the system. Anonymous mappings are objects of the path's memory; a
//! private mapping of a regular file is an object with its bytes.

use crate::call::{Answer, Call, Entry, SysResult};
use crate::descriptors::Target;
use crate::environment::Break;
use crate::errno::Errno;
use crate::fidelity::Difference;
use plat_expr::Value;

/// The calls on memory.
pub static CALLS: &[Entry] = &[
    Entry {
        number: 9,
        name: "mmap",
        run: mmap,
    },
    Entry {
        number: 10,
        name: "mprotect",
        run: mprotect,
    },
    Entry {
        number: 11,
        name: "munmap",
        run: munmap,
    },
    Entry {
        number: 12,
        name: "brk",
        run: brk,
    },
    Entry {
        number: 26,
        name: "msync",
        run: nothing,
    },
    Entry {
        number: 28,
        name: "madvise",
        run: madvise,
    },
    Entry {
        number: 149,
        name: "mlock",
        run: nothing,
    },
    Entry {
        number: 150,
        name: "munlock",
        run: nothing,
    },
];

/// Bytes of a page.
const PAGE: u64 = 4096;
/// The program break moves in an object of this size.
const BREAK_SIZE: u64 = 1 << 20;

fn nothing(_: &mut Call<'_>) -> Answer {
    Ok(SysResult::number(0))
}

/// mmap(address, size, protection, flags, fd, offset).
fn mmap(call: &mut Call<'_>) -> Answer {
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
        if flags & PRIVATE == 0 {
            call.differs(Difference::MmapShared);
            return Err(Errno::ENODEV.into());
        }
        contents = Some(call.env.tree.file(id)?.contents.read(offset, rounded));
    }
    let address = call.memory.allocate(rounded)?.ok_or(Errno::ENOMEM)?;
    if !accessible(protection) {
        call.differs(Difference::MmapProtection);
    }
    if let Some(bytes) = contents.filter(|bytes| !bytes.is_empty()) {
        call.memory.write(address, &bytes)?;
    }
    Ok(SysResult::Return(address))
}

/// Whether memory of this protection can be read and written, and no more.
fn accessible(protection: u32) -> bool {
    const READ_WRITE: u32 = 3;
    protection == READ_WRITE
}

/// mprotect(address, size, protection)
fn mprotect(call: &mut Call<'_>) -> Answer {
    if !accessible(call.uint32(2)?) {
        call.differs(Difference::MprotectIgnored);
    }
    nothing(call)
}

/// madvise(address, size, advice)
fn madvise(call: &mut Call<'_>) -> Answer {
    /// `MADV_DONTNEED`, `MADV_FREE`, `MADV_REMOVE`, `MADV_WIPEONFORK`
    const DISCARDS: [i32; 4] = [4, 8, 9, 18];
    if DISCARDS.contains(&call.int32(2)?) {
        call.differs(Difference::MadviseDiscard);
    }
    nothing(call)
}

fn munmap(call: &mut Call<'_>) -> Answer {
    let size = call.int(1)?;
    if size == 0 {
        return Err(Errno::EINVAL.into());
    }
    let rounded = size.checked_next_multiple_of(PAGE).ok_or(Errno::EINVAL)?;
    call.memory.release(call.args[0], rounded)?;
    Ok(SysResult::number(0))
}

/// brk(address): moves inside one object that is made when the break is first asked for. An address
/// outside leaves it where it is.
fn brk(call: &mut Call<'_>) -> Answer {
    let state = match call.env.program_break {
        Some(state) => state,
        None => match call.memory.allocate(BREAK_SIZE)? {
            Some(base) => Break { base, used: 0 },
            None => return Ok(SysResult::number(0)),
        },
    };
    // From here on the object belongs to the environment, even if the call stops.
    call.env.program_break = Some(state);
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
    // The first call asks for where the break is.
    let asks = matches!(asked, Value::Int(0));
    if used > BREAK_SIZE && !asks {
        call.differs(Difference::BreakLimit);
    }
    let used = if used <= BREAK_SIZE { used } else { state.used };
    call.env.program_break = Some(Break { used, ..state });
    Ok(SysResult::Return(call.memory.displaced(state.base, used)))
}

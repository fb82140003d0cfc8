//! Offsets, sizes and flushing of open files.

use crate::call::{Answer, Call, SysResult, SystemCall};
use crate::contents::MAX_SIZE;
use crate::descriptors::Target;
use crate::environment::Injected;
use crate::errno::Errno;
use crate::fidelity::Difference;
use crate::metadata::S_IFREG;
use crate::symbolic_status::OUTPUT_SIZE;
use crate::tree::Follow;

/// The calls on offsets and sizes.
pub static CALLS: &[SystemCall] = &[
    SystemCall {
        number: 8,
        name: "lseek",
        run: lseek,
    },
    SystemCall {
        number: 74,
        name: "fsync",
        run: flush,
    },
    SystemCall {
        number: 75,
        name: "fdatasync",
        run: flush,
    },
    SystemCall {
        number: 76,
        name: "truncate",
        run: truncate,
    },
    SystemCall {
        number: 77,
        name: "ftruncate",
        run: ftruncate,
    },
    SystemCall {
        number: 73,
        name: "flock",
        run: check_open,
    },
    SystemCall {
        number: 162,
        name: "sync",
        run: sync,
    },
    SystemCall {
        number: 187,
        name: "readahead",
        run: check_open,
    },
    SystemCall {
        number: 221,
        name: "fadvise64",
        run: fadvise64,
    },
    SystemCall {
        number: 306,
        name: "syncfs",
        run: check_open,
    },
    SystemCall {
        number: 285,
        name: "fallocate",
        run: fallocate,
    },
];

fn lseek(call: &mut Call<'_>) -> Answer {
    let (fd, distance, whence) = (call.int32(0)?, call.int(1)? as i64, call.uint32(2)?);
    call.env.descriptors.usable(fd)?;
    if whence > 4 {
        return Err(Errno::EINVAL.into());
    }
    let regular_output = call.is_output_of_kind(fd, S_IFREG)?;
    let open = call.env.descriptors.usable(fd)?;
    let size = match open.target {
        Target::Stream(_) if regular_output => OUTPUT_SIZE.max(open.offset),
        Target::File(id) => call.env.tree.file(id)?.contents.size(),
        Target::Directory { .. } => i64::MAX as u64,
        Target::Device(..) | Target::Counter(_) => return Ok(SysResult::number(0)),
        Target::Path(_) => return Err(Errno::EBADF.into()),
        Target::Stream(_)
        | Target::Reader(_)
        | Target::Writer(_)
        | Target::Socket(_)
        | Target::Watched(_) => {
            return Err(Errno::ESPIPE.into());
        }
    };
    let inside = u64::try_from(distance).is_ok_and(|at| at < size);
    let new = match whence {
        0 => Some(distance),
        1 => (open.offset as i64).checked_add(distance),
        2 => (size as i64).checked_add(distance),
        // SEEK_DATA and SEEK_HOLE: files have no holes.
        3 if inside => Some(distance),
        4 if inside => Some(size as i64),
        3 | 4 => return Err(Errno::ENXIO.into()),
        _ => return Err(Errno::EINVAL.into()),
    };
    let new = new.filter(|&new| new >= 0).ok_or(Errno::EINVAL)? as u64;
    if regular_output && new != open.offset {
        call.differs(Difference::SeekOutput);
    }
    let open = call.env.descriptors.get_mut(fd)?;
    open.offset = new;
    if let Target::Directory { listing, .. } = &mut open.target
        && new == 0
    {
        *listing = None;
    }
    Ok(SysResult::number(new))
}

fn flush(call: &mut Call<'_>) -> Answer {
    let fd = call.int32(0)?;
    match call.env.descriptors.usable(fd)?.target {
        Target::File(_) | Target::Directory { .. } => Ok(SysResult::number(0)),
        _ => Err(Errno::EINVAL.into()),
    }
}

/// flock, readahead, syncfs: no effect, but the descriptor must be open.
fn check_open(call: &mut Call<'_>) -> Answer {
    let fd = call.int32(0)?;
    call.env.descriptors.usable(fd)?;
    Ok(SysResult::number(0))
}

fn fadvise64(call: &mut Call<'_>) -> Answer {
    let (fd, advice) = (call.int32(0)?, call.uint32(3)?);
    match call.env.descriptors.usable(fd)?.target {
        Target::Stream(_) | Target::Reader(_) | Target::Writer(_) | Target::Socket(_) => {
            Err(Errno::ESPIPE.into())
        }
        _ if advice > 5 => Err(Errno::EINVAL.into()),
        _ => Ok(SysResult::number(0)),
    }
}

fn sync(_: &mut Call<'_>) -> Answer {
    Ok(SysResult::number(0))
}

fn truncate(call: &mut Call<'_>) -> Answer {
    call.injected(Injected::Truncate)?;
    let size = call.int(1)?;
    if (size as i64) < 0 {
        return Err(Errno::EINVAL.into());
    }
    let place = call.place(0, Follow::Yes)?;
    let entry = place.existing()?;
    if entry.is_directory() {
        return Err(Errno::EISDIR.into());
    }
    if !call.env.tree.identity().may(2, entry.metadata()) {
        return Err(Errno::EACCES.into());
    }
    if size > MAX_SIZE {
        return Err(Errno::EFBIG.into());
    }
    let id = call.env.tree.adopt(call.host, &place)?;
    let now = call.env.clock.now();
    call.env.tree.file_mut(id)?.resize(size, now);
    Ok(SysResult::number(0))
}

fn ftruncate(call: &mut Call<'_>) -> Answer {
    call.injected(Injected::Truncate)?;
    let (fd, size) = (call.int32(0)?, call.int(1)?);
    if (size as i64) < 0 {
        return Err(Errno::EINVAL.into());
    }
    let open = call.env.descriptors.usable(fd)?;
    let Target::File(id) = open.target else {
        return Err(Errno::EINVAL.into());
    };
    if !open.writable() {
        return Err(Errno::EINVAL.into());
    }
    if size > MAX_SIZE {
        return Err(Errno::EFBIG.into());
    }
    let now = call.env.clock.now();
    call.env.tree.file_mut(id)?.resize(size, now);
    Ok(SysResult::number(0))
}

/// fallocate without flags: the file has at least this size.
fn fallocate(call: &mut Call<'_>) -> Answer {
    let (fd, mode) = (call.int32(0)?, call.int32(1)?);
    let (offset, size) = (call.int(2)? as i64, call.int(3)? as i64);
    if offset < 0 || size <= 0 {
        return Err(Errno::EINVAL.into());
    }
    let open = call.env.descriptors.usable(fd)?;
    if !open.writable() {
        return Err(Errno::EBADF.into());
    }
    let Target::File(id) = open.target else {
        return Err(Errno::ESPIPE.into());
    };
    if mode != 0 {
        call.differs(Difference::FallocateMode);
        return Err(Errno::EOPNOTSUPP.into());
    }
    let end = offset.checked_add(size).ok_or(Errno::EFBIG)? as u64;
    if end > MAX_SIZE {
        return Err(Errno::EFBIG.into());
    }
    if end > call.env.tree.file(id)?.contents.size() {
        let now = call.env.clock.now();
        call.env.tree.file_mut(id)?.resize(end, now);
    }
    Ok(SysResult::number(0))
}

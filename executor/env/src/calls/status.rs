//! File status: stat, access, readlink.
//!
//! All fields are concrete, also for symbolic files, except for a symbolic standard output and, under KLEE's
//! names, symbolic input.

use super::reopening::named_descriptor;
use crate::call::{AT_FDCWD, Answer, Call, Failure, SysResult, SystemCall};
use crate::descriptors::{Device, Target};
use crate::errno::Errno;
use crate::layout::{self, Layout};
use crate::metadata::{Metadata, S_IFCHR, S_IFIFO, S_IFSOCK, Time};
use crate::symbolic_status::SymbolicStatus;
use crate::tree::{self, Follow, Place};
use plat_expr::Byte;

/// The calls that ask about files.
pub static CALLS: &[SystemCall] = &[
    SystemCall {
        number: 4,
        name: "stat",
        run: stat,
    },
    SystemCall {
        number: 5,
        name: "fstat",
        run: fstat,
    },
    SystemCall {
        number: 6,
        name: "lstat",
        run: lstat,
    },
    SystemCall {
        number: 21,
        name: "access",
        run: access,
    },
    SystemCall {
        number: 89,
        name: "readlink",
        run: readlink,
    },
    SystemCall {
        number: 137,
        name: "statfs",
        run: statfs,
    },
    SystemCall {
        number: 138,
        name: "fstatfs",
        run: fstatfs,
    },
    SystemCall {
        number: 262,
        name: "newfstatat",
        run: newfstatat,
    },
    SystemCall {
        number: 267,
        name: "readlinkat",
        run: readlinkat,
    },
    SystemCall {
        number: 269,
        name: "faccessat",
        run: faccessat,
    },
    SystemCall {
        number: 332,
        name: "statx",
        run: statx,
    },
    SystemCall {
        number: 439,
        name: "faccessat2",
        run: faccessat2,
    },
];

/// `AT_SYMLINK_NOFOLLOW`
const NO_FOLLOW: u32 = 0x100;
/// `AT_EMPTY_PATH`
const EMPTY_PATH: u32 = 0x1000;

/// The status of a file.
enum Status {
    /// Concrete.
    Known(Metadata),
    /// That of a symbolic standard output or of symbolic input.
    Symbolic(SymbolicStatus),
}

/// The status of a descriptor.
fn status_of(call: &mut Call<'_>, fd: i32) -> Result<Status, Failure> {
    Ok(match call.symbolic_status(fd)? {
        Some(status) => Status::Symbolic(status),
        None => Status::Known(of_descriptor(call, fd)?),
    })
}

/// The metadata of a descriptor's file. A symbolic standard output counts as a pipe, as without
/// `--sym-stdout`.
pub(crate) fn of_descriptor(call: &mut Call<'_>, fd: i32) -> Result<Metadata, Failure> {
    let target = call.env.descriptors.get(fd)?.target.clone();
    Ok(match target {
        Target::File(id) => call.env.tree.file(id)?.metadata(),
        Target::Directory { path, opened, .. } => {
            let entry = call.env.tree.lookup(call.host, &path)?;
            entry.map_or(Metadata { links: 0, ..opened }, |entry| *entry.metadata())
        }
        Target::Path(path) => {
            let entry = call.env.tree.lookup(call.host, &path)?;
            *entry.ok_or(Errno::ENOENT)?.metadata()
        }
        Target::Stream(stream) => stream_metadata(S_IFIFO | 0o600, 0, 1 + stream as u64),
        Target::Reader(id) | Target::Writer(id) => {
            stream_metadata(S_IFIFO | 0o600, 0, 16 + u64::from(id.0))
        }
        Target::Socket(id) => stream_metadata(S_IFSOCK | 0o777, 0, (1 << 20) + u64::from(id.0)),
        Target::Watched(id) => stream_metadata(0o600, 0, (1 << 21) + u64::from(id.0)),
        Target::Counter(id) => stream_metadata(0o600, 0, (1 << 22) + u64::from(id.0)),
        Target::Device(device, path) => match call.env.tree.lookup(call.host, &path)? {
            Some(entry) => *entry.metadata(),
            None => stream_metadata(S_IFCHR | 0o666, device_number(device), 8),
        },
    })
}

fn device_number(device: Device) -> u64 {
    match device {
        Device::Null => 0x103,
        Device::Zero => 0x105,
        Device::Full => 0x107,
        Device::Random => 0x109,
    }
}

fn stream_metadata(mode: u32, special: u64, inode: u64) -> Metadata {
    let time = Time::default();
    let (uid, gid, device) = (0, 0, 0xd);
    Metadata {
        device,
        inode,
        mode,
        links: 1,
        uid,
        gid,
        special,
        size: 0,
        block_size: 4096,
        blocks: 0,
        accessed: time,
        modified: time,
        changed: time,
    }
}

fn put_stat(call: &mut Call<'_>, index: usize, status: &Status) -> Answer {
    if call.is_null(index)? {
        return Err(Errno::EFAULT.into());
    }
    match status {
        Status::Known(metadata) => call.put(index, &layout::stat(metadata))?,
        Status::Symbolic(status) => call.memory.write(call.args[index], status.stat())?,
    }
    Ok(SysResult::number(0))
}

fn of_path(call: &mut Call<'_>, follow: Follow) -> Answer {
    let status = match output_named(call, 0, follow)? {
        Some(output) => Status::Symbolic(output),
        None => {
            let place = call.place(0, follow)?;
            of_place(call, &place)?
        }
    };
    put_stat(call, 1, &status)
}

/// The status of what a path leads to.
fn of_place(call: &Call<'_>, place: &Place) -> Result<Status, Failure> {
    let entry = place.existing()?;
    let symbolic = match entry {
        tree::DirEntry::File(id, metadata) => call.env.statuses.of_file(*id, metadata),
        _ => None,
    };
    Ok(match symbolic {
        Some(status) => Status::Symbolic(status),
        None => Status::Known(*entry.metadata()),
    })
}

/// The symbolic standard output, if the path in argument `index` names it, such as `/dev/stdout`.
fn output_named(
    call: &mut Call<'_>,
    index: usize,
    follow: Follow,
) -> Result<Option<SymbolicStatus>, Failure> {
    if call.env.statuses.output.is_none() || follow != Follow::Yes {
        return Ok(None);
    }
    let text = call.text(index)?;
    let known = text.iter().map(|byte| match byte {
        Byte::Concrete(byte) => Some(*byte),
        Byte::Symbolic(_) => None,
    });
    let path: Option<Vec<u8>> = known.collect();
    let Some(fd) = path.and_then(|path| named_descriptor(&path)) else {
        return Ok(None);
    };
    Ok(call.symbolic_output(fd)?)
}

fn stat(call: &mut Call<'_>) -> Answer {
    of_path(call, Follow::Yes)
}

fn lstat(call: &mut Call<'_>) -> Answer {
    of_path(call, Follow::No)
}

fn fstat(call: &mut Call<'_>) -> Answer {
    let fd = call.int32(0)?;
    let status = status_of(call, fd)?;
    put_stat(call, 1, &status)
}

/// The status for an `*at` call: directory descriptor and path are arguments 0 and 1.
fn status_at(call: &mut Call<'_>, flags: u32) -> Result<Status, Failure> {
    if flags & EMPTY_PATH != 0 && call.is_empty(1)? {
        let fd = call.int32(0)?;
        if fd != AT_FDCWD {
            return status_of(call, fd);
        }
        let entry = call.env.tree.lookup(call.host, &call.env.directory)?;
        return Ok(Status::Known(*entry.ok_or(Errno::ENOENT)?.metadata()));
    }
    let follow = if flags & NO_FOLLOW == 0 {
        Follow::Yes
    } else {
        Follow::No
    };
    if let Some(output) = output_named(call, 1, follow)? {
        return Ok(Status::Symbolic(output));
    }
    let place = call.place_at(0, follow)?;
    of_place(call, &place)
}

fn newfstatat(call: &mut Call<'_>) -> Answer {
    let flags = call.uint32(3)?;
    let status = status_at(call, flags)?;
    put_stat(call, 2, &status)
}

fn statx(call: &mut Call<'_>) -> Answer {
    let flags = call.uint32(2)?;
    match status_at(call, flags)? {
        Status::Known(metadata) => call.put(4, &layout::statx(&metadata))?,
        Status::Symbolic(_) if call.is_null(4)? => return Err(Errno::EFAULT.into()),
        Status::Symbolic(output) => {
            let statx = output.statx(call.memory.pool());
            call.memory.write(call.args[4], &statx)?;
        }
    }
    Ok(SysResult::number(0))
}

fn may(call: &mut Call<'_>, wanted: u32, metadata: &Metadata) -> Answer {
    let allowed = call.env.tree.identity().may(wanted, metadata);
    if allowed {
        Ok(SysResult::number(0))
    } else {
        Err(Errno::EACCES.into())
    }
}

fn access(call: &mut Call<'_>) -> Answer {
    let wanted = call.uint32(1)?;
    if wanted & !7 != 0 {
        return Err(Errno::EINVAL.into());
    }
    let place = call.place(0, Follow::Yes)?;
    may(call, wanted, place.existing()?.metadata())
}

fn faccessat(call: &mut Call<'_>) -> Answer {
    access_at(call, 0)
}

fn faccessat2(call: &mut Call<'_>) -> Answer {
    let flags = call.uint32(3)?;
    access_at(call, flags)
}

fn access_at(call: &mut Call<'_>, flags: u32) -> Answer {
    /// `AT_EACCESS`: the real and the effective user are the same here.
    const EFFECTIVE: u32 = 0x200;
    let wanted = call.uint32(2)?;
    if wanted & !7 != 0 || flags & !(NO_FOLLOW | EMPTY_PATH | EFFECTIVE) != 0 {
        return Err(Errno::EINVAL.into());
    }
    match status_at(call, flags)? {
        Status::Known(metadata) => may(call, wanted, &metadata),
        // As in KLEE, nobody is asked about input.
        Status::Symbolic(_) if call.env.statuses.as_klee => Ok(SysResult::number(0)),
        // Permissions as of a pipe.
        Status::Symbolic(_) => may(call, wanted, &stream_metadata(S_IFIFO | 0o600, 0, 1)),
    }
}

fn put_target(call: &mut Call<'_>, place: &Place, first: usize) -> Answer {
    let size = call.int32(first + 1)?;
    let size = usize::try_from(size)
        .ok()
        .filter(|&size| size > 0)
        .ok_or(Errno::EINVAL)?;
    let tree::DirEntry::Symlink(target, _) = place.existing()? else {
        return Err(Errno::EINVAL.into());
    };
    let target = &target[..target.len().min(size)];
    call.put(first, target)?;
    Ok(SysResult::number(target.len() as u64))
}

fn readlink(call: &mut Call<'_>) -> Answer {
    let place = call.place(0, Follow::No)?;
    put_target(call, &place, 1)
}

fn readlinkat(call: &mut Call<'_>) -> Answer {
    let place = call.place_at(0, Follow::No)?;
    put_target(call, &place, 2)
}

/// A file system of 8 GiB, half of it free.
fn put_file_system(call: &mut Call<'_>) -> Answer {
    let fields: [u64; 11] = [
        0xef53,
        4096,
        1 << 21,
        1 << 20,
        1 << 20,
        1 << 20,
        1 << 19,
        0x99,
        255,
        4096,
        0,
    ];
    let layout = fields
        .iter()
        .fold(Layout::default(), |layout, &field| layout.u64(field));
    call.put(1, &layout.zeros_to(120).finish())?;
    Ok(SysResult::number(0))
}

fn statfs(call: &mut Call<'_>) -> Answer {
    call.place(0, Follow::Yes)?.existing()?;
    put_file_system(call)
}

fn fstatfs(call: &mut Call<'_>) -> Answer {
    let fd = call.int32(0)?;
    call.env.descriptors.get(fd)?;
    put_file_system(call)
}

//! Opening again what a descriptor refers to, by its name: `/dev/stdin`, `/dev/fd/3`.

use super::opening::open_file;
use crate::call::{Answer, Call, SysResult};
use crate::descriptors::{
    O_ACCMODE, O_CLOEXEC, O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_PATH, Target,
};
use crate::errno::Errno;
use crate::fidelity::Difference;

/// The names of the standard streams.
const STREAMS: [&[u8]; 3] = [b"/dev/stdin", b"/dev/stdout", b"/dev/stderr"];
/// The directories of open descriptors.
const DESCRIPTORS: [&[u8]; 2] = [b"/dev/fd/", b"/proc/self/fd/"];

/// The descriptor that a path like `/dev/stdin` or `/dev/fd/3` names.
pub(super) fn named_descriptor(path: &[u8]) -> Option<i32> {
    if let Some(stream) = STREAMS.iter().position(|name| *name == path) {
        return Some(stream as i32);
    }
    let number = DESCRIPTORS
        .iter()
        .find_map(|name| path.strip_prefix(*name))?;
    str::from_utf8(number).ok()?.parse().ok()
}

/// The paths that name open descriptors.
pub(super) fn names_of_descriptors(call: &Call<'_>) -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = STREAMS.map(<[u8]>::to_vec).to_vec();
    for fd in call.env.descriptors.numbers() {
        let number = fd.to_string();
        names.extend(DESCRIPTORS.map(|name| [name, number.as_bytes()].concat()));
    }
    names
}

/// Opens what a descriptor refers to, by a name like `/dev/fd/3`, which is a symbolic link.
pub(super) fn open_again(call: &mut Call<'_>, fd: i32, flags: u32) -> Answer {
    let open = call.env.descriptors.get(fd).map_err(|_| Errno::ENOENT)?;
    let target = open.target.clone();
    if flags & O_CREAT != 0 && flags & O_EXCL != 0 {
        return Err(Errno::EEXIST.into());
    }
    if flags & O_NOFOLLOW != 0 {
        return Err(Errno::ELOOP.into());
    }
    if flags & O_DIRECTORY != 0 && !matches!(target, Target::Directory { .. }) {
        return Err(Errno::ENOTDIR.into());
    }
    call.env.descriptors.free(0).next().ok_or(Errno::EMFILE)?;
    let access = flags & O_ACCMODE;
    let target = match target {
        Target::File(id) => {
            let metadata = call.env.tree.file(id)?.metadata();
            open_file(call, id, &metadata, flags)?;
            target
        }
        Target::Directory { .. } if access != 0 || flags & O_CREAT != 0 => {
            return Err(Errno::EISDIR.into());
        }
        Target::Directory { path, opened, .. } => Target::Directory {
            path,
            listing: None,
            opened,
        },
        // A pipe whose reader is not the program, and of which it has one end.
        Target::Stream(_) if access != 1 && flags & O_PATH == 0 => {
            call.differs(Difference::OpenOutput);
            return Err(Errno::EACCES.into());
        }
        // With symbolic output it may be a file, of which there is one position.
        Target::Stream(_) => {
            let closes = flags & O_CLOEXEC != 0;
            let new = call.env.descriptors.duplicate(fd, 0, closes)?;
            return Ok(SysResult::number(new.into()));
        }
        Target::Reader(id) | Target::Writer(id) if access == 0 => Target::Reader(id),
        Target::Reader(id) | Target::Writer(id) if access == 1 => Target::Writer(id),
        Target::Reader(_) | Target::Writer(_) => {
            call.differs(Difference::OpenDevice);
            return Err(Errno::EACCES.into());
        }
        Target::Device(..) | Target::Path(_) => target,
        Target::Socket(_) | Target::Watched(_) | Target::Counter(_) => {
            return Err(Errno::ENXIO.into());
        }
    };
    let new = call.env.descriptors.open(target, flags)?;
    Ok(SysResult::number(new.into()))
}

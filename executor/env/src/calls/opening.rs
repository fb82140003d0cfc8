//! Opening and closing files; descriptors.

use super::reopening;
use crate::call::{Answer, Call, Failure, SysResult, SystemCall};
use crate::contents::Contents;
use crate::descriptors::{
    Device, O_ACCMODE, O_APPEND, O_CLOEXEC, O_CREAT, O_DIRECT, O_DIRECTORY, O_EXCL, O_LARGEFILE,
    O_NOFOLLOW, O_NONBLOCK, O_PATH, O_TMPFILE, O_TRUNC, PIPE_CAPACITY, Target,
};
use crate::environment::Injected;
use crate::errno::Errno;
use crate::fidelity::Difference;
use crate::layout::Layout;
use crate::metadata::{FileKind, Identity, Metadata, S_IFCHR};
use crate::symbolic_path::{self, Absent};
use crate::symbolic_status::SymbolicStatus;
use crate::tree::{self, FileId, Follow, Place};
use plat_expr::Byte;
use std::sync::Arc;

/// The calls on descriptors.
pub static CALLS: &[SystemCall] = &[
    SystemCall {
        number: 2,
        name: "open",
        run: open,
    },
    SystemCall {
        number: 3,
        name: "close",
        run: close,
    },
    SystemCall {
        number: 16,
        name: "ioctl",
        run: ioctl,
    },
    SystemCall {
        number: 22,
        name: "pipe",
        run: pipe,
    },
    SystemCall {
        number: 32,
        name: "dup",
        run: dup,
    },
    SystemCall {
        number: 33,
        name: "dup2",
        run: dup2,
    },
    SystemCall {
        number: 72,
        name: "fcntl",
        run: fcntl,
    },
    SystemCall {
        number: 85,
        name: "creat",
        run: creat,
    },
    SystemCall {
        number: 257,
        name: "openat",
        run: openat,
    },
    SystemCall {
        number: 292,
        name: "dup3",
        run: dup3,
    },
    SystemCall {
        number: 293,
        name: "pipe2",
        run: pipe2,
    },
    SystemCall {
        number: 436,
        name: "close_range",
        run: close_range,
    },
];

fn open(call: &mut Call<'_>) -> Answer {
    let text = call.text(0)?;
    let (flags, mode) = (call.uint32(1)?, call.uint32(2)?);
    let start = call.env.directory.clone();
    open_path(call, &start, &text, flags, mode)
}

fn openat(call: &mut Call<'_>) -> Answer {
    let text = call.text(1)?;
    let (flags, mode) = (call.uint32(2)?, call.uint32(3)?);
    let start = call.base(0, &text)?;
    open_path(call, &start, &text, flags, mode)
}

fn creat(call: &mut Call<'_>) -> Answer {
    let text = call.text(0)?;
    let mode = call.uint32(1)?;
    let start = call.env.directory.clone();
    open_path(call, &start, &text, O_CREAT | O_TRUNC | 1, mode)
}

/// The flags that have an effect.
fn effective(flags: u32) -> u32 {
    if flags & O_PATH != 0 {
        flags & (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    } else {
        flags | O_LARGEFILE
    }
}

fn open_path(call: &mut Call<'_>, start: &[u8], text: &[Byte], flags: u32, mode: u32) -> Answer {
    let names = reopening::names_of_descriptors(call);
    let path = symbolic_path::one_of(call.memory, text, &names)?;
    if let Some(fd) = path.and_then(|path| reopening::named_descriptor(&path)) {
        return reopening::open_again(call, fd, effective(flags));
    }
    let flags = effective(flags);
    if flags & (O_CREAT | O_DIRECTORY) == O_CREAT | O_DIRECTORY {
        return Err(Errno::EINVAL.into());
    }
    if flags & O_TMPFILE != 0 {
        call.differs(Difference::OpenTemporary);
        return Err(Errno::EOPNOTSUPP.into());
    }
    let new_only = flags & O_CREAT != 0 && flags & O_EXCL != 0;
    let follow = match (flags & O_CREAT, flags & O_NOFOLLOW) {
        (0, 0) => Follow::Yes,
        (0, _) => Follow::No,
        (_, 0) if !new_only => Follow::Create,
        _ => Follow::CreateHere,
    };
    let absent = match flags & O_CREAT {
        0 => Absent::Fails,
        _ => Absent::Made,
    };
    let path = symbolic_path::concretise(call, text, start, follow, absent)?;
    let place = call.env.tree.walk(call.host, start, &path, follow)?;
    // Fail before anything is created or truncated.
    call.env.descriptors.free(0).next().ok_or(Errno::EMFILE)?;
    let target = match &place.entry {
        None => create(call, &place, flags, mode)?,
        Some(_) if new_only => return Err(Errno::EEXIST.into()),
        Some(_) => open_existing(call, &place, flags)?,
    };
    Ok(SysResult::number(
        call.env.descriptors.open(target, flags)?.into(),
    ))
}

fn create(call: &mut Call<'_>, place: &Place, flags: u32, mode: u32) -> Result<Target, Failure> {
    if flags & O_CREAT == 0 {
        return Err(Errno::ENOENT.into());
    }
    if place.must_be_directory {
        return Err(Errno::EISDIR.into());
    }
    let permissions = mode & 0o7777 & !call.env.permits.umask;
    let now = call.env.clock.now();
    let (tree, host) = (&mut call.env.tree, &mut *call.host);
    Ok(Target::File(tree.create(
        host,
        place,
        Contents::default(),
        permissions,
        now,
    )?))
}

fn open_existing(call: &mut Call<'_>, place: &Place, flags: u32) -> Result<Target, Failure> {
    let entry = place.existing()?;
    if flags & O_DIRECTORY != 0 && !entry.is_directory() {
        return Err(Errno::ENOTDIR.into());
    }
    let path = || Arc::from(&place.path[..]);
    let writes = flags & O_ACCMODE != 0 || flags & O_TRUNC != 0;
    let allowed = |metadata: &Metadata| permitted(call.env.tree.identity(), metadata, flags);
    match entry {
        tree::DirEntry::Directory(metadata) => {
            if writes || flags & O_CREAT != 0 {
                return Err(Errno::EISDIR.into());
            }
            allowed(metadata)?;
            if flags & O_DIRECT != 0 {
                return Err(Errno::EINVAL.into());
            }
            Ok(Target::Directory {
                path: path(),
                listing: None,
                opened: *metadata,
            })
        }
        tree::DirEntry::Symlink(..) if flags & O_PATH == 0 => Err(Errno::ELOOP.into()),
        tree::DirEntry::Symlink(..) | tree::DirEntry::Special(_) if flags & O_PATH != 0 => {
            Ok(Target::Path(path()))
        }
        tree::DirEntry::Special(metadata) => {
            allowed(metadata)?;
            let device = device(metadata);
            if device == Err(Errno::EACCES) {
                call.differs(Difference::OpenDevice);
            }
            Ok(Target::Device(device?, path()))
        }
        tree::DirEntry::File(..) | tree::DirEntry::HostFile(_) => {
            let metadata = *entry.metadata();
            if !matches!(entry, tree::DirEntry::File(..)) {
                allowed(&metadata)?;
            }
            let id = call.env.tree.adopt(call.host, place)?;
            open_file(call, id, &metadata, flags)?;
            Ok(Target::File(id))
        }
        tree::DirEntry::Symlink(..) => Err(Errno::ELOOP.into()),
    }
}

/// Whether the program may open a file of this status.
fn permitted(identity: Identity, metadata: &Metadata, flags: u32) -> Result<(), Errno> {
    let wanted = match flags & O_ACCMODE {
        0 => 4,
        1 => 2,
        _ => 6,
    } | if flags & O_TRUNC != 0 { 2 } else { 0 };
    match flags & O_PATH != 0 || identity.may(wanted, metadata) {
        true => Ok(()),
        false => Err(Errno::EACCES),
    }
}

/// A regular file is opened, if the program may do that.
pub(super) fn open_file(
    call: &mut Call<'_>,
    id: FileId,
    metadata: &Metadata,
    flags: u32,
) -> Result<(), Failure> {
    match call.env.statuses.of_file(id, metadata) {
        Some(status) if flags & O_PATH == 0 => may_open(call, &status, flags)?,
        _ => permitted(call.env.tree.identity(), metadata, flags)?,
    }
    if flags & O_TRUNC != 0 {
        let now = call.env.clock.now();
        call.env.tree.file_mut(id)?.resize(0, now);
    }
    Ok(())
}

/// Whether a file of symbolic status may be opened on this path. As in KLEE, permission to read is asked for
/// only together with that to write.
fn may_open(call: &mut Call<'_>, status: &SymbolicStatus, flags: u32) -> Result<(), Failure> {
    let wanted = match flags & O_ACCMODE {
        0 => return Ok(()),
        1 => 2,
        _ => 6,
    };
    let condition = status.may(call.memory.pool(), wanted);
    match call.memory.decide(condition)? {
        true => Ok(()),
        false => Err(Errno::EACCES.into()),
    }
}

/// The devices that programs may open; all others, also terminals, are refused.
fn device(metadata: &Metadata) -> Result<Device, Errno> {
    match metadata.kind() {
        FileKind::Device(0x103) => Ok(Device::Null),
        FileKind::Device(0x105) => Ok(Device::Zero),
        FileKind::Device(0x107) => Ok(Device::Full),
        FileKind::Device(0x108 | 0x109) => Ok(Device::Random),
        FileKind::Device(0x500) => Err(Errno::ENXIO),
        _ => Err(Errno::EACCES),
    }
}

fn close(call: &mut Call<'_>) -> Answer {
    let fd = call.int32(0)?;
    call.injected(Injected::Close)?;
    call.env.descriptors.close(fd)?;
    Ok(SysResult::number(0))
}

fn close_range(call: &mut Call<'_>) -> Answer {
    let (first, last, flags) = (call.uint32(0)?, call.uint32(1)?, call.uint32(2)?);
    if first > last || flags & !4 != 0 {
        return Err(Errno::EINVAL.into());
    }
    for fd in first..=last.min(crate::environment::MAX_DESCRIPTORS as u32) {
        // Descriptors that are not open are skipped.
        let _ = match flags {
            0 => call.env.descriptors.close(fd as i32).map(|_| ()),
            _ => call.env.descriptors.set_close_on_exec(fd as i32, true),
        };
    }
    Ok(SysResult::number(0))
}

fn dup(call: &mut Call<'_>) -> Answer {
    let fd = call.int32(0)?;
    Ok(SysResult::number(
        call.env.descriptors.duplicate(fd, 0, false)?.into(),
    ))
}

fn dup2(call: &mut Call<'_>) -> Answer {
    let (fd, new) = (call.int32(0)?, call.int32(1)?);
    Ok(SysResult::number(
        call.env.descriptors.duplicate_to(fd, new, false)?.into(),
    ))
}

fn dup3(call: &mut Call<'_>) -> Answer {
    let (fd, new, flags) = (call.int32(0)?, call.int32(1)?, call.uint32(2)?);
    if flags & !O_CLOEXEC != 0 || fd == new {
        return Err(Errno::EINVAL.into());
    }
    let close_on_exec = flags & O_CLOEXEC != 0;
    Ok(SysResult::number(
        call.env
            .descriptors
            .duplicate_to(fd, new, close_on_exec)?
            .into(),
    ))
}

fn pipe(call: &mut Call<'_>) -> Answer {
    make_pipe(call, 0)
}

fn pipe2(call: &mut Call<'_>) -> Answer {
    let flags = call.uint32(1)?;
    if flags & !(O_CLOEXEC | O_NONBLOCK) != 0 {
        return Err(Errno::EINVAL.into());
    }
    make_pipe(call, flags)
}

fn make_pipe(call: &mut Call<'_>, flags: u32) -> Answer {
    let mut free = call.env.descriptors.free(0);
    let (Some(reader), Some(writer)) = (free.next(), free.next()) else {
        return Err(Errno::EMFILE.into());
    };
    drop(free);
    call.put(0, &[reader.to_le_bytes(), writer.to_le_bytes()].concat())?;
    let descriptors = &mut call.env.descriptors;
    let id = descriptors.new_pipe();
    descriptors.open(Target::Reader(id), flags)?;
    descriptors.open(Target::Writer(id), flags | 1)?;
    Ok(SysResult::number(0))
}

fn fcntl(call: &mut Call<'_>) -> Answer {
    /// Status flags that F_SETFL changes.
    const SETTABLE: u32 = O_APPEND | O_NONBLOCK;
    let (fd, command) = (call.int32(0)?, call.int32(1)?);
    let descriptors = &call.env.descriptors;
    let open = descriptors.get(fd)?;
    if open.flags & O_PATH != 0 && !matches!(command, 0..=3 | 1030) {
        return Err(Errno::EBADF.into());
    }
    let (flags, is_pipe) = (
        open.flags,
        matches!(open.target, Target::Reader(_) | Target::Writer(_)),
    );
    let result = match command {
        // F_DUPFD, F_DUPFD_CLOEXEC
        0 | 1030 => {
            let from = call.int(2)?;
            if from >= crate::environment::MAX_DESCRIPTORS {
                return Err(Errno::EINVAL.into());
            }
            call.env
                .descriptors
                .duplicate(fd, from as u32, command == 1030)?
                .into()
        }
        // F_GETFD, F_SETFD
        1 => descriptors.close_on_exec(fd)?.into(),
        2 => {
            let on = call.int(2)? & 1 == 1;
            call.env.descriptors.set_close_on_exec(fd, on)?;
            0
        }
        // F_GETFL, F_SETFL
        3 => flags.into(),
        4 => {
            let new = call.uint32(2)?;
            call.env.descriptors.get_mut(fd)?.flags = flags & !SETTABLE | new & SETTABLE;
            0
        }
        // F_GETLK, F_OFD_GETLK: nobody else holds a lock (F_UNLCK is 2).
        5 | 36 => {
            call.put(2, &2u16.to_le_bytes())?;
            0
        }
        // F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW
        6 | 7 | 37 | 38 => 0,
        // F_SETPIPE_SZ, F_GETPIPE_SZ
        1031 | 1032 if is_pipe => PIPE_CAPACITY as u64,
        1031 | 1032 => return Err(Errno::EBADF.into()),
        _ => {
            call.differs(Difference::FcntlCommand);
            return Err(Errno::EINVAL.into());
        }
    };
    Ok(SysResult::number(result))
}

fn ioctl(call: &mut Call<'_>) -> Answer {
    let (fd, request) = (call.int32(0)?, call.uint32(1)?);
    let open = call.env.descriptors.usable(fd)?;
    match request {
        // FIOCLEX, FIONCLEX
        0x5451 | 0x5450 => {
            call.env
                .descriptors
                .set_close_on_exec(fd, request == 0x5451)?;
            Ok(SysResult::number(0))
        }
        // FIONBIO
        0x5421 => {
            let on = call.get(call.args[2], 4)? != [0; 4];
            let open = call.env.descriptors.get_mut(fd)?;
            open.flags = open.flags & !O_NONBLOCK | if on { O_NONBLOCK } else { 0 };
            Ok(SysResult::number(0))
        }
        // FIONREAD
        0x541b => {
            let count = match open.target {
                Target::File(id) => {
                    let size = call.env.tree.file(id)?.contents.size();
                    size.wrapping_sub(open.offset) as i32
                }
                Target::Reader(id) | Target::Writer(id) => call
                    .env
                    .descriptors
                    .pipe(id)
                    .map_or(0, |pipe| pipe.bytes.len() as i32),
                Target::Socket(id) => {
                    let socket = call.env.descriptors.socket(id);
                    socket.map_or(0, |socket| match socket.messages.front() {
                        Some(message) => message.bytes.len() as i32,
                        None => socket.input.len() as i32,
                    })
                }
                Target::Stream(_) => 0,
                _ => return Err(Errno::ENOTTY.into()),
            };
            call.put(2, &count.to_le_bytes())?;
            Ok(SysResult::number(0))
        }
        // FICLONE
        0x4004_9409 => Err(Errno::EOPNOTSUPP.into()),
        // TCGETS, TCSETS, TCSETSW, TCSETSF, TIOCGWINSZ
        0x5401..=0x5404 | 0x5413 if call.is_of_kind(fd, S_IFCHR)? => terminal(call, request),
        // Other requests, for terminals and for anything else.
        0x5400..=0x54ff => Err(Errno::ENOTTY.into()),
        _ => {
            call.differs(Difference::IoctlRequest);
            Err(Errno::ENOTTY.into())
        }
    }
}

/// A request to a symbolic standard output, or symbolic input, that is a character device: a terminal, as in KLEE, with
/// the settings that it has there.
fn terminal(call: &mut Call<'_>, request: u32) -> Answer {
    match request {
        // TCGETS
        0x5401 => {
            let characters = [
                3, 0x1c, 0x7f, 0x15, 4, 0, 1, 0, 0x11, 0x13, 0x1a, 0xff, 0x12, 0x0f, 0x17, 0x16,
                0xff,
            ];
            let flags = [27906, 5, 1215, 35287].into_iter();
            let settings = flags.fold(Layout::default(), Layout::u32);
            let settings = settings.raw(&[0]).raw(&characters).zeros_to(36);
            call.put(2, &settings.finish())?;
        }
        // TIOCGWINSZ
        0x5413 => {
            let size = [24, 80, 0, 0].into_iter();
            call.put(2, &size.fold(Layout::default(), Layout::u16).finish())?;
        }
        // Settings have no effect that a program sees.
        _ => {}
    }
    Ok(SysResult::number(0))
}

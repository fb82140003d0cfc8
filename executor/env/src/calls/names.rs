//! Creating, removing and renaming files and directories; permissions and times. All changes stay
//! in the file tree of the path.

use crate::call::{Answer, Call, Failure, SysResult, SystemCall};
use crate::descriptors::Target;
use crate::errno::Errno;
use crate::fidelity::Difference;
use crate::metadata::{Metadata, Time};
use crate::tree::{Dots, Follow, Place, join};
use std::sync::Arc;

/// The calls that change the file tree.
pub static CALLS: &[SystemCall] = &[
    SystemCall {
        number: 82,
        name: "rename",
        run: rename,
    },
    SystemCall {
        number: 83,
        name: "mkdir",
        run: mkdir,
    },
    SystemCall {
        number: 84,
        name: "rmdir",
        run: rmdir,
    },
    SystemCall {
        number: 86,
        name: "link",
        run: link,
    },
    SystemCall {
        number: 87,
        name: "unlink",
        run: unlink,
    },
    SystemCall {
        number: 88,
        name: "symlink",
        run: symlink,
    },
    SystemCall {
        number: 90,
        name: "chmod",
        run: chmod,
    },
    SystemCall {
        number: 91,
        name: "fchmod",
        run: fchmod,
    },
    SystemCall {
        number: 92,
        name: "chown",
        run: chown,
    },
    SystemCall {
        number: 93,
        name: "fchown",
        run: fchown,
    },
    SystemCall {
        number: 94,
        name: "lchown",
        run: lchown,
    },
    SystemCall {
        number: 235,
        name: "utimes",
        run: utimes,
    },
    SystemCall {
        number: 258,
        name: "mkdirat",
        run: mkdirat,
    },
    SystemCall {
        number: 260,
        name: "fchownat",
        run: fchownat,
    },
    SystemCall {
        number: 263,
        name: "unlinkat",
        run: unlinkat,
    },
    SystemCall {
        number: 264,
        name: "renameat",
        run: renameat,
    },
    SystemCall {
        number: 265,
        name: "linkat",
        run: linkat,
    },
    SystemCall {
        number: 266,
        name: "symlinkat",
        run: symlinkat,
    },
    SystemCall {
        number: 268,
        name: "fchmodat",
        run: fchmodat,
    },
    SystemCall {
        number: 280,
        name: "utimensat",
        run: utimensat,
    },
    SystemCall {
        number: 316,
        name: "renameat2",
        run: renameat2,
    },
];

const DONE: Answer = Ok(SysResult::Return(plat_expr::Value::Int(0)));

fn mkdir(call: &mut Call<'_>) -> Answer {
    let (place, mode) = (call.new_place(0)?, call.uint32(1)?);
    make_directory(call, &place, mode)
}

fn mkdirat(call: &mut Call<'_>) -> Answer {
    let (place, mode) = (call.new_place_at(0)?, call.uint32(2)?);
    make_directory(call, &place, mode)
}

fn make_directory(call: &mut Call<'_>, place: &Place, mode: u32) -> Answer {
    let permissions = mode & 0o1777 & !call.env.permits.umask;
    let now = call.env.clock.now();
    call.env
        .tree
        .make_directory(call.host, place, permissions, now)?;
    DONE
}

fn rmdir(call: &mut Call<'_>) -> Answer {
    let place = call.place(0, Follow::Name)?;
    remove_directory(call, &place)
}

fn remove_directory(call: &mut Call<'_>, place: &Place) -> Answer {
    match place.dots {
        Some(Dots::Root) => return Err(Errno::EBUSY.into()),
        Some(Dots::Dot) => return Err(Errno::EINVAL.into()),
        Some(Dots::DotDot) => return Err(Errno::ENOTEMPTY.into()),
        None => {}
    }
    call.env.tree.remove_directory(call.host, place)?;
    for open in call.env.descriptors.open_files_mut() {
        if let Target::Directory { path, opened, .. } = &mut open.target
            && **path == *place.path
        {
            *opened = *place.existing()?.metadata();
        }
    }
    DONE
}

fn unlink(call: &mut Call<'_>) -> Answer {
    let place = call.place(0, Follow::Name)?;
    remove_name(call, &place)
}

fn unlinkat(call: &mut Call<'_>) -> Answer {
    /// `AT_REMOVEDIR`
    const DIRECTORY: u32 = 0x200;
    let flags = call.uint32(2)?;
    if flags & !DIRECTORY != 0 {
        return Err(Errno::EINVAL.into());
    }
    let place = call.place_at(0, Follow::Name)?;
    if flags == DIRECTORY {
        remove_directory(call, &place)
    } else {
        remove_name(call, &place)
    }
}

fn remove_name(call: &mut Call<'_>, place: &Place) -> Answer {
    if place.dots.is_some() {
        return Err(Errno::EISDIR.into());
    }
    call.env.tree.unlink(call.host, place)?;
    DONE
}

fn rename(call: &mut Call<'_>) -> Answer {
    let (old, new) = (call.place(0, Follow::Name)?, call.new_place(1)?);
    move_name(call, &old, &new, 0)
}

fn renameat(call: &mut Call<'_>) -> Answer {
    let (old, new) = (call.place_at(0, Follow::Name)?, call.new_place_at(2)?);
    move_name(call, &old, &new, 0)
}

fn renameat2(call: &mut Call<'_>) -> Answer {
    let (old, new) = (call.place_at(0, Follow::Name)?, call.new_place_at(2)?);
    let flags = call.uint32(4)?;
    move_name(call, &old, &new, flags)
}

fn move_name(call: &mut Call<'_>, old: &Place, new: &Place, flags: u32) -> Answer {
    /// `RENAME_NOREPLACE`
    const KEEP: u32 = 1;
    if flags & !KEEP != 0 {
        call.differs(Difference::RenameFlags);
        return Err(Errno::EINVAL.into());
    }
    if old.dots.is_some() || new.dots.is_some() {
        return Err(Errno::EBUSY.into());
    }
    old.existing()?;
    if flags & KEEP != 0 && new.entry.is_some() {
        return Err(Errno::EEXIST.into());
    }
    let moved = call.env.tree.rename(call.host, old, new)?;
    if moved && old.existing()?.is_directory() {
        follow_directory(call, &old.path, &new.path);
    }
    DONE
}

/// After a directory is renamed: updates the working directory and open directories.
fn follow_directory(call: &mut Call<'_>, old: &[u8], new: &[u8]) {
    let below = join(old, b"");
    let moved = |path: &Arc<[u8]>| -> Option<Arc<[u8]>> {
        let inside = **path == *old || path.starts_with(&below);
        inside.then(|| [new, &path[old.len()..]].concat().into())
    };
    if let Some(directory) = moved(&call.env.directory) {
        call.env.directory = directory;
    }
    for open in call.env.descriptors.open_files_mut() {
        if let Target::Directory { path, .. } | Target::Path(path) = &mut open.target
            && let Some(new) = moved(path)
        {
            *path = new;
        }
    }
}

fn link(call: &mut Call<'_>) -> Answer {
    let old = call.place(0, Follow::No)?;
    old.existing()?;
    let new = call.new_place(1)?;
    add_link(call, &old, &new)
}

fn linkat(call: &mut Call<'_>) -> Answer {
    /// `AT_SYMLINK_FOLLOW`
    const FOLLOW: u32 = 0x400;
    let flags = call.uint32(4)?;
    if flags & !FOLLOW != 0 {
        return Err(Errno::EINVAL.into());
    }
    let old = call.place_at(
        0,
        if flags == FOLLOW {
            Follow::Yes
        } else {
            Follow::No
        },
    )?;
    old.existing()?;
    let new = call.new_place_at(2)?;
    add_link(call, &old, &new)
}

fn add_link(call: &mut Call<'_>, old: &Place, new: &Place) -> Answer {
    call.env.tree.link(call.host, old, new)?;
    DONE
}

fn link_target(call: &mut Call<'_>) -> Result<Vec<u8>, Failure> {
    let target = call.kept_text(0)?;
    if target.is_empty() {
        Err(Errno::ENOENT.into())
    } else {
        Ok(target)
    }
}

fn symlink(call: &mut Call<'_>) -> Answer {
    let target = link_target(call)?;
    let place = call.new_place(1)?;
    make_symlink(call, &place, &target)
}

fn symlinkat(call: &mut Call<'_>) -> Answer {
    let target = link_target(call)?;
    let place = call.new_place_at(1)?;
    make_symlink(call, &place, &target)
}

fn make_symlink(call: &mut Call<'_>, place: &Place, target: &[u8]) -> Answer {
    let now = call.env.clock.now();
    call.env.tree.make_symlink(call.host, place, target, now)?;
    DONE
}

/// Whether links are followed, by `AT_SYMLINK_NOFOLLOW`.
fn followed(flags: u32) -> Follow {
    if flags & 0x100 == 0 {
        Follow::Yes
    } else {
        Follow::No
    }
}

/// Change the metadata of the open file of a descriptor.
fn change_open(call: &mut Call<'_>, fd: i32, change: impl FnOnce(&mut Metadata)) -> Answer {
    match call.env.descriptors.get(fd)?.target.clone() {
        Target::File(id) => call.env.tree.change_file_metadata(id, change)?,
        Target::Directory { path, .. } => {
            let place = call.env.tree.walk(call.host, b"/", &path, Follow::No)?;
            call.env.tree.change_metadata(call.host, &place, change)?;
        }
        Target::Path(_) => return Err(Errno::EBADF.into()),
        Target::Stream(_)
        | Target::Reader(_)
        | Target::Writer(_)
        | Target::Socket(_)
        | Target::Watched(_)
        | Target::Counter(_)
        | Target::Device(..) => {}
    }
    DONE
}

/// Only the owner may change permissions and times.
fn check_owner(call: &Call<'_>, metadata: &Metadata) -> Result<(), Errno> {
    let uid = call.env.tree.identity().uid;
    if uid == 0 || uid == metadata.uid {
        Ok(())
    } else {
        Err(Errno::EPERM)
    }
}

fn set_mode(call: &mut Call<'_>, place: &Place, mode: u32) -> Answer {
    check_owner(call, place.existing()?.metadata())?;
    call.env.tree.change_metadata(call.host, place, |m| {
        m.mode = m.mode & !0o7777 | mode & 0o7777
    })?;
    DONE
}

fn chmod(call: &mut Call<'_>) -> Answer {
    let (place, mode) = (call.place(0, Follow::Yes)?, call.uint32(1)?);
    set_mode(call, &place, mode)
}

fn fchmodat(call: &mut Call<'_>) -> Answer {
    let (place, mode) = (call.place_at(0, Follow::Yes)?, call.uint32(2)?);
    set_mode(call, &place, mode)
}

fn fchmod(call: &mut Call<'_>) -> Answer {
    let (fd, mode) = (call.int32(0)?, call.uint32(1)?);
    let metadata = super::status::of_descriptor(call, fd)?;
    check_owner(call, &metadata)?;
    change_open(call, fd, |m| m.mode = m.mode & !0o7777 | mode & 0o7777)
}

/// Whether the owner may be changed to these ids; -1 keeps an id.
fn check_new_owner(call: &Call<'_>, metadata: &Metadata, uid: u32, gid: u32) -> Result<(), Errno> {
    let me = call.env.tree.identity();
    let keeps = (uid == u32::MAX || uid == metadata.uid)
        && (gid == u32::MAX || gid == metadata.gid || gid == me.gid)
        && metadata.uid == me.uid;
    if me.uid == 0 || keeps {
        Ok(())
    } else {
        Err(Errno::EPERM)
    }
}

fn set_owner(metadata: &mut Metadata, uid: u32, gid: u32) {
    if uid != u32::MAX {
        metadata.uid = uid;
    }
    if gid != u32::MAX {
        metadata.gid = gid;
    }
}

fn change_owner(call: &mut Call<'_>, place: &Place, uid: u32, gid: u32) -> Answer {
    check_new_owner(call, place.existing()?.metadata(), uid, gid)?;
    call.env
        .tree
        .change_metadata(call.host, place, |m| set_owner(m, uid, gid))?;
    DONE
}

fn chown(call: &mut Call<'_>) -> Answer {
    let (place, uid, gid) = (
        call.place(0, Follow::Yes)?,
        call.uint32(1)?,
        call.uint32(2)?,
    );
    change_owner(call, &place, uid, gid)
}

fn lchown(call: &mut Call<'_>) -> Answer {
    let (place, uid, gid) = (call.place(0, Follow::No)?, call.uint32(1)?, call.uint32(2)?);
    change_owner(call, &place, uid, gid)
}

fn fchownat(call: &mut Call<'_>) -> Answer {
    let (uid, gid, flags) = (call.uint32(2)?, call.uint32(3)?, call.uint32(4)?);
    let place = call.place_at(0, followed(flags))?;
    change_owner(call, &place, uid, gid)
}

fn fchown(call: &mut Call<'_>) -> Answer {
    let (fd, uid, gid) = (call.int32(0)?, call.uint32(1)?, call.uint32(2)?);
    let metadata = super::status::of_descriptor(call, fd)?;
    check_new_owner(call, &metadata, uid, gid)?;
    change_open(call, fd, |m| set_owner(m, uid, gid))
}

/// utimes(path, two struct timeval or null).
fn utimes(call: &mut Call<'_>) -> Answer {
    let place = call.place(0, Follow::Yes)?;
    let now = call.env.clock.now();
    let mut times = [now; 2];
    if !call.is_null(1)? {
        for (index, time) in times.iter_mut().enumerate() {
            let at = 16 * index as u64;
            let seconds = call.get_u64(1, at)? as i64;
            let micros = call.get_u64(1, at + 8)? as i64;
            if !(0..1_000_000).contains(&micros) {
                return Err(Errno::EINVAL.into());
            }
            *time = Time {
                seconds,
                nanos: micros * 1000,
            };
        }
    }
    check_owner(call, place.existing()?.metadata())?;
    let [accessed, modified] = times;
    call.env.tree.change_metadata(call.host, &place, |m| {
        (m.accessed, m.modified, m.changed) = (accessed, modified, now);
    })?;
    DONE
}

/// utimensat(fd, path or null, two struct timespec or null, flags).
fn utimensat(call: &mut Call<'_>) -> Answer {
    /// `UTIME_NOW`, `UTIME_OMIT`
    const NOW: i64 = 0x3fff_ffff;
    const OMIT: i64 = 0x3fff_fffe;
    let now = call.env.clock.now();
    let mut times = [Some(now); 2];
    if !call.is_null(2)? {
        for (index, time) in times.iter_mut().enumerate() {
            let at = 16 * index as u64;
            let seconds = call.get_u64(2, at)? as i64;
            *time = match call.get_u64(2, at + 8)? as i64 {
                NOW => Some(now),
                OMIT => None,
                nanos @ 0..1_000_000_000 => Some(Time { seconds, nanos }),
                _ => return Err(Errno::EINVAL.into()),
            };
        }
    }
    let [accessed, modified] = times;
    let change = |m: &mut Metadata| {
        m.accessed = accessed.unwrap_or(m.accessed);
        m.modified = modified.unwrap_or(m.modified);
        m.changed = now;
    };
    if call.is_null(1)? {
        let fd = call.int32(0)?;
        let metadata = super::status::of_descriptor(call, fd)?;
        check_owner(call, &metadata)?;
        return change_open(call, fd, change);
    }
    let flags = call.uint32(3)?;
    let place = call.place_at(0, followed(flags))?;
    check_owner(call, place.existing()?.metadata())?;
    call.env.tree.change_metadata(call.host, &place, change)?;
    DONE
}

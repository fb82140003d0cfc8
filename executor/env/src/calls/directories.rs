//! Directories: reading them, and the working directory.

use crate::call::{Answer, Call, SysResult, SystemCall};
use crate::descriptors::Target;
use crate::environment::Injected;
use crate::errno::Errno;
use crate::layout;
use crate::tree::{Follow, Place};

/// The calls on directories.
pub static CALLS: &[SystemCall] = &[
    SystemCall {
        number: 79,
        name: "getcwd",
        run: getcwd,
    },
    SystemCall {
        number: 80,
        name: "chdir",
        run: chdir,
    },
    SystemCall {
        number: 81,
        name: "fchdir",
        run: fchdir,
    },
    SystemCall {
        number: 217,
        name: "getdents64",
        run: getdents64,
    },
];

fn getcwd(call: &mut Call<'_>) -> Answer {
    call.injected(Injected::Getcwd)?;
    let size = call.int(1)?;
    let directory = call.env.directory.clone();
    call.env
        .tree
        .lookup(call.host, &directory)?
        .ok_or(Errno::ENOENT)?;
    let path = [&directory, &b"\0"[..]].concat();
    if path.len() as u64 > size {
        return Err(Errno::ERANGE.into());
    }
    call.put(0, &path)?;
    Ok(SysResult::number(path.len() as u64))
}

fn enter(call: &mut Call<'_>, place: &Place) -> Answer {
    let entry = place.existing()?;
    if !entry.is_directory() {
        return Err(Errno::ENOTDIR.into());
    }
    if !call.env.tree.identity().may(1, entry.metadata()) {
        return Err(Errno::EACCES.into());
    }
    call.env.directory = place.path.clone().into();
    Ok(SysResult::number(0))
}

fn chdir(call: &mut Call<'_>) -> Answer {
    let place = call.place(0, Follow::Yes)?;
    enter(call, &place)
}

fn fchdir(call: &mut Call<'_>) -> Answer {
    let fd = call.int32(0)?;
    let path = call.directory_of(fd)?;
    let place = call.env.tree.walk(call.host, b"/", &path, Follow::Yes)?;
    enter(call, &place)
}

/// getdents64(fd, buffer, size). The offset of an open directory counts names.
fn getdents64(call: &mut Call<'_>) -> Answer {
    let (fd, size) = (call.int32(0)?, call.uint32(2)? as usize);
    let open = call.env.descriptors.usable(fd)?;
    let first = open.offset;
    let Target::Directory { path, listing, .. } = open.target.clone() else {
        return Err(Errno::ENOTDIR.into());
    };
    call.env
        .tree
        .lookup(call.host, &path)?
        .ok_or(Errno::ENOENT)?;
    let listing = match listing {
        Some(listing) => listing,
        None => call.env.tree.listing(call.host, &path)?.into(),
    };
    let mut bytes = Vec::new();
    let mut next = first;
    for name in listing.iter().skip(first as usize) {
        let entry = layout::directory_entry(name.inode, next + 1, name.entry_type, &name.name);
        if bytes.len() + entry.len() > size {
            break;
        }
        bytes.extend(entry);
        next += 1;
    }
    if next == first && (first as usize) < listing.len() {
        return Err(Errno::EINVAL.into());
    }
    if !bytes.is_empty() {
        call.put(1, &bytes)?;
    }
    let open = call.env.descriptors.get_mut(fd)?;
    open.offset = next;
    if let Target::Directory { listing: read, .. } = &mut open.target {
        *read = Some(listing);
    }
    Ok(SysResult::number(bytes.len() as u64))
}

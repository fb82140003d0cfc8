//! What the three kinds of objects of System V IPC have in common: keys, permissions, `IPC_STAT`,
//! `IPC_SET`.

use crate::call::{Call, Failure};
use crate::errno::Errno;
use crate::ipc::{CREATE, EXCLUSIVE, Ipc, Object, PRIVATE, Permission};
use crate::layout::Layout;
use crate::metadata::Identity;
use std::collections::BTreeMap;

/// `IPC_RMID`
pub(super) const REMOVE: u32 = 0;
/// `IPC_SET`
pub(super) const SET: u32 = 1;
/// `IPC_STAT`
pub(super) const STAT: u32 = 2;
/// Commands have it in programs that are older than their structures.
pub(super) const NEW_STRUCTURES: u32 = 0x100;

/// May be read.
pub(super) const READ: u32 = 0o444;
/// May be changed.
pub(super) const WRITE: u32 = 0o222;

/// The time of day, in seconds.
pub(super) fn now(call: &Call<'_>) -> i64 {
    call.env.clock.now().seconds
}

/// The object that a key stands for; none if one is to be made.
pub(super) fn find<T: Object>(
    call: &Call<'_>,
    all: &BTreeMap<i32, T>,
    (key, flags): (i32, u32),
    suits: impl Fn(&T) -> bool,
) -> Result<Option<i32>, Errno> {
    let found = all.iter().find(|(_, one)| one.permission().key == key);
    let Some((&number, object)) = found.filter(|_| key != PRIVATE) else {
        return match key == PRIVATE || flags & CREATE != 0 {
            true => Ok(None),
            false => Err(Errno::ENOENT),
        };
    };
    if flags & CREATE != 0 && flags & EXCLUSIVE != 0 {
        return Err(Errno::EEXIST);
    }
    if !suits(object) {
        return Err(Errno::EINVAL);
    }
    permitted(object, identity(call), flags & 0o777)?;
    Ok(Some(number))
}

/// Who the program runs as.
pub(super) fn identity(call: &Call<'_>) -> Identity {
    call.env.tree.identity()
}

/// Fails if somebody may not use an object like that.
pub(super) fn permitted<T: Object>(object: &T, who: Identity, wanted: u32) -> Result<(), Errno> {
    match object.permission().allows(who, wanted) {
        true => Ok(()),
        false => Err(Errno::EACCES),
    }
}

/// The object of a number, which the program may use like that.
pub(super) fn usable<'a, T: Object>(
    call: &'a Call<'_>,
    all: fn(&Ipc) -> &BTreeMap<i32, T>,
    number: i32,
    wanted: u32,
) -> Result<&'a T, Errno> {
    let object = all(&call.env.family.ipc).get(&number);
    let object = object.ok_or(Errno::EINVAL)?;
    permitted(object, identity(call), wanted)?;
    Ok(object)
}

/// The object of a number, which the program may change or remove.
pub(super) fn controlled<'a, T: Object>(
    call: &'a Call<'_>,
    all: fn(&Ipc) -> &BTreeMap<i32, T>,
    number: i32,
) -> Result<&'a T, Errno> {
    let object = all(&call.env.family.ipc).get(&number);
    let object = object.ok_or(Errno::EINVAL)?;
    match object.permission().controls(identity(call)) {
        true => Ok(object),
        false => Err(Errno::EPERM),
    }
}

/// A `struct ipc_perm`, with which each structure begins.
pub(super) fn layout(permission: &Permission) -> Layout {
    let Permission {
        key,
        owner,
        maker,
        mode,
    } = *permission;
    Layout::default()
        .u32(key.cast_unsigned())
        .u32(owner.uid)
        .u32(owner.gid)
        .u32(maker.uid)
        .u32(maker.gid)
        .u32(mode)
        .zeros_to(48)
}

/// The permission of an object, as the structure in an argument changes it.
pub(super) fn changed(
    call: &mut Call<'_>,
    index: usize,
    permission: Permission,
) -> Result<Permission, Failure> {
    let bytes = call.get(call.args[index], 48)?;
    let field = |at: usize| {
        let bytes = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
        u32::from_le_bytes(bytes)
    };
    Ok(Permission {
        owner: Identity {
            uid: field(4),
            gid: field(8),
        },
        mode: permission.mode & !0o777 | field(20) & 0o777,
        ..permission
    })
}

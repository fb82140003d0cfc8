//! Who a process runs as: its users and groups. The superuser can become anybody, others only who
//! they are or were. Files are opened as the effective user and group; further groups are kept and
//! told, and open nothing.

use crate::call::{Answer, Call, SysResult, SystemCall};
use crate::errno::Errno;
use crate::users::{Ids, Users};

/// The calls on users and groups.
pub static CALLS: &[SystemCall] = &[
    SystemCall {
        number: 102,
        name: "getuid",
        run: |call| told(call.env.permits.users.user.real),
    },
    SystemCall {
        number: 104,
        name: "getgid",
        run: |call| told(call.env.permits.users.group.real),
    },
    SystemCall {
        number: 105,
        name: "setuid",
        run: |call| set_one(call, USER),
    },
    SystemCall {
        number: 106,
        name: "setgid",
        run: |call| set_one(call, GROUP),
    },
    SystemCall {
        number: 107,
        name: "geteuid",
        run: |call| told(call.env.permits.users.user.effective),
    },
    SystemCall {
        number: 108,
        name: "getegid",
        run: |call| told(call.env.permits.users.group.effective),
    },
    SystemCall {
        number: 113,
        name: "setreuid",
        run: |call| set_two(call, USER),
    },
    SystemCall {
        number: 114,
        name: "setregid",
        run: |call| set_two(call, GROUP),
    },
    SystemCall {
        number: 115,
        name: "getgroups",
        run: getgroups,
    },
    SystemCall {
        number: 116,
        name: "setgroups",
        run: setgroups,
    },
    SystemCall {
        number: 117,
        name: "setresuid",
        run: |call| set_three(call, USER),
    },
    SystemCall {
        number: 118,
        name: "getresuid",
        run: |call| get_three(call, USER),
    },
    SystemCall {
        number: 119,
        name: "setresgid",
        run: |call| set_three(call, GROUP),
    },
    SystemCall {
        number: 120,
        name: "getresgid",
        run: |call| get_three(call, GROUP),
    },
];

/// Which of the two a call is about.
type Part = fn(&mut Users) -> &mut Ids;

const USER: Part = |users| &mut users.user;
const GROUP: Part = |users| &mut users.group;

/// No change.
const SAME: u32 = u32::MAX;

/// What is asked for, or what there was.
fn changed(asked: u32, had: u32) -> u32 {
    if asked == SAME { had } else { asked }
}

fn told(id: u32) -> Answer {
    Ok(SysResult::number(id.into()))
}

/// The numbers become these.
fn become_these(call: &mut Call<'_>, part: Part, ids: Ids) -> Answer {
    let users = &mut call.env.permits.users;
    *part(users) = ids;
    let identity = users.identity();
    call.env.tree.set_identity(identity);
    Ok(SysResult::number(0))
}

/// setuid, setgid: of the superuser all three change, of others the effective one.
fn set_one(call: &mut Call<'_>, part: Part) -> Answer {
    let id = call.uint32(0)?;
    if id == SAME {
        return Err(Errno::EINVAL.into());
    }
    let superuser = call.env.permits.users.is_superuser();
    let old = *part(&mut call.env.permits.users);
    let ids = if superuser {
        Ids::of(id)
    } else if [old.real, old.saved].contains(&id) {
        let effective = id;
        Ids { effective, ..old }
    } else {
        return Err(Errno::EPERM.into());
    };
    become_these(call, part, ids)
}

/// setreuid, setregid: the real and the effective one.
fn set_two(call: &mut Call<'_>, part: Part) -> Answer {
    let (real, effective) = (call.uint32(0)?, call.uint32(1)?);
    let superuser = call.env.permits.users.is_superuser();
    let old = *part(&mut call.env.permits.users);
    let may_real = real == SAME || [old.real, old.effective].contains(&real);
    let may_effective =
        effective == SAME || [old.real, old.effective, old.saved].contains(&effective);
    if !(superuser || may_real && may_effective) {
        return Err(Errno::EPERM.into());
    }
    let mut ids = old;
    ids.real = changed(real, old.real);
    ids.effective = changed(effective, old.effective);
    if real != SAME || effective != SAME && effective != old.real {
        ids.saved = ids.effective;
    }
    become_these(call, part, ids)
}

/// setresuid, setresgid: all three.
fn set_three(call: &mut Call<'_>, part: Part) -> Answer {
    let asked = [call.uint32(0)?, call.uint32(1)?, call.uint32(2)?];
    let superuser = call.env.permits.users.is_superuser();
    let old = *part(&mut call.env.permits.users);
    let had = [old.real, old.effective, old.saved];
    if !superuser && !asked.iter().all(|id| *id == SAME || had.contains(id)) {
        return Err(Errno::EPERM.into());
    }
    let [real, effective, saved] = [0, 1, 2].map(|at: usize| changed(asked[at], had[at]));
    let ids = Ids {
        real,
        effective,
        saved,
    };
    become_these(call, part, ids)
}

fn get_three(call: &mut Call<'_>, part: Part) -> Answer {
    let ids = *part(&mut call.env.permits.users);
    for (index, id) in [ids.real, ids.effective, ids.saved].into_iter().enumerate() {
        if call.is_null(index)? {
            return Err(Errno::EFAULT.into());
        }
        call.put(index, &id.to_le_bytes())?;
    }
    Ok(SysResult::number(0))
}

/// getgroups(room, groups): with room 0, how many there are.
fn getgroups(call: &mut Call<'_>) -> Answer {
    let room = call.int32(0)?;
    let groups = call.env.permits.users.further.clone();
    let count = groups.len() as u64;
    if room < 0 || room > 0 && u64::from(room.unsigned_abs()) < count {
        return Err(Errno::EINVAL.into());
    }
    if room > 0 && count > 0 {
        let bytes: Vec<u8> = groups
            .iter()
            .flat_map(|group| group.to_le_bytes())
            .collect();
        call.put(1, &bytes)?;
    }
    Ok(SysResult::number(count))
}

/// setgroups(count, groups): for the superuser alone.
fn setgroups(call: &mut Call<'_>) -> Answer {
    const MOST: u32 = 1 << 16;
    let count = call.uint32(0)?;
    if !call.env.permits.users.is_superuser() {
        return Err(Errno::EPERM.into());
    }
    if count > MOST {
        return Err(Errno::EINVAL.into());
    }
    let bytes = match count {
        0 => Vec::new(),
        _ => call.get(call.args[1], u64::from(count) * 4)?,
    };
    let groups = bytes.chunks_exact(4);
    let groups = groups.map(|group| u32::from_le_bytes([group[0], group[1], group[2], group[3]]));
    let mut groups: Vec<u32> = groups.collect();
    // Linux keeps them in order.
    groups.sort_unstable();
    call.env.permits.users.further = groups.into();
    Ok(SysResult::number(0))
}

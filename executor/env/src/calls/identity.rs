//! The process and the machine: numbers, resource limits, system information, exit.

use crate::call::{Answer, Call, Failure, SysResult, SystemCall};
use crate::environment::{MAX_DESCRIPTORS, PID};
use crate::errno::Errno;
use crate::fidelity::Difference;
use crate::layout::Layout;
use crate::threads::ThreadCall;
use std::sync::Arc;

/// The calls about the process and the machine.
pub static CALLS: &[SystemCall] = &[
    SystemCall {
        number: 24,
        name: "sched_yield",
        run: sched_yield,
    },
    SystemCall {
        number: 39,
        name: "getpid",
        run: getpid,
    },
    SystemCall {
        number: 60,
        name: "exit",
        run: exit_thread,
    },
    SystemCall {
        number: 63,
        name: "uname",
        run: uname,
    },
    SystemCall {
        number: 95,
        name: "umask",
        run: umask,
    },
    SystemCall {
        number: 97,
        name: "getrlimit",
        run: getrlimit,
    },
    SystemCall {
        number: 98,
        name: "getrusage",
        run: getrusage,
    },
    SystemCall {
        number: 99,
        name: "sysinfo",
        run: sysinfo,
    },
    SystemCall {
        number: 109,
        name: "setpgid",
        run: no_effect,
    },
    SystemCall {
        number: 110,
        name: "getppid",
        run: getppid,
    },
    SystemCall {
        number: 111,
        name: "getpgrp",
        run: getpid,
    },
    SystemCall {
        number: 112,
        name: "setsid",
        run: setsid,
    },
    SystemCall {
        number: 121,
        name: "getpgid",
        run: getpid,
    },
    SystemCall {
        number: 124,
        name: "getsid",
        run: getpid,
    },
    SystemCall {
        number: 157,
        name: "prctl",
        run: prctl,
    },
    SystemCall {
        number: 160,
        name: "setrlimit",
        run: setrlimit,
    },
    SystemCall {
        number: 186,
        name: "gettid",
        run: gettid,
    },
    SystemCall {
        number: 203,
        name: "sched_setaffinity",
        run: no_effect,
    },
    SystemCall {
        number: 204,
        name: "sched_getaffinity",
        run: sched_getaffinity,
    },
    SystemCall {
        number: 218,
        name: "set_tid_address",
        run: set_tid_address,
    },
    SystemCall {
        number: 231,
        name: "exit_group",
        run: exit,
    },
    SystemCall {
        number: 273,
        name: "set_robust_list",
        run: no_effect,
    },
    SystemCall {
        number: 302,
        name: "prlimit64",
        run: prlimit64,
    },
    SystemCall {
        number: 309,
        name: "getcpu",
        run: getcpu,
    },
    SystemCall {
        number: 318,
        name: "getrandom",
        run: getrandom,
    },
];

fn no_effect(_: &mut Call<'_>) -> Answer {
    Ok(SysResult::number(0))
}

fn sched_yield(_: &mut Call<'_>) -> Answer {
    Ok(SysResult::Thread(ThreadCall::Yield))
}

fn gettid(call: &mut Call<'_>) -> Answer {
    Ok(SysResult::number(match call.env.thread.id {
        PID => call.env.process(),
        other => other,
    }))
}

fn set_tid_address(call: &mut Call<'_>) -> Answer {
    Ok(SysResult::Thread(ThreadCall::ClearAtEnd(call.args[0])))
}

/// The end of the running thread: of the last one, that of the program.
fn exit_thread(call: &mut Call<'_>) -> Answer {
    match call.env.thread.others {
        true => Ok(SysResult::Thread(ThreadCall::End(call.int32(0)?))),
        false => exit(call),
    }
}

fn exit(call: &mut Call<'_>) -> Answer {
    Ok(SysResult::Exit(call.int32(0)? & 0xff))
}

fn getpid(call: &mut Call<'_>) -> Answer {
    Ok(SysResult::number(call.env.process()))
}

fn getppid(call: &mut Call<'_>) -> Answer {
    Ok(SysResult::number(call.env.parent()))
}

fn setsid(_: &mut Call<'_>) -> Answer {
    Err(Errno::EPERM.into())
}

fn umask(call: &mut Call<'_>) -> Answer {
    let new = call.uint32(0)? & 0o777;
    let old = std::mem::replace(&mut call.env.permits.umask, new);
    Ok(SysResult::number(old.into()))
}

fn uname(call: &mut Call<'_>) -> Answer {
    const FIELD: usize = 65;
    let fields = ["Linux", "plat", "6.1.0", "#1 SMP", "x86_64", "(none)"];
    let layout = fields
        .iter()
        .fold(Layout::default(), |layout, text| layout.text(text, FIELD));
    call.put(0, &layout.finish())?;
    Ok(SysResult::number(0))
}

/// A machine with 8 GiB of memory, half of it free.
fn sysinfo(call: &mut Call<'_>) -> Answer {
    const GIB: u64 = 1 << 30;
    let uptime = call.env.clock.uptime().seconds as u64;
    let bytes = Layout::default()
        .u64(uptime)
        .u64(0)
        .u64(0)
        .u64(0)
        .u64(8 * GIB)
        .u64(4 * GIB)
        .u64(0)
        .u64(GIB / 4)
        .u64(0)
        .u64(0)
        .u16(100)
        .zeros_to(104)
        .u32(1)
        .zeros_to(112)
        .finish();
    call.put(0, &bytes)?;
    Ok(SysResult::number(0))
}

fn getrusage(call: &mut Call<'_>) -> Answer {
    let who = call.int32(0)?;
    if !(-1..=1).contains(&who) {
        return Err(Errno::EINVAL.into());
    }
    let used = call.env.clock.used();
    let bytes = Layout::default()
        .micros(used)
        .zeros_to(32)
        .u64(4096)
        .zeros_to(144)
        .finish();
    call.put(1, &bytes)?;
    Ok(SysResult::number(0))
}

/// `RLIMIT_NOFILE`
const DESCRIPTORS: usize = 7;

fn limit_number(number: u32) -> Result<usize, Errno> {
    if number < 16 {
        Ok(number as usize)
    } else {
        Err(Errno::EINVAL)
    }
}

fn put_limit(call: &mut Call<'_>, index: usize, limit: (u64, u64)) -> Result<(), Failure> {
    let bytes = Layout::default().u64(limit.0).u64(limit.1).finish();
    Ok(call.put(index, &bytes)?)
}

/// The limit in argument `index`, checked against the one it replaces.
fn new_limit(call: &mut Call<'_>, index: usize, number: usize) -> Result<(u64, u64), Failure> {
    let limit = (call.get_u64(index, 0)?, call.get_u64(index, 8)?);
    if limit.0 > limit.1 {
        return Err(Errno::EINVAL.into());
    }
    let raised = limit.1 > call.env.permits.limits[number].1;
    let too_many_files = number == DESCRIPTORS && limit.1 > MAX_DESCRIPTORS;
    if raised && call.env.tree.identity().uid != 0 || too_many_files {
        return Err(Errno::EPERM.into());
    }
    Ok(limit)
}

fn set_limit(call: &mut Call<'_>, number: usize, limit: (u64, u64)) {
    /// `RLIMIT_CORE`: there are no core files.
    const CORE: usize = 4;
    let lowered = limit.0 < call.env.permits.limits[number].0;
    if lowered && number != DESCRIPTORS && number != CORE {
        call.differs(Difference::ResourceLimit);
    }
    Arc::make_mut(&mut call.env.permits.limits)[number] = limit;
    if number == DESCRIPTORS {
        call.env.descriptors.set_limit(limit.0 as u32);
    }
}

fn getrlimit(call: &mut Call<'_>) -> Answer {
    let number = limit_number(call.uint32(0)?)?;
    put_limit(call, 1, call.env.permits.limits[number])?;
    Ok(SysResult::number(0))
}

fn setrlimit(call: &mut Call<'_>) -> Answer {
    let number = limit_number(call.uint32(0)?)?;
    let limit = new_limit(call, 1, number)?;
    set_limit(call, number, limit);
    Ok(SysResult::number(0))
}

/// prlimit64(pid, number, new or null, old or null).
fn prlimit64(call: &mut Call<'_>) -> Answer {
    let pid = call.int(0)?;
    if pid != 0 && pid != PID {
        return Err(Errno::ESRCH.into());
    }
    let number = limit_number(call.uint32(1)?)?;
    let new = if call.is_null(2)? {
        None
    } else {
        Some(new_limit(call, 2, number)?)
    };
    put_limit(call, 3, call.env.permits.limits[number])?;
    if let Some(limit) = new {
        set_limit(call, number, limit);
    }
    Ok(SysResult::number(0))
}

/// One processor.
fn sched_getaffinity(call: &mut Call<'_>) -> Answer {
    let size = call.int(1)?;
    if size < 8 || size % 8 != 0 {
        return Err(Errno::EINVAL.into());
    }
    call.put(2, &1u64.to_le_bytes())?;
    Ok(SysResult::number(8))
}

fn getcpu(call: &mut Call<'_>) -> Answer {
    call.put(0, &[0; 4])?;
    call.put(1, &[0; 4])?;
    Ok(SysResult::number(0))
}

fn prctl(call: &mut Call<'_>) -> Answer {
    match call.int32(0)? {
        // PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS: no effect in a single process.
        1 | 4 | 38 => Ok(SysResult::number(0)),
        // PR_SET_NAME
        15 => {
            call.differs(Difference::PrctlName);
            Ok(SysResult::number(0))
        }
        // PR_GET_DUMPABLE
        3 => Ok(SysResult::number(1)),
        // PR_GET_NAME
        16 => {
            call.put(1, &Layout::default().text("plat", 16).finish())?;
            Ok(SysResult::number(0))
        }
        _ => {
            call.differs(Difference::PrctlOption);
            Err(Errno::EINVAL.into())
        }
    }
}

/// getrandom(buffer, size, flags): the same bytes in every run.
fn getrandom(call: &mut Call<'_>) -> Answer {
    let (size, flags) = (call.int(1)?, call.uint32(2)?);
    if flags & !7 != 0 {
        return Err(Errno::EINVAL.into());
    }
    let size = size.min(1 << 20);
    let mut random = call.env.random;
    if size > 0 {
        call.put(0, &random.bytes(size as usize))?;
    }
    call.env.random = random;
    Ok(SysResult::number(size))
}

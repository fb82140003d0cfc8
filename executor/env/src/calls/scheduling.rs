//! Who runs how often: niceness and policies. They are kept and told, and order nothing: one thread
//! runs at a time. One niceness and one policy stand for all threads of a process.

use crate::call::{Answer, Call, Failure, SysResult, SystemCall};
use crate::environment::PID;
use crate::errno::Errno;
use crate::fidelity::Difference;
use crate::scheduling::{RESET_ON_FORK, Scheduling};

/// The calls on scheduling.
pub static CALLS: &[SystemCall] = &[
    SystemCall {
        number: 140,
        name: "getpriority",
        run: getpriority,
    },
    SystemCall {
        number: 141,
        name: "setpriority",
        run: setpriority,
    },
    SystemCall {
        number: 142,
        name: "sched_setparam",
        run: sched_setparam,
    },
    SystemCall {
        number: 143,
        name: "sched_getparam",
        run: sched_getparam,
    },
    SystemCall {
        number: 144,
        name: "sched_setscheduler",
        run: sched_setscheduler,
    },
    SystemCall {
        number: 145,
        name: "sched_getscheduler",
        run: sched_getscheduler,
    },
    SystemCall {
        number: 146,
        name: "sched_get_priority_max",
        run: |call| priority_bound(call, 99),
    },
    SystemCall {
        number: 147,
        name: "sched_get_priority_min",
        run: |call| priority_bound(call, 1),
    },
];

const FIFO: i32 = 1;
const ROUND_ROBIN: i32 = 2;
const IDLE: i32 = 5;
/// Earliest deadline first, which has another call.
const DEADLINE: i32 = 6;
fn is_policy(policy: i32) -> bool {
    matches!(policy, 0..=3 | IDLE | DEADLINE)
}

fn is_real_time(policy: i32) -> bool {
    matches!(policy, FIFO | ROUND_ROBIN)
}

/// Whether a number is that of the running thread (as is 0), of its process, or may be that of
/// another thread.
fn is_own(call: &Call<'_>, id: i32) -> bool {
    /// More threads than a program makes.
    const THREADS: u64 = 1 << 16;
    let thread = call.env.thread;
    let Ok(id) = u64::try_from(id) else {
        return false;
    };
    let of_process = id == 0 || id == call.env.process() || id == thread.id;
    of_process || thread.others && (PID..PID + THREADS).contains(&id)
}

/// That the process or thread in argument 0 is one that is known.
fn known(call: &mut Call<'_>) -> Result<(), Failure> {
    let id = call.int32(0)?;
    match is_own(call, id) {
        true => Ok(()),
        false if id < 0 => Err(Errno::EINVAL.into()),
        false => Err(Errno::ESRCH.into()),
    }
}

fn is_superuser(call: &Call<'_>) -> bool {
    call.env.tree.identity().uid == 0
}

/// That arguments 0 and 1 name this process: by its number, by that of its group, or by its user.
fn named(call: &mut Call<'_>) -> Result<(), Failure> {
    let (which, who) = (call.int32(0)?, call.int32(1)?);
    let known = match which {
        0 => is_own(call, who),
        1 => who == 0 || u64::try_from(who) == Ok(call.env.process()),
        2 => who == 0 || who as u32 == call.env.tree.identity().uid,
        _ => return Err(Errno::EINVAL.into()),
    };
    match known {
        true => Ok(()),
        false => Err(Errno::ESRCH.into()),
    }
}

/// getpriority(which, who): 20 less the niceness, which is never negative.
fn getpriority(call: &mut Call<'_>) -> Answer {
    named(call)?;
    let nice = call.env.permits.scheduling.nice;
    Ok(SysResult::number((20 - i64::from(nice)) as u64))
}

fn setpriority(call: &mut Call<'_>) -> Answer {
    named(call)?;
    let nice = call.int32(2)?.clamp(-20, 19) as i8;
    if nice < call.env.permits.scheduling.nice && !is_superuser(call) {
        return Err(Errno::EACCES.into());
    }
    call.env.permits.scheduling.nice = nice;
    Ok(SysResult::number(0))
}

/// The priority that argument `index` points to.
fn priority(call: &mut Call<'_>, index: usize) -> Result<i32, Failure> {
    if call.is_null(index)? {
        return Err(Errno::EINVAL.into());
    }
    let bytes = call.get(call.args[index], 4)?;
    Ok(i32::from_le_bytes(
        bytes.try_into().map_err(|_| Errno::EFAULT)?,
    ))
}

/// Makes `policy`, with its flag, and this priority those of the process.
fn change(call: &mut Call<'_>, asked: i32, priority: i32) -> Answer {
    let (policy, resets) = (asked & !RESET_ON_FORK, asked & RESET_ON_FORK != 0);
    let real_time = is_real_time(policy);
    let fits = match real_time {
        true => (1..=99).contains(&priority),
        false => priority == 0,
    };
    if !is_policy(policy) || policy == DEADLINE || !fits {
        return Err(Errno::EINVAL.into());
    }
    let superuser = is_superuser(call);
    let before = call.env.permits.scheduling;
    let leaves_idle = i32::from(before.policy) == IDLE && policy != IDLE;
    if real_time || (leaves_idle || before.resets && !resets) && !superuser {
        if superuser {
            call.differs(Difference::RealTime);
        }
        return Err(Errno::EPERM.into());
    }
    call.env.permits.scheduling = Scheduling {
        policy: policy as u8,
        resets,
        ..before
    };
    Ok(SysResult::number(0))
}

fn sched_setparam(call: &mut Call<'_>) -> Answer {
    let priority = priority(call, 1)?;
    known(call)?;
    let policy = call.env.permits.scheduling.told();
    change(call, policy, priority)
}

/// sched_setscheduler(thread, policy, priority)
fn sched_setscheduler(call: &mut Call<'_>) -> Answer {
    let policy = call.int32(1)?;
    if policy < 0 {
        return Err(Errno::EINVAL.into());
    }
    let priority = priority(call, 2)?;
    known(call)?;
    change(call, policy, priority)
}

fn sched_getparam(call: &mut Call<'_>) -> Answer {
    if call.is_null(1)? {
        return Err(Errno::EINVAL.into());
    }
    known(call)?;
    call.put(1, &[0; 4])?;
    Ok(SysResult::number(0))
}

fn sched_getscheduler(call: &mut Call<'_>) -> Answer {
    known(call)?;
    Ok(SysResult::number(call.env.permits.scheduling.told() as u64))
}

/// The bound on the priorities of a policy: all others than those of real time have 0 alone.
fn priority_bound(call: &mut Call<'_>, bound: u64) -> Answer {
    let policy = call.int32(0)?;
    match is_policy(policy) {
        true => Ok(SysResult::number(if is_real_time(policy) {
            bound
        } else {
            0
        })),
        false => Err(Errno::EINVAL.into()),
    }
}

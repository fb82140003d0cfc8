//! Signals: actions, masks, and signals that a program sends to itself.

use crate::call::{Answer, Call, SysResult, SystemCall};
use crate::environment::PID;
use crate::errno::Errno;
use crate::fidelity::Difference;
use crate::layout::Layout;
use crate::processes::ProcessCall;
use crate::signals::{Action, SIGKILL, SIGSTOP, Taken};
use crate::threads::{ThreadCall, Waker};
use plat_expr::Value;

/// The calls on signals.
pub static CALLS: &[SystemCall] = &[
    SystemCall {
        number: 13,
        name: "rt_sigaction",
        run: rt_sigaction,
    },
    SystemCall {
        number: 14,
        name: "rt_sigprocmask",
        run: rt_sigprocmask,
    },
    SystemCall {
        number: 34,
        name: "pause",
        run: pause,
    },
    SystemCall {
        number: 62,
        name: "kill",
        run: kill,
    },
    SystemCall {
        number: 127,
        name: "rt_sigpending",
        run: rt_sigpending,
    },
    SystemCall {
        number: 128,
        name: "rt_sigtimedwait",
        run: rt_sigtimedwait,
    },
    SystemCall {
        number: 130,
        name: "rt_sigsuspend",
        run: rt_sigsuspend,
    },
    SystemCall {
        number: 131,
        name: "sigaltstack",
        run: sigaltstack,
    },
    SystemCall {
        number: 200,
        name: "tkill",
        run: tkill,
    },
    SystemCall {
        number: 234,
        name: "tgkill",
        run: tgkill,
    },
];

/// Bytes of the kernel's `sigset_t`.
pub(super) const SET_SIZE: u64 = 8;
/// The signals that cannot be blocked.
pub(super) const UNBLOCKABLE: u64 = 1 << (SIGKILL - 1) | 1 << (SIGSTOP - 1);

fn valid(signal: i32) -> Result<u32, Errno> {
    if (1..=64).contains(&signal) {
        Ok(signal as u32)
    } else {
        Err(Errno::EINVAL)
    }
}

/// rt_sigaction(signal, new or null, old or null, size of a set). The handler may be any function;
/// a symbolic one is made concrete.
fn rt_sigaction(call: &mut Call<'_>) -> Answer {
    let signal = valid(call.int32(0)?)?;
    let (sets, new) = (!call.is_null(1)?, !call.is_null(2)?);
    if call.int(3)? != SET_SIZE || sets && (signal == SIGKILL || signal == SIGSTOP) {
        return Err(Errno::EINVAL.into());
    }
    let action = if sets {
        let [handler, restorer] = [0, 16].map(|at| call.memory.displaced(call.args[1], at));
        let handler = match call.memory.read_word(handler)? {
            known @ (Value::Int(_) | Value::Pointer(..)) => known,
            other => Value::Int(call.memory.concrete(other)?),
        };
        let restorer = call.memory.read_word(restorer)?;
        let (flags, mask) = (call.get_u64(1, 8)?, call.get_u64(1, 24)?);
        Some(Action {
            handler,
            flags,
            restorer,
            mask: mask & !UNBLOCKABLE,
        })
    } else {
        None
    };
    if new {
        let old = call.env.signals.action(signal);
        let words = [
            old.handler,
            Value::Int(old.flags),
            old.restorer,
            Value::Int(old.mask),
        ];
        for (at, word) in (0..).step_by(8).zip(words) {
            let address = call.memory.displaced(call.args[2], at);
            call.memory.write_word(address, word)?;
        }
    }
    if let Some(action) = action {
        call.env.signals.set_action(signal, action);
    }
    Ok(SysResult::number(0))
}

/// rt_sigprocmask(how, set or null, old or null, size of a set). Of the pending signals that are no
/// longer blocked, the first with an effect is delivered.
fn rt_sigprocmask(call: &mut Call<'_>) -> Answer {
    let how = call.int32(0)?;
    if call.int(3)? != SET_SIZE {
        return Err(Errno::EINVAL.into());
    }
    let old = call.env.signals.thread.blocked;
    let mut blocked = old;
    if !call.is_null(1)? {
        let set = call.get_u64(1, 0)?;
        blocked = match how {
            0 => old | set,
            1 => old & !set,
            2 => set,
            _ => return Err(Errno::EINVAL.into()),
        };
    }
    call.put(2, &old.to_le_bytes())?;
    call.env.signals.thread.blocked = blocked & !UNBLOCKABLE;
    let delivered = deliver_pending(call, blocked, Value::Int(0));
    Ok(delivered.unwrap_or(SysResult::number(0)))
}

/// Delivers the first pending signal with an effect that is not among these; the others are gone.
fn deliver_pending(call: &mut Call<'_>, blocked: u64, result: Value) -> Option<SysResult> {
    while let Some(taken) = call.env.signals.take(!blocked) {
        let delivered = call.deliver_now(taken.signal, result);
        if matches!(delivered, SysResult::Signal(_)) {
            return Some(delivered);
        }
    }
    None
}

fn rt_sigpending(call: &mut Call<'_>) -> Answer {
    let waiting = call.env.signals.waiting();
    call.put(0, &waiting.to_le_bytes())?;
    Ok(SysResult::number(0))
}

/// Signals come from the program itself: another process may send one.
fn pause(call: &mut Call<'_>) -> Answer {
    let waits = call.wait(None, Waker::Signaller);
    Err(waits.unwrap_or(Errno::EINTR.into()))
}

/// rt_sigsuspend(the blocked signals while it waits, size of a set).
fn rt_sigsuspend(call: &mut Call<'_>) -> Answer {
    if call.int(1)? != SET_SIZE {
        return Err(Errno::EINVAL.into());
    }
    let blocked = call.get_u64(0, 0)? & !UNBLOCKABLE;
    let interrupted = -i64::from(Errno::EINTR.0);
    let result = Value::Int(interrupted.cast_unsigned());
    match deliver_pending(call, blocked, result) {
        Some(delivered) => Ok(delivered),
        None => pause(call),
    }
}

/// rt_sigtimedwait(set, information or null, duration or null, size of a set): takes a pending signal of
/// the set, or waits for one.
fn rt_sigtimedwait(call: &mut Call<'_>) -> Answer {
    if call.int(3)? != SET_SIZE {
        return Err(Errno::EINVAL.into());
    }
    let set = call.get_u64(0, 0)? & !UNBLOCKABLE;
    let limit = match call.is_null(2)? {
        true => None,
        false => Some(super::timing::duration(call, 2)?),
    };
    let told = !call.is_null(1)?;
    // The call may stop where it writes: what it takes is taken for good behind that.
    let mut signals = call.env.signals.clone();
    let Some(taken) = signals.take(set) else {
        let waits = call.wait(limit, Waker::Signaller);
        return Err(waits.unwrap_or(Errno::EAGAIN.into()));
    };
    if told {
        let information = information(call, taken);
        call.memory.write_concrete(call.args[1], &information)?;
    }
    call.env.signals = signals;
    Ok(SysResult::number(taken.signal.into()))
}

/// The kernel's `siginfo_t` of a signal that a process has sent.
fn information(call: &Call<'_>, taken: Taken) -> Vec<u8> {
    /// `SI_USER`. For a signal to a thread the kernel has another code, in whose place the system's
    /// library puts this one.
    const SENT: u32 = 0;
    /// Bytes of `siginfo_t`.
    const SIZE: usize = 128;
    let sender = taken.sender.unwrap_or_else(|| call.env.process());
    let owner = call.env.tree.identity().uid;
    let layout = Layout::default().u32(taken.signal).u32(0).u32(SENT);
    let layout = layout.zeros_to(16).u32(sender as u32).u32(owner);
    layout.zeros_to(SIZE).finish()
}

/// Alternate stacks are not used: handlers run on the program's stack.
fn sigaltstack(call: &mut Call<'_>) -> Answer {
    /// `SS_DISABLE`
    const DISABLED: u64 = 2;
    let old = [
        0u64.to_le_bytes(),
        DISABLED.to_le_bytes(),
        0u64.to_le_bytes(),
    ]
    .concat();
    call.put(1, &old)?;
    Ok(SysResult::number(0))
}

/// A signal for a thread.
fn send_thread(call: &mut Call<'_>, target: i32, signal: i32) -> Answer {
    let running = call.env.thread;
    let process = call.env.process();
    let target = match u64::try_from(target) {
        // The first thread has the number of its process.
        Ok(target) if target == process => Ok(PID),
        target => target,
    };
    match target {
        Ok(thread) if thread == running.id => {}
        Ok(thread) if running.others => {
            let signal = match signal {
                0 => 0,
                other => valid(other)?,
            };
            let thread = Some(thread);
            return Ok(SysResult::Thread(ThreadCall::Signal { thread, signal }));
        }
        _ => return Err(Errno::ESRCH.into()),
    }
    if signal == 0 {
        return Ok(SysResult::number(0));
    }
    let signal = valid(signal)?;
    Ok(call.deliver(signal, Value::Int(0)))
}

fn send(call: &mut Call<'_>, target: i64, signal: i32) -> Answer {
    let own = call.env.process();
    let other = u64::try_from(target)
        .ok()
        .filter(|&target| target != own && target != 0);
    let group = matches!(target, 0 | -1) || target == -(PID as i64);
    if let Some(alive) = other.and_then(|process| call.env.is_alive(process)) {
        let number = if signal == 0 { 0 } else { valid(signal)? };
        return Ok(match other {
            Some(process) if alive && number != 0 => SysResult::Process(ProcessCall::Signal {
                process,
                signal: number,
            }),
            _ => SysResult::number(0),
        });
    }
    if other.is_some() || target < 0 && !group {
        return Err(Errno::ESRCH.into());
    }
    if group && !call.env.alone() && signal != 0 {
        call.differs(Difference::KillGroup);
    }
    if signal == 0 {
        return Ok(SysResult::number(0));
    }
    let signal = valid(signal)?;
    let signals = &mut call.env.signals;
    if !signals.thread.blocks(signal) {
        return Ok(call.deliver_now(signal, Value::Int(0)));
    }
    if call.env.thread.others {
        let thread = None;
        return Ok(SysResult::Thread(ThreadCall::Signal { thread, signal }));
    }
    signals.keep(signal, own);
    Ok(SysResult::number(0))
}

fn kill(call: &mut Call<'_>) -> Answer {
    let (target, signal) = (call.int32(0)?, call.int32(1)?);
    send(call, target.into(), signal)
}

fn tkill(call: &mut Call<'_>) -> Answer {
    let (target, signal) = (call.int32(0)?, call.int32(1)?);
    send_thread(call, target, signal)
}

fn tgkill(call: &mut Call<'_>) -> Answer {
    let (target, signal) = (call.int32(1)?, call.int32(2)?);
    send_thread(call, target, signal)
}

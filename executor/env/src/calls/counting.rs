//! eventfd, timerfd and signalfd: descriptors that count, expire, or receive signals.

use super::signalling::{SET_SIZE, UNBLOCKABLE};
use super::timing;
use crate::call::{Answer, Call, Failure, SysResult, SystemCall};
use crate::counters::{Counter, CounterId, Timer};
use crate::descriptors::{O_CLOEXEC, O_NONBLOCK, Target};
use crate::environment::Environment;
use crate::errno::Errno;
use crate::layout::Layout;
use crate::metadata::Time;
use crate::threads::Waker;
use plat_expr::Byte;

/// The calls that make or set them.
pub static CALLS: &[SystemCall] = &[
    SystemCall {
        number: 282,
        name: "signalfd",
        run: signalfd,
    },
    SystemCall {
        number: 283,
        name: "timerfd_create",
        run: timerfd_create,
    },
    SystemCall {
        number: 284,
        name: "eventfd",
        run: eventfd,
    },
    SystemCall {
        number: 286,
        name: "timerfd_settime",
        run: timerfd_settime,
    },
    SystemCall {
        number: 287,
        name: "timerfd_gettime",
        run: timerfd_gettime,
    },
    SystemCall {
        number: 289,
        name: "signalfd4",
        run: signalfd4,
    },
    SystemCall {
        number: 290,
        name: "eventfd2",
        run: eventfd2,
    },
];

/// Flags that all of them take when they are made.
const FLAGS: u32 = O_CLOEXEC | O_NONBLOCK;
/// Most that an eventfd holds.
const MOST: u64 = u64::MAX - 1;
/// Bytes of a `struct signalfd_siginfo`.
const SIGNAL_SIZE: usize = 128;

fn make(call: &mut Call<'_>, counter: Counter, flags: u32) -> Answer {
    call.env.descriptors.free(0).next().ok_or(Errno::EMFILE)?;
    let id = call.env.descriptors.new_counter(counter);
    let fd = call.env.descriptors.open(Target::Counter(id), flags | 2)?;
    Ok(SysResult::number(fd.into()))
}

fn eventfd(call: &mut Call<'_>) -> Answer {
    let sum = call.uint32(0)?;
    make(call, events(sum, false), 0)
}

fn events(sum: u32, one_by_one: bool) -> Counter {
    Counter::Events {
        sum: sum.into(),
        writes: 0,
        one_by_one,
    }
}

/// eventfd2(initial value, flags).
fn eventfd2(call: &mut Call<'_>) -> Answer {
    const SEMAPHORE: u32 = 1;
    let (sum, flags) = (call.uint32(0)?, call.uint32(1)?);
    if flags & !(FLAGS | SEMAPHORE) != 0 {
        return Err(Errno::EINVAL.into());
    }
    let counter = events(sum, flags & SEMAPHORE != 0);
    make(call, counter, flags & !SEMAPHORE)
}

/// signalfd(-1 or a descriptor to change, set, size of a set).
fn signalfd(call: &mut Call<'_>) -> Answer {
    receives(call, 0)
}

fn signalfd4(call: &mut Call<'_>) -> Answer {
    let flags = call.uint32(3)?;
    match flags & !FLAGS {
        0 => receives(call, flags),
        _ => Err(Errno::EINVAL.into()),
    }
}

fn receives(call: &mut Call<'_>, flags: u32) -> Answer {
    let fd = call.int32(0)?;
    if call.int(2)? != SET_SIZE {
        return Err(Errno::EINVAL.into());
    }
    let set = call.get_u64(1, 0)? & !UNBLOCKABLE;
    if fd == -1 {
        return make(call, Counter::Signals { set }, flags);
    }
    let id = counter_of(call, fd)?;
    match call.env.descriptors.counter_mut(id) {
        Some(Counter::Signals { set: old }) => *old = set,
        _ => return Err(Errno::EINVAL.into()),
    }
    Ok(SysResult::number(fd as u64))
}

/// timerfd_create(clock, flags).
fn timerfd_create(call: &mut Call<'_>) -> Answer {
    let (clock, flags) = (call.int32(0)?, call.uint32(1)?);
    // CLOCK_REALTIME, _MONOTONIC, _BOOTTIME; those of alarms wake the machine.
    if !matches!(clock, 0 | 1 | 7..=9) || flags & !FLAGS != 0 {
        return Err(Errno::EINVAL.into());
    }
    let timer = Timer {
        clock: match clock {
            8 => 0,
            9 => 7,
            other => other,
        },
        next: None,
        every: Time::default(),
        turns: 0,
    };
    make(call, Counter::Timer(timer), flags)
}

/// The timer of the descriptor in argument 0.
fn timer_of(call: &mut Call<'_>) -> Result<(CounterId, Timer), Failure> {
    let fd = call.int32(0)?;
    let id = counter_of(call, fd)?;
    match call.env.descriptors.counter(id) {
        Some(Counter::Timer(timer)) => Ok((id, timer)),
        _ => Err(Errno::EINVAL.into()),
    }
}

fn counter_of(call: &Call<'_>, fd: i32) -> Result<CounterId, Errno> {
    match call.env.descriptors.usable(fd)?.target {
        Target::Counter(id) => Ok(id),
        _ => Err(Errno::EINVAL),
    }
}

/// timerfd_settime(fd, flags, new, old or null).
fn timerfd_settime(call: &mut Call<'_>) -> Answer {
    const ABSOLUTE: u32 = 1;
    const CANCEL: u32 = 2;
    let flags = call.uint32(1)?;
    let (every, value) = (
        timing::duration(call, 2)?,
        timing::duration_at(call, 2, 16)?,
    );
    if flags & !(ABSOLUTE | CANCEL) != 0 {
        return Err(Errno::EINVAL.into());
    }
    let (id, timer) = timer_of(call)?;
    let left = match flags & ABSOLUTE {
        0 => value,
        _ => timing::until(timing::reading(call, timer.clock)?, value),
    };
    let next = (value != Time::default()).then(|| call.env.clock.uptime_after(left));
    if !call.is_null(3)? {
        put_setting(call, 3, timer)?;
    }
    let new = Timer {
        next,
        every,
        turns: timer.turns + 1,
        ..timer
    };
    if let Some(counter) = call.env.descriptors.counter_mut(id) {
        *counter = Counter::Timer(new);
    }
    Ok(SysResult::number(0))
}

/// timerfd_gettime(fd, setting).
fn timerfd_gettime(call: &mut Call<'_>) -> Answer {
    let (_, timer) = timer_of(call)?;
    put_setting(call, 1, timer)?;
    Ok(SysResult::number(0))
}

/// Stores a `struct itimerspec`: how often it expires, and in how long it does next.
fn put_setting(call: &mut Call<'_>, index: usize, timer: Timer) -> Result<(), Failure> {
    let left = timer.left(call.env.clock.uptime()).unwrap_or_default();
    let setting = Layout::default().time(timer.every).time(left);
    Ok(call.put(index, &setting.finish())?)
}

/// What a read of so many bytes gives, without taking it.
pub(super) fn next_read(
    call: &mut Call<'_>,
    id: CounterId,
    size: u64,
    flags: u32,
) -> Result<Vec<u8>, Failure> {
    let counter = call.env.descriptors.counter(id).ok_or(Errno::EIO)?;
    let least = match counter {
        Counter::Signals { .. } => SIGNAL_SIZE,
        Counter::Events { .. } | Counter::Timer(_) => 8,
    };
    if size < least as u64 {
        return Err(Errno::EINVAL.into());
    }
    let now = call.env.clock.uptime();
    match counter {
        Counter::Events { sum: 0, .. } => Err(waits(call, None, flags, Waker::Program)),
        Counter::Events {
            one_by_one: true, ..
        } => Ok(1u64.to_le_bytes().to_vec()),
        Counter::Events { sum, .. } => Ok(sum.to_le_bytes().to_vec()),
        Counter::Timer(timer) => match timer.expired(now) {
            0 => Err(waits(call, timer.left(now), flags, Waker::Program)),
            times => Ok(times.to_le_bytes().to_vec()),
        },
        Counter::Signals { set } => {
            let (mut signals, mut bytes) = (call.env.signals.clone(), Vec::new());
            for _ in 0..size / SIGNAL_SIZE as u64 {
                let Some(taken) = signals.take(set) else {
                    break;
                };
                let sender = taken.sender.unwrap_or_else(|| call.env.process());
                let owner = call.env.tree.identity().uid;
                let layout = Layout::default().u32(taken.signal).zeros_to(12);
                let layout = layout.u32(sender as u32).u32(owner);
                bytes.extend(layout.zeros_to(SIGNAL_SIZE).finish());
            }
            match bytes.is_empty() {
                true => Err(waits(call, None, flags, Waker::Signaller)),
                false => Ok(bytes),
            }
        }
    }
}

/// A transfer that cannot be done yet.
fn waits(call: &mut Call<'_>, timer: Option<Time>, flags: u32, waker: Waker) -> Failure {
    match call.wait_for_timers(None, timer, waker) {
        Some(wait) if flags & O_NONBLOCK == 0 => wait,
        _ => Errno::EAGAIN.into(),
    }
}

/// Takes what a read has given.
pub(super) fn take(call: &mut Call<'_>, id: CounterId, bytes: u64) {
    let now = call.env.clock.uptime();
    match call.env.descriptors.counter_mut(id) {
        Some(Counter::Events {
            sum, one_by_one, ..
        }) => {
            *sum -= if *one_by_one { 1 } else { *sum };
        }
        Some(Counter::Timer(timer)) => *timer = timer.read(now),
        Some(&mut Counter::Signals { set }) => {
            for _ in 0..bytes / SIGNAL_SIZE as u64 {
                call.env.signals.take(set);
            }
        }
        None => {}
    }
}

/// Writes to an eventfd: adds a number.
pub(super) fn add(call: &mut Call<'_>, id: CounterId, bytes: &[Byte], flags: u32) -> Answer {
    let counter = call.env.descriptors.counter(id).ok_or(Errno::EIO)?;
    let (Counter::Events { sum, .. }, Some(bytes)) = (counter, bytes.get(..8)) else {
        return Err(Errno::EINVAL.into());
    };
    let number = u64::from_le_bytes(call.concrete_bytes(bytes)?.try_into().unwrap_or_default());
    if number == u64::MAX {
        return Err(Errno::EINVAL.into());
    }
    if number > MOST - sum {
        return Err(waits(call, None, flags, Waker::Program));
    }
    if let Some(Counter::Events { sum, writes, .. }) = call.env.descriptors.counter_mut(id) {
        *sum += number;
        *writes += 1;
    }
    Ok(SysResult::number(8))
}

/// Whether a read and a write would not wait.
pub(super) fn ready(env: &Environment, id: CounterId) -> (bool, bool) {
    match env.descriptors.counter(id) {
        Some(Counter::Events { sum, .. }) => (sum > 0, sum < MOST),
        Some(Counter::Timer(timer)) => (timer.expired(env.clock.uptime()) > 0, false),
        Some(Counter::Signals { set }) => (env.signals.waiting() & set != 0, false),
        None => (false, false),
    }
}

/// A number that changes when there is something new to read.
pub(super) fn arrivals(env: &Environment, id: CounterId) -> u64 {
    match env.descriptors.counter(id) {
        Some(Counter::Events { writes, .. }) => writes,
        Some(Counter::Timer(timer)) => timer.turns,
        Some(Counter::Signals { .. }) => env.signals.arrivals(),
        None => 0,
    }
}

/// In how long it may be ready without anybody's doing; none is never.
pub(super) fn ready_in(env: &Environment, id: CounterId) -> Option<Time> {
    match env.descriptors.counter(id) {
        Some(Counter::Timer(timer)) => timer.left(env.clock.uptime()),
        _ => None,
    }
}

/// Who may make it ready.
pub(super) fn waker(env: &Environment, id: CounterId) -> Waker {
    match env.descriptors.counter(id) {
        Some(Counter::Signals { .. }) => Waker::Signaller,
        _ => Waker::Program,
    }
}

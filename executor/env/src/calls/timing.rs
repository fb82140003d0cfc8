//! Clocks and timers, all on the deterministic clock. Timers that send signals never fire.

use crate::call::{Answer, Call, Failure, SysResult, SystemCall};
use crate::errno::Errno;
use crate::fidelity::Difference;
use crate::layout::Layout;
use crate::metadata::Time;

/// The calls on time.
pub static CALLS: &[SystemCall] = &[
    SystemCall {
        number: 35,
        name: "nanosleep",
        run: nanosleep,
    },
    SystemCall {
        number: 36,
        name: "getitimer",
        run: getitimer,
    },
    SystemCall {
        number: 37,
        name: "alarm",
        run: alarm,
    },
    SystemCall {
        number: 38,
        name: "setitimer",
        run: setitimer,
    },
    SystemCall {
        number: 96,
        name: "gettimeofday",
        run: gettimeofday,
    },
    SystemCall {
        number: 100,
        name: "times",
        run: times,
    },
    SystemCall {
        number: 201,
        name: "time",
        run: time,
    },
    SystemCall {
        number: 228,
        name: "clock_gettime",
        run: clock_gettime,
    },
    SystemCall {
        number: 229,
        name: "clock_getres",
        run: clock_getres,
    },
    SystemCall {
        number: 230,
        name: "clock_nanosleep",
        run: clock_nanosleep,
    },
];

/// The time of a clock, by number.
pub(super) fn reading(call: &Call<'_>, clock: i32) -> Result<Time, Errno> {
    let now = call.env.clock;
    match clock {
        // CLOCK_REALTIME, _COARSE, CLOCK_TAI
        0 | 5 | 11 => Ok(now.now()),
        // CLOCK_MONOTONIC, _RAW, _COARSE, CLOCK_BOOTTIME
        1 | 4 | 6 | 7 => Ok(now.uptime()),
        // CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID
        2 | 3 => Ok(now.used()),
        _ => Err(Errno::EINVAL),
    }
}

fn clock_gettime(call: &mut Call<'_>) -> Answer {
    let clock = call.int32(0)?;
    let time = reading(call, clock)?;
    call.put(1, &Layout::default().time(time).finish())?;
    Ok(SysResult::number(0))
}

fn clock_getres(call: &mut Call<'_>) -> Answer {
    let clock = call.int32(0)?;
    reading(call, clock)?;
    call.put(1, &Layout::default().u64(0).u64(1).finish())?;
    Ok(SysResult::number(0))
}

fn gettimeofday(call: &mut Call<'_>) -> Answer {
    let now = call.env.clock.now();
    call.put(0, &Layout::default().micros(now).finish())?;
    call.put(1, &[0; 8])?;
    Ok(SysResult::number(0))
}

fn time(call: &mut Call<'_>) -> Answer {
    let now = call.env.clock.now().seconds as u64;
    call.put(0, &now.to_le_bytes())?;
    Ok(SysResult::number(now))
}

fn times(call: &mut Call<'_>) -> Answer {
    let ticks = |time: Time| (time.seconds * 100 + time.nanos / 10_000_000) as u64;
    let (used, uptime) = (ticks(call.env.clock.used()), ticks(call.env.clock.uptime()));
    call.put(0, &Layout::default().u64(used).zeros_to(32).finish())?;
    Ok(SysResult::number(uptime))
}

/// The `struct timespec` in argument `index`.
pub(super) fn duration(call: &mut Call<'_>, index: usize) -> Result<Time, Failure> {
    duration_at(call, index, 0)
}

/// The same, so many bytes behind where the argument points to.
pub(super) fn duration_at(call: &mut Call<'_>, index: usize, at: u64) -> Result<Time, Failure> {
    let (seconds, nanos) = (
        call.get_u64(index, at)? as i64,
        call.get_u64(index, at + 8)? as i64,
    );
    if seconds < 0 || !(0..1_000_000_000).contains(&nanos) {
        return Err(Errno::EINVAL.into());
    }
    Ok(Time { seconds, nanos })
}

/// The duration from `now` to an absolute time.
pub(super) fn until(now: Time, time: Time) -> Time {
    Time {
        seconds: time.seconds - now.seconds,
        nanos: time.nanos - now.nanos,
    }
}

fn nanosleep(call: &mut Call<'_>) -> Answer {
    let time = duration(call, 0)?;
    super::futex::sleep(call, time)
}

fn clock_nanosleep(call: &mut Call<'_>) -> Answer {
    let (clock, flags) = (call.int32(0)?, call.int32(1)?);
    let now = reading(call, clock)?;
    let mut time = duration(call, 2)?;
    if flags & 1 == 1 {
        // An absolute time.
        time = until(now, time);
    }
    super::futex::sleep(call, time)
}

fn alarm(call: &mut Call<'_>) -> Answer {
    if call.uint32(0)? != 0 {
        call.differs(Difference::Timer);
    }
    Ok(SysResult::number(0))
}

fn getitimer(call: &mut Call<'_>) -> Answer {
    call.put(1, &[0; 32])?;
    Ok(SysResult::number(0))
}

fn setitimer(call: &mut Call<'_>) -> Answer {
    if !call.is_null(1)? && (call.get_u64(1, 16)? != 0 || call.get_u64(1, 24)? != 0) {
        call.differs(Difference::Timer);
    }
    call.put(2, &[0; 32])?;
    Ok(SysResult::number(0))
}

//! Waiting at a word of memory, and waking who waits there.

use crate::call::{Answer, Call, SysResult, SystemCall};
use crate::errno::Errno;
use crate::metadata::Time;
use crate::threads::ThreadCall;

/// The call.
pub static CALLS: &[SystemCall] = &[SystemCall {
    number: 202,
    name: "futex",
    run: futex,
}];

const WAIT: u32 = 0;
const WAKE: u32 = 1;
const REQUEUE: u32 = 3;
const CMP_REQUEUE: u32 = 4;
const WAIT_BITSET: u32 = 9;
const WAKE_BITSET: u32 = 10;
/// `FUTEX_CLOCK_REALTIME`
const REAL_TIME: u32 = 0x100;
/// `FUTEX_CMD_MASK`
const COMMAND: u32 = 0x7f;
/// `FUTEX_BITSET_MATCH_ANY`
const ANY: u32 = u32::MAX;

/// futex(word, operation, value, time or number, other word, bits or other value). Locks that pass on
/// priorities are not there, as on a kernel without them.
fn futex(call: &mut Call<'_>) -> Answer {
    let operation = call.uint32(1)?;
    match operation & COMMAND {
        WAIT | WAIT_BITSET => wait(call, operation),
        WAKE | WAKE_BITSET => {
            let (word, most) = (call.int(0)?, call.uint32(2)?);
            let bits = bits(call, operation)?;
            Ok(SysResult::Thread(ThreadCall::Wake { word, most, bits }))
        }
        command @ (REQUEUE | CMP_REQUEUE) => {
            if command == CMP_REQUEUE && word_at(call)? != call.uint32(5)? {
                return Err(Errno::EAGAIN.into());
            }
            Ok(SysResult::Thread(ThreadCall::Requeue {
                word: call.int(0)?,
                wake: call.uint32(2)?,
                to: call.int(4)?,
                moved: call.uint32(3)?,
                counts: command == CMP_REQUEUE,
            }))
        }
        _ => Err(Errno::ENOSYS.into()),
    }
}

/// The word at which a call waits or requeues.
fn word_at(call: &mut Call<'_>) -> Result<u32, crate::call::Failure> {
    let bytes = call.get(call.args[0], 4)?;
    Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

fn bits(call: &mut Call<'_>, operation: u32) -> Result<u32, crate::call::Failure> {
    if !matches!(operation & COMMAND, WAIT_BITSET | WAKE_BITSET) {
        return Ok(ANY);
    }
    match call.uint32(5)? {
        0 => Err(Errno::EINVAL.into()),
        bits => Ok(bits),
    }
}

/// The limit of `FUTEX_WAIT` is a duration, that of `FUTEX_WAIT_BITSET` a point in time.
fn wait(call: &mut Call<'_>, operation: u32) -> Answer {
    let bits = bits(call, operation)?;
    let until = match call.is_null(3)? {
        true => None,
        false => {
            let time = super::timing::duration(call, 3)?;
            let clock = call.env.clock;
            let absolute = operation & COMMAND == WAIT_BITSET;
            let now = match absolute && operation & REAL_TIME != 0 {
                true => clock.now(),
                false => clock.uptime(),
            };
            let left = match absolute {
                true => super::timing::until(now, time),
                false => time,
            };
            Some(clock.uptime_after(left))
        }
    };
    if word_at(call)? != call.uint32(2)? {
        return Err(Errno::EAGAIN.into());
    }
    match until {
        Some(until) if call.env.alone() => {
            // Nobody else could wake it.
            call.env.clock.sleep_until(until);
            Err(Errno::ETIMEDOUT.into())
        }
        until => Ok(SysResult::Thread(ThreadCall::Wait {
            word: call.int(0)?,
            bits,
            until,
        })),
    }
}

/// A pause of the running thread.
pub(super) fn sleep(call: &mut Call<'_>, time: Time) -> Answer {
    let until = call.env.clock.uptime_after(time);
    if !call.env.alone() {
        return Ok(SysResult::Thread(ThreadCall::Sleep { until }));
    }
    call.env.clock.sleep(time);
    Ok(SysResult::number(0))
}

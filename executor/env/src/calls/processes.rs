//! Processes: making them, and waiting for their ends.

use crate::call::{Answer, Call, SysResult, SystemCall};
use crate::errno::Errno;
use crate::fidelity::Difference;
use crate::processes::{ProcessCall, Waited};
use crate::signals::{Effect, SIGCHLD};
use crate::threads::Waker;
use plat_expr::{Byte, Value};

/// The calls on processes.
pub static CALLS: &[SystemCall] = &[
    SystemCall {
        number: 57,
        name: "fork",
        run: fork,
    },
    SystemCall {
        number: 58,
        name: "vfork",
        run: fork,
    },
    SystemCall {
        number: 61,
        name: "wait4",
        run: wait4,
    },
];

fn fork(_: &mut Call<'_>) -> Answer {
    Ok(SysResult::Process(ProcessCall::Fork))
}

/// wait4(process, any child or a group, status or null, options, usage or null). Groups are not told
/// apart.
fn wait4(call: &mut Call<'_>) -> Answer {
    /// `WNOHANG`
    const AT_ONCE: u32 = 1;
    let (child, options) = (call.int32(0)?, call.uint32(2)?);
    let child = u64::try_from(child).ok().filter(|&child| child != 0);
    let (id, status) = match call.env.child(child) {
        Waited::Nobody => return Err(Errno::ECHILD.into()),
        Waited::Later if options & AT_ONCE != 0 => return Ok(SysResult::number(0)),
        Waited::Later => {
            return Err(call
                .wait(None, Waker::Program)
                .unwrap_or(Errno::ECHILD.into()));
        }
        Waited::Ended(id, status) => (id, status),
    };
    if !call.is_null(1)? {
        let bytes = bytes_of(call, status);
        call.memory.write(call.args[1], &bytes)?;
    }
    if !call.is_null(3)? {
        call.put(3, &[0; 144])?;
    }
    call.env.forget_child(id);
    if matches!(call.env.signals.effect(SIGCHLD), Effect::Call(_)) {
        call.differs(Difference::ChildSignal);
    }
    Ok(SysResult::number(id))
}

/// The bytes of a status.
fn bytes_of(call: &mut Call<'_>, status: Value) -> Vec<Byte> {
    let pool = call.memory.pool();
    match status {
        Value::Int(status) => (status as u32).to_le_bytes().map(Byte::Concrete).to_vec(),
        other => {
            let word = other.to_expr(pool, 32);
            let byte = |at| {
                let byte = pool.extract(word, at * 8, 8);
                Byte::from_expr(pool, byte)
            };
            (0..4u32).map(byte).collect()
        }
    }
}

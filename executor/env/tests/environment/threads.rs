//! What calls ask of threads, and what they do where there is one.

use crate::devices::{Machine, machine};
use plat_env::{PID, SysResult, ThreadCall, Time};
use plat_expr::Value;

const WAIT: u64 = 0;
const WAKE: u64 = 1;
const REQUEUE: u64 = 3;
const CMP_REQUEUE: u64 = 4;
const LOCK_PI: u64 = 6;
const WAIT_BITSET: u64 = 9;
const PRIVATE: u64 = 128;

fn futex(m: &mut Machine, args: &[u64]) -> SysResult {
    m.run(libc::SYS_futex, args)
}

fn time(m: &mut Machine, seconds: u64, nanos: u64) -> u64 {
    m.memory
        .buffer(&[seconds.to_le_bytes(), nanos.to_le_bytes()].concat())
}

#[test]
fn a_wait_looks_at_the_word_and_the_limit() {
    let mut m = machine();
    m.env.thread.others = true;
    let word = m.memory.buffer(&7u32.to_le_bytes());
    let waits = |until| {
        SysResult::Thread(ThreadCall::Wait {
            word,
            bits: u32::MAX,
            until,
        })
    };
    assert_eq!(futex(&mut m, &[word, WAIT | PRIVATE, 7, 0]), waits(None));
    let again = -i64::from(libc::EAGAIN);
    assert_eq!(m.call(libc::SYS_futex, &[word, WAIT, 8, 0]), again);
    let long = time(&mut m, 3, 1);
    let now = m.env.clock.uptime();
    let until = Time {
        seconds: now.seconds + 3,
        nanos: now.nanos + 1,
    };
    assert_eq!(futex(&mut m, &[word, WAIT, 7, long]), waits(Some(until)));
    // A point in time, of which clock it is.
    let now = m.env.clock.now();
    let at = time(&mut m, now.seconds as u64 + 2, now.nanos as u64);
    let later = m.env.clock.uptime().seconds + 2;
    let real = WAIT_BITSET | 256;
    let SysResult::Thread(ThreadCall::Wait {
        bits: 5,
        until: Some(until),
        ..
    }) = futex(&mut m, &[word, real, 7, at, 0, 5])
    else {
        panic!("it waits until then, by these bits");
    };
    assert_eq!(until.seconds, later);
    let invalid = -i64::from(libc::EINVAL);
    assert_eq!(
        m.call(libc::SYS_futex, &[word, WAIT_BITSET, 7, 0, 0, 0]),
        invalid
    );
    assert_eq!(
        m.call(libc::SYS_futex, &[word, LOCK_PI, 0, 0]),
        -i64::from(libc::ENOSYS)
    );
}

#[test]
fn one_thread_waits_for_the_time_alone() {
    let mut m = machine();
    let word = m.memory.buffer(&0u32.to_le_bytes());
    let limit = time(&mut m, 2, 0);
    let before = m.env.clock.uptime().seconds;
    let timed_out = -i64::from(libc::ETIMEDOUT);
    assert_eq!(m.call(libc::SYS_futex, &[word, WAIT, 0, limit]), timed_out);
    assert_eq!(m.env.clock.uptime().seconds, before + 2);
    assert_eq!(m.call(libc::SYS_nanosleep, &[limit, 0]), 0);
    assert_eq!(m.env.clock.uptime().seconds, before + 4);
    assert_eq!(m.run(libc::SYS_exit, &[3]), SysResult::Exit(3));
    assert_eq!(
        m.call(libc::SYS_tkill, &[PID + 1, 0]),
        -i64::from(libc::ESRCH)
    );
}

#[test]
fn several_threads_are_asked_about() {
    let mut m = machine();
    m.env.thread.others = true;
    m.env.thread.id = PID + 2;
    assert_eq!(m.call(libc::SYS_gettid, &[]), PID as i64 + 2);
    assert_eq!(m.call(libc::SYS_getpid, &[]), PID as i64);
    let (word, other) = (m.memory.buffer(&[1, 0, 0, 0]), m.memory.buffer(&[0; 4]));
    let asked = [
        (
            futex(&mut m, &[word, WAKE, 3]),
            ThreadCall::Wake {
                word,
                most: 3,
                bits: u32::MAX,
            },
        ),
        (
            futex(&mut m, &[word, REQUEUE, 1, 2, other]),
            ThreadCall::Requeue {
                word,
                wake: 1,
                to: other,
                moved: 2,
                counts: false,
            },
        ),
        (
            futex(&mut m, &[word, CMP_REQUEUE, 0, 2, other, 1]),
            ThreadCall::Requeue {
                word,
                wake: 0,
                to: other,
                moved: 2,
                counts: true,
            },
        ),
        (m.run(libc::SYS_sched_yield, &[]), ThreadCall::Yield),
        (m.run(libc::SYS_exit, &[3]), ThreadCall::End(3)),
        (
            m.run(libc::SYS_tkill, &[PID, 10]),
            ThreadCall::Signal {
                thread: Some(PID),
                signal: 10,
            },
        ),
        (
            m.run(libc::SYS_set_tid_address, &[word]),
            ThreadCall::ClearAtEnd(Value::Int(word)),
        ),
    ];
    for (result, call) in asked {
        assert_eq!(result, SysResult::Thread(call));
    }
    let again = -i64::from(libc::EAGAIN);
    assert_eq!(
        m.call(libc::SYS_futex, &[word, CMP_REQUEUE, 0, 2, other, 9]),
        again
    );
    let limit = time(&mut m, 2, 0);
    let now = m.env.clock.uptime();
    let until = Time {
        seconds: now.seconds + 2,
        nanos: now.nanos,
    };
    let sleeps = m.run(libc::SYS_nanosleep, &[limit, 0]);
    assert_eq!(sleeps, SysResult::Thread(ThreadCall::Sleep { until }));
}

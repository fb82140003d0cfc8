//! Objects of System V IPC where several threads wait.

use crate::devices::{Machine, machine};
use plat_env::{PID, SysResult, ThreadCall};

const PRIVATE: u64 = 0;
const SET_VALUE: u64 = 16;
const WAITING_FOR_MORE: u64 = 14;

fn operations(m: &mut Machine, all: &[(u16, i16)]) -> u64 {
    let bytes = all.iter().flat_map(|&(at, change)| {
        let flags = 0u16.to_le_bytes();
        [at.to_le_bytes(), change.to_le_bytes(), flags].concat()
    });
    let bytes: Vec<u8> = bytes.collect();
    m.memory.buffer(&bytes)
}

fn runs(m: &mut Machine, thread: u64) {
    m.env.thread.id = PID + thread;
    m.env.thread.others = true;
}

fn waits(result: SysResult) -> bool {
    matches!(result, SysResult::Thread(ThreadCall::Repeat(_)))
}

#[test]
fn threads_take_semaphores_in_the_order_in_which_they_came() {
    let mut m = machine();
    let set = m.call(libc::SYS_semget, &[PRIVATE, 1, 0o600]) as u64;
    let take = operations(&mut m, &[(0, -1)]);
    let give = operations(&mut m, &[(0, 1)]);
    let semop = |m: &mut Machine, thread: u64, what: u64| {
        runs(m, thread);
        m.run(libc::SYS_semop, &[set, what, 1])
    };
    for thread in [3, 1, 2] {
        assert!(waits(semop(&mut m, thread, take)));
    }
    assert_eq!(m.call(libc::SYS_semctl, &[set, 0, WAITING_FOR_MORE]), 3);
    assert_eq!(
        semop(&mut m, 0, give),
        SysResult::Return(plat_expr::Value::Int(0))
    );
    // It is the third thread's already, whoever asks first.
    assert!(waits(semop(&mut m, 0, take)));
    assert!(waits(semop(&mut m, 1, take)));
    assert!(!waits(semop(&mut m, 3, take)));
    assert_eq!(m.call(libc::SYS_semctl, &[set, 0, WAITING_FOR_MORE]), 3);
    // A thread that is interrupted waits no more.
    m.env.leave_line(PID + 1);
    semop(&mut m, 3, give);
    assert!(waits(semop(&mut m, 1, take)));
    assert!(!waits(semop(&mut m, 2, take)));
    // All hear of its removal.
    m.call(libc::SYS_semctl, &[set, 0, 0]);
    for thread in [0, 1] {
        runs(&mut m, thread);
        let removed = -i64::from(libc::EIDRM);
        assert_eq!(m.call(libc::SYS_semop, &[set, take, 1]), removed);
    }
}

#[test]
fn a_message_is_of_the_thread_that_waits_for_its_type() {
    let mut m = machine();
    let queue = m.call(libc::SYS_msgget, &[PRIVATE, 0o600]) as u64;
    let room = m.memory.buffer(&[0; 24]);
    let message = [2u64.to_le_bytes(), *b"message\0"].concat();
    let message = m.memory.buffer(&message);
    let receive = [1, 2].map(|kind| [queue, room, 16, kind, 0]);
    runs(&mut m, 1);
    assert!(waits(m.run(libc::SYS_msgrcv, &receive[0])));
    runs(&mut m, 2);
    assert!(waits(m.run(libc::SYS_msgrcv, &receive[1])));
    runs(&mut m, 0);
    assert_eq!(m.call(libc::SYS_msgsnd, &[queue, message, 8, 0]), 0);
    let none = -i64::from(libc::ENOMSG);
    let at_once = [queue, room, 16, 0, libc::IPC_NOWAIT as u64];
    assert_eq!(m.call(libc::SYS_msgrcv, &at_once), none);
    runs(&mut m, 1);
    assert!(waits(m.run(libc::SYS_msgrcv, &receive[0])));
    runs(&mut m, 2);
    assert_eq!(m.call(libc::SYS_msgrcv, &receive[1]), 8);
    let got = m.memory.bytes_at(room, 16);
    assert_eq!(got[..8], 2u64.to_le_bytes());
    assert_eq!(&got[8..], b"message\0");
}

#[test]
fn a_number_below_zero_is_none() {
    let mut m = machine();
    let below = -1i64 as u64;
    let invalid = -i64::from(libc::EINVAL);
    assert_eq!(
        m.call(libc::SYS_semctl, &[below, 0, SET_VALUE, below]),
        invalid
    );
    assert_eq!(m.call(libc::SYS_shmctl, &[below, 0, 0]), invalid);
    assert_eq!(m.call(libc::SYS_msgctl, &[below, 0, 0]), invalid);
}

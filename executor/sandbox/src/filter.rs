//! A filter of system calls whose calls wait for another process, and how its end gets there.
//!
//! seccompiler, which makes the other filters, has no such action.

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, FromRawFd as _, OwnedFd, RawFd};

/// Room for a descriptor that is sent along.
const ALONG: usize = rustix::cmsg_space!(ScmRights(1));

/// In the child: from now on such calls wait for an answer. Without such filters it goes on.
///
/// # Errors
/// When the filter is there and cannot be sent.
pub fn send(channel: impl AsFd) -> io::Result<()> {
    let Some(listener) = filter() else {
        return Ok(());
    };
    let mut room = [MaybeUninit::uninit(); ALONG];
    let mut along = SendAncillaryBuffer::new(&mut room);
    let descriptors = [listener.as_fd()];
    along.push(SendAncillaryMessage::ScmRights(&descriptors));
    sendmsg(
        channel,
        &[IoSlice::new(&[0])],
        &mut along,
        SendFlags::empty(),
    )?;
    Ok(())
}

/// The end of the filter that a child has sent, if it has one.
pub fn receive(channel: impl AsFd) -> Option<OwnedFd> {
    let mut room = [MaybeUninit::uninit(); ALONG];
    let mut along = RecvAncillaryBuffer::new(&mut room);
    let (mut byte, flags) = ([0], RecvFlags::CMSG_CLOEXEC);
    recvmsg(
        channel,
        &mut [IoSliceMut::new(&mut byte)],
        &mut along,
        flags,
    )
    .ok()?;
    along.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    })
}

/// Has every `getdents64` and `getrandom` of this process and its descendants wait; where they are told,
/// if the system can do that.
fn filter() -> Option<OwnedFd> {
    const MACHINE: u32 = 0xc000_003e;
    const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    const IS: u32 = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
    const RETURN: u32 = libc::BPF_RET | libc::BPF_K;
    let step = |code: u32, k: u32, (jt, jf): (u8, u8)| libc::sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    };
    // struct seccomp_data has the number of the call, then the architecture.
    let steps = [
        step(LOAD, 4, (0, 0)),
        step(IS, MACHINE, (0, 4)),
        step(LOAD, 0, (0, 0)),
        step(IS, libc::SYS_getdents64 as u32, (1, 0)),
        step(IS, libc::SYS_getrandom as u32, (0, 1)),
        step(RETURN, libc::SECCOMP_RET_USER_NOTIF, (0, 0)),
        step(RETURN, libc::SECCOMP_RET_ALLOW, (0, 0)),
    ];
    let program = libc::sock_fprog {
        len: steps.len() as u16,
        filter: steps.as_ptr().cast_mut(),
    };
    // SAFETY: the system reads the filter while it is there, and what it returns is nobody else's.
    unsafe {
        if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
            return None;
        }
        let listener = libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
            &raw const program,
        );
        (listener >= 0).then(|| OwnedFd::from_raw_fd(listener as RawFd))
    }
}

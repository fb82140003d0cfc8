//! A filter of system calls whose calls wait for another process, and how its end gets there.

use std::io;
use std::mem;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

/// Room for a descriptor that is sent along.
#[repr(C, align(8))]
struct Along([u8; 24]);

/// In the child: from now on such calls wait for an answer. Without such filters it goes on.
///
/// # Errors
/// When the filter is there and cannot be sent.
pub fn send(channel: RawFd) -> io::Result<()> {
    let Some(listener) = filter() else {
        return Ok(());
    };
    let (mut byte, mut along) = ([0u8], Along([0; 24]));
    let mut part = libc::iovec {
        iov_base: byte.as_mut_ptr().cast(),
        iov_len: 1,
    };
    // SAFETY: the message refers to memory that outlives the call, and has room for one descriptor.
    let sent = unsafe {
        let message = message(&mut part, &mut along);
        let head = libc::CMSG_FIRSTHDR(&raw const message);
        (*head).cmsg_level = libc::SOL_SOCKET;
        (*head).cmsg_type = libc::SCM_RIGHTS;
        (*head).cmsg_len = libc::CMSG_LEN(size_of::<RawFd>() as u32) as usize;
        libc::CMSG_DATA(head).cast::<RawFd>().write(listener);
        libc::sendmsg(channel, &raw const message, 0)
    };
    // The descriptor here is closed when the program is executed.
    match sent {
        1 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The end of the filter that a child has sent, if it has one.
pub fn receive(channel: &UnixStream) -> Option<OwnedFd> {
    let (mut byte, mut along) = ([0u8], Along([0; 24]));
    let mut part = libc::iovec {
        iov_base: byte.as_mut_ptr().cast(),
        iov_len: 1,
    };
    // SAFETY: as above; a descriptor that was sent along is nobody else's.
    unsafe {
        let mut message = message(&mut part, &mut along);
        let flags = libc::MSG_CMSG_CLOEXEC;
        if libc::recvmsg(channel.as_raw_fd(), &raw mut message, flags) != 1 {
            return None;
        }
        let head = libc::CMSG_FIRSTHDR(&raw const message);
        if head.is_null() || (*head).cmsg_type != libc::SCM_RIGHTS {
            return None;
        }
        Some(OwnedFd::from_raw_fd(
            libc::CMSG_DATA(head).cast::<RawFd>().read(),
        ))
    }
}

fn message(part: &mut libc::iovec, along: &mut Along) -> libc::msghdr {
    // SAFETY: a structure of numbers and pointers, all of which may be null.
    let mut message: libc::msghdr = unsafe { mem::zeroed() };
    message.msg_iov = part;
    message.msg_iovlen = 1;
    message.msg_control = along.0.as_mut_ptr().cast();
    message.msg_controllen = along.0.len();
    message
}

/// Has every `getdents64` and `getrandom` of this process and its descendants wait; where they are told,
/// if the system can do that.
fn filter() -> Option<RawFd> {
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
    // SAFETY: the system reads the filter while it is there.
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
        (listener >= 0).then_some(listener as RawFd)
    }
}

//! No network: a namespace that has its own loopback device and no other one, so that a program can
//! still talk to itself. Who may not make one for itself may in a user namespace, in which it stays
//! the same user (other users look like nobody). Where there is neither, a filter of system calls
//! refuses sockets but those of the Unix family, `io_uring`, which would go around it, and objects of
//! System V IPC and queues of messages, which would be the host's.

use rustix::process::{getegid, geteuid};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};
use std::error::Error;
use std::fs;
use std::io;

/// What keeps this process from the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Network {
    /// A namespace.
    Namespace,
    /// A filter of system calls.
    Filter,
    /// Nothing.
    Open,
}

/// Leaves the network, with this process and all that it starts.
///
/// # Errors
/// When a namespace was made that cannot be used.
pub fn leave() -> io::Result<Network> {
    let apart = libc::CLONE_NEWNET | libc::CLONE_NEWIPC;
    if unshare(apart) {
        loopback();
        return Ok(Network::Namespace);
    }
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    if unshare(apart | libc::CLONE_NEWUSER) {
        // In this order: who cannot change groups may say which one it is.
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
        fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
        loopback();
        return Ok(Network::Namespace);
    }
    Ok(match filter() {
        Ok(()) => Network::Filter,
        Err(_) => Network::Open,
    })
}

fn unshare(what: i32) -> bool {
    // SAFETY: it concerns this process only, which has one thread.
    unsafe { libc::unshare(what) == 0 }
}

/// Switches the loopback device on. Without it programs cannot talk to themselves, and that is all.
fn loopback() {
    // SAFETY: the structure is one of numbers, and is there while the calls use it.
    unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        for (to, from) in request.ifr_name.iter_mut().zip(c"lo".to_bytes()) {
            *to = from.cast_signed();
        }
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as i16;
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if socket >= 0 {
            libc::ioctl(socket, libc::SIOCSIFFLAGS as _, &raw const request);
            libc::close(socket);
        }
    }
}

/// Refuses all sockets but those of the Unix family.
fn filter() -> Result<(), Box<dyn Error>> {
    let family = SeccompCondition::new(
        0,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::Ne,
        libc::AF_UNIX as u64,
    )?;
    let refused = vec![SeccompRule::new(vec![family])?];
    let rules = [
        (libc::SYS_socket, refused),
        (libc::SYS_io_uring_setup, Vec::new()),
        (libc::SYS_shmget, Vec::new()),
        (libc::SYS_semget, Vec::new()),
        (libc::SYS_msgget, Vec::new()),
        (libc::SYS_mq_open, Vec::new()),
    ];
    let filter = SeccompFilter::new(
        rules.into_iter().collect(),
        SeccompAction::Allow,
        SeccompAction::Errno(libc::EACCES as u32),
        TargetArch::x86_64,
    )?;
    let filter: BpfProgram = filter.try_into()?;
    Ok(seccompiler::apply_filter(&filter)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the system refuses what returns this.
    fn refused(result: libc::c_int) -> bool {
        result < 0 && io::Error::last_os_error().raw_os_error() == Some(libc::EACCES)
    }

    #[test]
    fn the_filter_leaves_sockets_of_the_unix_family_alone() {
        // The filter is the thread's.
        let thread = std::thread::spawn(|| {
            filter().expect("a filter");
            // SAFETY: these calls take numbers, and what they make is closed or refused.
            unsafe {
                let socket = libc::socket(libc::AF_UNIX, libc::SOCK_STREAM, 0);
                assert!(socket >= 0);
                libc::close(socket);
                assert!(refused(libc::socket(libc::AF_INET, libc::SOCK_STREAM, 0)));
                assert!(refused(libc::shmget(libc::IPC_PRIVATE, 1, 0o600)));
                assert!(refused(libc::semget(libc::IPC_PRIVATE, 1, 0o600)));
                assert!(refused(libc::msgget(libc::IPC_PRIVATE, 0o600)));
            }
        });
        thread.join().expect("what was expected");
    }
}

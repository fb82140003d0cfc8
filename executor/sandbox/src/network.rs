//! No network: a namespace that has its own loopback device and no other one, so that a program can
//! still talk to itself. Who may not make one for itself may in a user namespace, in which it stays
//! the same user (other users look like nobody). Where there is neither, a filter of system calls
//! refuses sockets but those of the Unix family, and `io_uring`, which would go around it.

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

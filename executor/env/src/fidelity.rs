//! How the model's system calls differ from Linux.
//!
//! The model is one process on a machine of its own. A deviation that such a process can observe is
//! a [`Difference`], which is named and counted when a program meets it; others are silent. Calls
//! that are not modelled fail with `ENOSYS`, and are named and counted too.

/// How a modelled call compares with Linux.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fidelity {
    /// It behaves as on Linux for a single process.
    Same,
    /// It does nothing or returns invented data, which a single process cannot detect, for this
    /// reason.
    Harmless(&'static str),
    /// In these cases the program observes a difference.
    Differs(&'static [Difference]),
}

macro_rules! differences {
    ($($(#[$doc:meta])* $name:ident: $what:literal, $sees:literal;)*) => {
        /// An observable difference from Linux.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Difference {
            $($(#[$doc])* $name,)*
        }

        impl Difference {
            /// All of them.
            pub const ALL: &'static [Difference] = &[$(Difference::$name),*];

            /// The case in which it happens.
            pub const fn what(self) -> &'static str {
                match self { $(Difference::$name => $what,)* }
            }

            /// What the program sees.
            pub const fn sees(self) -> &'static str {
                match self { $(Difference::$name => $sees,)* }
            }
        }
    };
}

differences! {
    /// One segment at two addresses.
    AttachedAgain: "a segment that the process has attached already", "it gets the same address again";
    /// Data beyond 1 MiB.
    BreakLimit: "more than 1 MiB", "the break stays where it is";
    /// `SIGCHLD`
    ChildSignal: "a handler of SIGCHLD", "it does not run";
    /// There is no network.
    ConnectOutside: "an address outside of the program", "nobody is there, or is left; it fails with ECONNREFUSED (--sym-server N makes a peer that answers with N symbolic bytes)";
    /// Descriptors and credentials that are sent over a socket.
    ControlMessage: "ancillary data", "they are not sent";
    /// A command that the model does not have.
    FcntlCommand: "a command that is not modelled", "it fails with EINVAL";
    /// Holes and other modes.
    FallocateMode: "a mode", "it fails with EOPNOTSUPP";
    /// Waiting for another thread.
    /// A large file of the host.
    HostFileSize: "a file of the host over the size limit", "it fails with EFBIG";
    /// A file that the program may not read.
    NotGiven: "a file that the program was not given", "it looks absent (ENOENT)";
    /// A request to a device.
    IoctlRequest: "a request that is not modelled", "it fails with ENOTTY";
    /// What is there of all processes, and its limits.
    IpcInformation: "information on all objects", "it fails with EINVAL";
    /// `/proc`, `/sys`.
    KernelFiles: "a file below /proc or /sys", "these directories are empty; it fails with ENOENT";
    /// Several processes at once.
    KillGroup: "a group of processes", "only the calling process gets the signal";
    /// Output that is not kept whole.
    LongOutput: "more than 16 MiB of output", "it is written; the test keeps the first 16 MiB";
    /// `MADV_DONTNEED` and its relatives.
    MadviseDiscard: "discarding contents", "the contents stay";
    /// `MSG_COPY`.
    MessageCopy: "MSG_COPY", "it fails with ENOSYS";
    /// `MAP_FIXED`.
    MmapFixed: "a fixed address", "it fails with ENOMEM";
    /// Memory without access.
    MmapProtection: "protection", "it is not enforced; the memory can be read and written";
    /// A file that is mapped for others.
    MmapShared: "a shared mapping of a file that can be written", "it fails with ENODEV";
    /// Memory that loses access.
    MprotectIgnored: "protection", "it is not enforced; the memory can be read and written";
    /// Devices, pipes and sockets of the host.
    OpenDevice: "a device, pipe or socket of the host", "it fails with EACCES";
    /// Reading what the program itself writes to its standard output.
    OpenOutput: "standard output or error to be read", "it fails with EACCES";
    /// `O_TMPFILE`.
    OpenTemporary: "O_TMPFILE", "it fails with EOPNOTSUPP";
    /// `MSG_OOB`
    OutOfBand: "data out of band", "it fails with EINVAL";
    /// An operation that the model does not have.
    PrctlOption: "an option that is not modelled", "it fails with EINVAL";
    /// The name of a thread.
    PrctlName: "PR_SET_NAME", "the name stays";
    /// The superuser asks for a policy of real time.
    RealTime: "a policy of real time", "it fails with EPERM";
    /// The only process would wait for itself.
    ReadEmptyPipe: "an empty pipe", "no other process can write to it; it fails with EAGAIN";
    /// Exchanging two files.
    RenameFlags: "flags other than RENAME_NOREPLACE", "it fails with EINVAL";
    /// A bound on processor time, memory, stack, ...
    ResourceLimit: "a limit other than on open files", "it is stored and not enforced";
    /// Captured output keeps the order of the writes.
    SeekOutput: "moving in a symbolic standard output", "the position moves; captured output keeps the order of the writes";
    /// Raw sockets and those of other families.
    SocketKind: "a raw socket, one for pings, or one of another family", "it is refused, as if the program were not allowed to have it or the system did not have it";
    /// A signal after some time.
    Timer: "a timer", "it never fires";
    /// A file that becomes too large.
    WriteFileSize: "beyond the limit on a file's size", "it fails with EFBIG";
    /// The only process would wait for itself.
    WriteFullPipe: "a full pipe", "no other process can read from it; it fails with EAGAIN";
}

use Difference::*;
use Fidelity::{Differs, Harmless, Same};

const OPENING: Fidelity = Differs(&[
    HostFileSize,
    KernelFiles,
    NotGiven,
    OpenDevice,
    OpenOutput,
    OpenTemporary,
]);
const PATH: Fidelity = Differs(&[KernelFiles, NotGiven]);
const ONE_PROCESS: &str = "there is no other process that it could concern";
const ADVICE: &str = "advice has no effect that a program sees";
const INVENTED: &str = "the numbers describe an invented machine";
const OUTSIDE: &str = "who connects from outside is there at once";
const OPTIONS: &str = "options of a network have no effect that a program sees";
const PAGED: &str = "memory is never paged out";
const NO_ORDER: &str = "one thread runs at a time, in an order that is the schedule's";
const DURABLE: &str = "nothing crashes between a write and a read";

/// Every call of the model, by name.
pub static TABLE: &[(&str, Fidelity)] = &[
    ("accept", Harmless(OUTSIDE)),
    ("accept4", Harmless(OUTSIDE)),
    ("access", PATH),
    ("alarm", Differs(&[Timer])),
    ("bind", Harmless("a name in the file system has no file")),
    ("brk", Differs(&[BreakLimit])),
    ("chdir", PATH),
    ("chmod", PATH),
    ("chown", PATH),
    ("clock_getres", Same),
    ("clock_gettime", Harmless("time passes with system calls")),
    ("clock_nanosleep", Same),
    ("close", Same),
    ("close_range", Same),
    ("connect", Differs(&[ConnectOutside])),
    ("copy_file_range", Same),
    (
        "creat",
        Differs(&[HostFileSize, KernelFiles, NotGiven, OpenDevice]),
    ),
    ("dup", Same),
    ("dup2", Same),
    ("dup3", Same),
    ("epoll_create", Same),
    ("epoll_create1", Same),
    ("epoll_ctl", Same),
    ("epoll_pwait", Same),
    ("epoll_wait", Same),
    ("eventfd", Same),
    ("eventfd2", Same),
    ("exit", Same),
    ("exit_group", Same),
    ("faccessat", PATH),
    ("faccessat2", PATH),
    ("fadvise64", Harmless(ADVICE)),
    ("fallocate", Differs(&[FallocateMode])),
    ("fchdir", Same),
    ("fchmod", Same),
    ("fchmodat", PATH),
    ("fchown", Same),
    ("fchownat", PATH),
    ("fcntl", Differs(&[FcntlCommand])),
    ("fdatasync", Harmless(DURABLE)),
    ("flock", Harmless(ONE_PROCESS)),
    ("fork", Same),
    ("fstat", Same),
    ("fstatfs", Harmless(INVENTED)),
    ("fsync", Harmless(DURABLE)),
    ("ftruncate", Same),
    (
        "futex",
        Harmless("a wait with a time limit ends when no thread can run"),
    ),
    ("getcpu", Harmless(INVENTED)),
    ("getcwd", Same),
    ("getdents64", Differs(&[NotGiven])),
    ("getegid", Same),
    ("geteuid", Same),
    ("getgid", Same),
    ("getgroups", Same),
    ("getitimer", Harmless("setting a timer is named")),
    ("getpeername", Same),
    ("getpgid", Same),
    ("getpgrp", Same),
    ("getpid", Same),
    ("getppid", Same),
    ("getpriority", Same),
    ("getrandom", Harmless("the bytes are the same in every run")),
    ("getresgid", Same),
    ("getresuid", Same),
    ("getrlimit", Same),
    ("getrusage", Harmless(INVENTED)),
    ("getsid", Same),
    ("getsockname", Same),
    ("getsockopt", Harmless(OPTIONS)),
    ("gettid", Same),
    ("gettimeofday", Harmless("time passes with system calls")),
    ("getuid", Same),
    ("ioctl", Differs(&[IoctlRequest])),
    ("kill", Differs(&[KillGroup])),
    ("lchown", PATH),
    ("link", PATH),
    ("linkat", PATH),
    ("listen", Harmless(OUTSIDE)),
    ("lseek", Differs(&[SeekOutput])),
    ("lstat", PATH),
    ("madvise", Differs(&[MadviseDiscard])),
    ("mkdir", PATH),
    ("mkdirat", PATH),
    ("mlock", Harmless(PAGED)),
    ("mlockall", Harmless(PAGED)),
    ("mmap", Differs(&[MmapFixed, MmapProtection, MmapShared])),
    ("mprotect", Differs(&[MprotectIgnored])),
    ("msgctl", Differs(&[IpcInformation])),
    ("msgget", Same),
    ("msgrcv", Differs(&[MessageCopy])),
    ("msgsnd", Same),
    ("msync", Harmless("no mapping is written to a file")),
    ("munlock", Harmless(PAGED)),
    ("munlockall", Harmless(PAGED)),
    ("munmap", Harmless("a part of a mapping stays accessible")),
    ("nanosleep", Same),
    ("newfstatat", PATH),
    ("open", OPENING),
    ("openat", OPENING),
    ("pause", Same),
    ("pipe", Same),
    ("pipe2", Same),
    ("poll", Same),
    ("ppoll", Same),
    ("prctl", Differs(&[PrctlName, PrctlOption])),
    ("pread64", Same),
    ("preadv", Same),
    ("prlimit64", Differs(&[ResourceLimit])),
    ("pselect6", Same),
    ("pwrite64", Differs(&[WriteFileSize])),
    ("pwritev", Differs(&[WriteFileSize])),
    ("read", Differs(&[ReadEmptyPipe])),
    ("readahead", Harmless(ADVICE)),
    ("readlink", PATH),
    ("readlinkat", PATH),
    ("readv", Differs(&[ReadEmptyPipe])),
    ("recvfrom", Differs(&[OutOfBand])),
    ("recvmsg", Differs(&[OutOfBand])),
    ("rename", PATH),
    ("renameat", PATH),
    ("renameat2", Differs(&[KernelFiles, RenameFlags])),
    ("rmdir", PATH),
    ("rt_sigaction", Same),
    ("rt_sigpending", Same),
    ("rt_sigprocmask", Same),
    ("rt_sigsuspend", Same),
    ("rt_sigtimedwait", Same),
    ("sched_get_priority_max", Same),
    ("sched_get_priority_min", Same),
    ("sched_getaffinity", Harmless(INVENTED)),
    ("sched_getparam", Same),
    ("sched_getscheduler", Same),
    ("sched_setaffinity", Harmless("there is one processor")),
    ("sched_setparam", Harmless(NO_ORDER)),
    ("sched_setscheduler", Differs(&[RealTime])),
    ("sched_yield", Same),
    ("select", Same),
    ("semctl", Differs(&[IpcInformation])),
    ("semget", Same),
    ("semop", Same),
    ("semtimedop", Same),
    (
        "sendfile",
        Differs(&[LongOutput, WriteFileSize, WriteFullPipe]),
    ),
    ("sendmsg", Differs(&[ControlMessage, OutOfBand])),
    ("sendto", Differs(&[OutOfBand])),
    (
        "set_robust_list",
        Harmless("threads end in the library, which goes through the list"),
    ),
    ("set_tid_address", Same),
    ("setgid", Same),
    ("setgroups", Harmless("further groups open no files")),
    ("setitimer", Differs(&[Timer])),
    ("setpgid", Harmless(ONE_PROCESS)),
    ("setpriority", Harmless(NO_ORDER)),
    ("setregid", Same),
    ("setresgid", Same),
    ("setresuid", Same),
    ("setreuid", Same),
    ("setrlimit", Differs(&[ResourceLimit])),
    (
        "setsid",
        Harmless("the process leads its group, as under a shell"),
    ),
    ("setsockopt", Harmless(OPTIONS)),
    ("setuid", Same),
    (
        "shmat",
        Differs(&[AttachedAgain, MmapFixed, MmapProtection]),
    ),
    ("shmctl", Differs(&[IpcInformation])),
    ("shmdt", Same),
    ("shmget", Harmless("there are no huge pages")),
    ("shutdown", Same),
    (
        "sigaltstack",
        Harmless("a handler runs on the stack of the program"),
    ),
    ("signalfd", Same),
    ("signalfd4", Same),
    ("socket", Differs(&[SocketKind])),
    ("socketpair", Same),
    ("stat", PATH),
    ("statfs", PATH),
    ("statx", PATH),
    ("symlink", PATH),
    ("symlinkat", PATH),
    ("sync", Harmless(DURABLE)),
    ("syncfs", Harmless(DURABLE)),
    ("sysinfo", Harmless(INVENTED)),
    ("tgkill", Harmless(ONE_PROCESS)),
    ("time", Harmless("time passes with system calls")),
    ("timerfd_create", Same),
    ("timerfd_gettime", Same),
    ("timerfd_settime", Same),
    ("times", Harmless(INVENTED)),
    ("tkill", Harmless(ONE_PROCESS)),
    ("truncate", Differs(&[HostFileSize, KernelFiles, NotGiven])),
    ("umask", Same),
    ("uname", Harmless(INVENTED)),
    ("unlink", PATH),
    ("unlinkat", PATH),
    ("utimensat", PATH),
    ("utimes", PATH),
    ("vfork", Harmless("the child has a copy of the memory")),
    ("wait4", Differs(&[ChildSignal])),
    (
        "write",
        Differs(&[LongOutput, WriteFileSize, WriteFullPipe]),
    ),
    (
        "writev",
        Differs(&[LongOutput, WriteFileSize, WriteFullPipe]),
    ),
];

#[cfg(test)]
mod tests {
    use super::{Difference, Fidelity, TABLE};
    use crate::calls::modelled_calls;
    use std::collections::BTreeSet;

    #[test]
    fn each_call_of_the_model_is_in_the_table() {
        let listed: Vec<&str> = TABLE.iter().map(|entry| entry.0).collect();
        let mut modelled: Vec<&str> = modelled_calls().iter().map(|call| call.1).collect();
        modelled.sort_unstable();
        assert_eq!(listed, modelled);
    }

    #[test]
    fn each_difference_is_some_calls() {
        let of_calls = TABLE.iter().filter_map(|(_, fidelity)| match fidelity {
            Fidelity::Differs(differences) => Some(differences.iter().copied()),
            _ => None,
        });
        let used: BTreeSet<Difference> = of_calls.flatten().collect();
        assert!(used.into_iter().eq(Difference::ALL.iter().copied()));
    }
}

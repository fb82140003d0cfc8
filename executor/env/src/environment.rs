//! The operating system's part of a path's state.

use crate::clock::Clock;
use crate::descriptors::{Descriptors, O_LARGEFILE, Stream, Target};
use crate::host::Host;
use crate::input::{Inputs, SystemResult};
use crate::output::Output;
use crate::processes::{Family, SharedMapping};
use crate::random::Random;
use crate::scheduling::Scheduling;
use crate::signals::Signals;
use crate::sockets::Outside;
use crate::symbolic_status::{FileName, INPUT_PERMISSIONS, Statuses};
use crate::threads::RunningThread;
use crate::tree::{FileTree, Follow, join};
use crate::users::Users;
use crate::world::Heard;
use plat_expr::{ExprId, Value};
use std::sync::Arc;

/// Descriptors of a process: `RLIMIT_NOFILE`.
pub const MAX_DESCRIPTORS: u64 = 1024;

/// The process and thread number of every program.
pub const PID: u64 = 1000;

/// No limit, in `struct rlimit`.
pub const UNLIMITED: u64 = u64::MAX;

/// The calls that can have injected failures (`--max-fail`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Injected {
    /// read, readv, pread64
    Read,
    /// write, writev, pwrite64
    Write,
    /// close
    Close,
    /// ftruncate, truncate
    Truncate,
    /// getcwd
    Getcwd,
}

/// Injected failures: for each kind of call, a symbolic number selects the call that fails, until
/// no failures are left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failures {
    /// How many more calls may fail.
    pub left: u32,
    /// For each kind, in the order of [`Injected`]: the 32-bit ordinal that fails.
    pub ordinals: [ExprId; 5],
    /// For each kind: how many calls were made.
    pub calls: [u32; 5],
}

/// An allocation that may fail (`--fail-malloc`): a symbolic number selects which one of the path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FailingAllocation {
    /// The 32-bit ordinal that fails.
    pub ordinal: ExprId,
    /// How many allocations were made.
    pub calls: u32,
    /// Whether it has failed.
    pub done: bool,
}

/// What calls come to on request.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Injections {
    /// System calls that fail.
    pub calls: Option<Failures>,
    /// An allocation that fails.
    pub allocation: Option<FailingAllocation>,
    /// What comes of programs that the program starts.
    pub system_result: Option<SystemResult>,
    /// Whether random numbers are symbolic.
    pub random: bool,
}

/// The object that holds the program break.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Break {
    /// Its first byte.
    pub base: Value,
    /// The bytes below the break.
    pub used: u64,
}

/// What a process has mapped beside its memory.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Mapped {
    /// The break, after the first call of `brk`.
    pub program_break: Option<Break>,
    /// The memory that it shares with processes that it makes.
    pub shared: Vec<SharedMapping>,
}

/// What a process may do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Permits {
    /// Permissions removed from new files.
    pub umask: u32,
    /// Soft and hard resource limits, by number.
    pub limits: Arc<[(u64, u64); 16]>,
    /// How it is scheduled.
    pub scheduling: Scheduling,
    /// Who it runs as.
    pub users: Users,
}

/// The model of the operating system on one path. Cheap to clone.
#[derive(Clone, PartialEq, Debug)]
pub struct Environment {
    /// Open files.
    pub descriptors: Descriptors,
    /// The file system.
    pub tree: FileTree,
    /// Captured standard output.
    pub stdout: Output,
    /// What is symbolic of the status of files.
    pub statuses: Statuses,
    /// Captured standard error.
    pub stderr: Output,
    /// The working directory, canonical.
    pub directory: Arc<[u8]>,
    /// Time.
    pub clock: Clock,
    /// Signals.
    pub signals: Signals,
    /// Random bytes.
    pub random: Random,
    /// What it has mapped.
    pub mapped: Mapped,
    /// What it may do.
    pub permits: Permits,
    /// Injected failures.
    pub injected: Injections,
    /// What the program may have heard of the world.
    pub heard: Heard,
    /// The running thread.
    pub thread: RunningThread,
    /// Its processes, and what they have in common.
    pub family: Family,
}

plat_expr::holder!(Failures { ordinals } plain { left, calls });
plat_expr::holder!(Injections { calls, allocation } plain { system_result, random });
plat_expr::holder!(Mapped {
    program_break,
    shared
});
plat_expr::holder!(FailingAllocation { ordinal } plain { calls, done });
plat_expr::holder!(Break { base } plain { used });
plat_expr::holder!(Environment {
    descriptors, tree, stdout, statuses, stderr, signals, mapped, injected, family,
} plain { directory, permits, clock, random, heard, thread });

impl Environment {
    /// The environment at program start: the three standard streams, and the input files in the
    /// working directory.
    pub fn new(host: &mut Host, inputs: &Inputs) -> Self {
        let mut tree = FileTree::new(host.identity());
        let start = host.start_directory().to_vec();
        let directory = match tree.walk(host, b"/", &start, Follow::Yes) {
            Ok(place)
                if place
                    .entry
                    .as_ref()
                    .is_some_and(|entry| entry.is_directory()) =>
            {
                place.path
            }
            _ => b"/".to_vec(),
        };
        let clock = host.clock();
        let mut descriptors = Descriptors::new(MAX_DESCRIPTORS as u32);
        descriptors.outside = Outside::new(&inputs.peers, &inputs.servers);
        let stdin = tree.new_file(inputs.stdin.clone(), INPUT_PERMISSIONS, clock.now());
        let standard = [
            (Target::File(stdin), O_LARGEFILE),
            (Target::Stream(Stream::Out), 1),
            (Target::Stream(Stream::Err), 1),
        ];
        for (target, flags) in standard {
            // Cannot fail: the table is empty.
            let _ = descriptors.open(target, flags);
        }
        let mut planted = vec![(FileName::Input, stdin)];
        for (name, contents) in &inputs.files {
            let path = if name.starts_with(b"/") {
                name.clone()
            } else {
                join(&directory, name)
            };
            let id = tree.plant(&path, contents.clone(), clock.now());
            planted.push((FileName::Named(name.clone()), id));
        }
        let number = |name: &FileName| {
            let found = planted.iter().find(|(one, _)| one == name);
            found.map(|&(_, id)| id)
        };
        Self {
            descriptors,
            tree,
            stdout: Output::default(),
            statuses: inputs.statuses.in_tree(number),
            stderr: Output::default(),
            directory: directory.into(),
            clock,
            signals: Signals::default(),
            random: Random::default(),
            mapped: Mapped::default(),
            permits: Permits {
                umask: 0o022,
                limits: Arc::new(initial_limits()),
                scheduling: Scheduling::default(),
                users: Users::of(host.identity()),
            },
            injected: Injections {
                calls: inputs.failures,
                allocation: inputs.failing_allocation,
                system_result: inputs.commands.result,
                random: inputs.random,
            },
            heard: Heard::default(),
            thread: RunningThread {
                id: PID,
                others: false,
                limit: None,
            },
            family: Family::default(),
        }
    }
}

/// The soft and hard resource limits that a shell on Debian starts programs with, by number.
pub fn initial_limits() -> [(u64, u64); 16] {
    let mut limits = [(UNLIMITED, UNLIMITED); 16];
    limits[3] = (8 << 20, UNLIMITED); // stack
    limits[4] = (0, UNLIMITED); // core
    limits[6] = (31_000, 31_000); // processes
    limits[7] = (MAX_DESCRIPTORS, MAX_DESCRIPTORS);
    limits[8] = (8 << 20, 8 << 20); // locked memory
    limits[11] = (31_000, 31_000); // pending signals
    limits[12] = (819_200, 819_200); // message queues
    limits[13] = (0, 0); // nice
    limits[14] = (0, 0); // real-time priority
    limits
}

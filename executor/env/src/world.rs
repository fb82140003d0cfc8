//! Which calls tell the program something of the world.
//!
//! A program that only writes to standard output or error, or changes its own memory, learns nothing:
//! what it does next is decided by what it knew before. Every other call is taken to tell it
//! something: what is in a file, what time it is, that somebody has waited.

use crate::descriptors::{Descriptors, Target};
use crate::environment::{Environment, UNLIMITED};
use plat_expr::Value;

const WRITE: u64 = 1;
const MMAP: u64 = 9;
const MPROTECT: u64 = 10;
const MUNMAP: u64 = 11;
const BRK: u64 = 12;
const WRITEV: u64 = 20;
const MREMAP: u64 = 25;
const MADVISE: u64 = 28;

const ALARM: u64 = 37;
const SETITIMER: u64 = 38;
const TIMER_SETTIME: u64 = 223;

/// `RLIMIT_CPU`.
const PROCESSOR_TIME: usize = 0;

/// `MAP_ANONYMOUS`.
const ANONYMOUS: u64 = 0x20;

/// What a program may have heard of the world.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Heard {
    /// Calls that may have told it something.
    pub calls: u64,
    /// Whether it may have started a timer.
    pub timers: bool,
}

/// Whether a call may tell the program something.
pub(crate) fn tells(descriptors: &Descriptors, number: u64, args: &[Value; 6]) -> bool {
    match number {
        WRITE | WRITEV => match args[0] {
            Value::Int(fd) => !is_stream(descriptors, fd as i32),
            _ => true,
        },
        MMAP => !matches!(args[3], Value::Int(flags) if flags & ANONYMOUS != 0),
        MPROTECT | MUNMAP | BRK | MREMAP | MADVISE => false,
        _ => true,
    }
}

/// Whether a call may start a timer, whose signal comes at any time.
pub(crate) fn starts_timer(number: u64) -> bool {
    matches!(number, ALARM | SETITIMER | TIMER_SETTIME)
}

fn is_stream(descriptors: &Descriptors, fd: i32) -> bool {
    let open = descriptors.usable(fd);
    open.is_ok_and(|open| matches!(open.target, Target::Stream(_)))
}

impl Environment {
    /// Whether the system may end the program, or run a handler, while it asks for nothing: it has
    /// started a timer, or its processor time is limited.
    pub fn may_interrupt(&self) -> bool {
        self.heard.timers || self.permits.limits[PROCESSOR_TIME].0 != UNLIMITED
    }

    /// Whether two environments are the same for a program that asks them nothing but what
    /// [`Environment::heard`] does not count: all but what was written, and the time.
    pub fn same_unasked(&self, other: &Self) -> bool {
        let Self {
            descriptors,
            tree,
            stdout: _,
            statuses,
            stderr: _,
            directory,
            permits,
            clock: _,
            signals,
            random,
            mapped,
            injected,
            heard,
            thread,
            family,
        } = self;
        (*heard, *thread) == (other.heard, other.thread)
            && *injected == other.injected
            && *statuses == other.statuses
            && *mapped == other.mapped
            && (permits, random) == (&other.permits, &other.random)
            && *signals == other.signals
            && *descriptors == other.descriptors
            && *directory == other.directory
            && *family == other.family
            && *tree == other.tree
    }
}

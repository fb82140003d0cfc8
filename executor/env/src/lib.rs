//! The model of Linux: system calls, files, descriptors, symbolic input; and the `.ktest` format.
//!
//! Each path owns an [`Environment`]; [`system_call`] executes a system call on it. The files of
//! the host are visible through one read-only [`Host`] for the run and are never written: a
//! program's changes live in a layer of its path. The model accesses the program's memory, and
//! makes values concrete, only through [`UserMemory`].
//!
//! Everything is deterministic: time starts at a fixed point and advances with every call, random
//! bytes come from a fixed seed, directory listings are sorted.

#![forbid(unsafe_code)]

mod call;
mod calls;
mod clock;
mod contents;
mod counters;
mod descriptors;
mod environment;
mod errno;
mod fidelity;
mod host;
mod input;
mod ipc;
pub mod ktest;
mod layout;
mod memory;
mod metadata;
mod names;
mod output;
mod processes;
mod random;
mod reach;
pub mod replay;
mod scheduling;
mod signals;
mod sockets;
mod symbolic_path;
mod symbolic_status;
mod threads;
mod tree;
mod users;
mod watched;
mod world;

pub use call::{SysResult, system_call};
pub use calls::modelled_calls;
pub use clock::{Clock, START_TIME};
pub use contents::{Contents, MAX_SIZE};
pub use descriptors::OpenId;
pub use environment::{Environment, FailingAllocation, PID, UNLIMITED, initial_limits};
pub use errno::Errno;
pub use fidelity::{Difference, Fidelity, TABLE as FIDELITY};
pub use host::Host;
pub use input::{
    Alternative, ArgSpec, COMMAND_OBJECT, CommandOutput, Commands, FileSpec, InputError,
    InputObject, InputSpec, Inputs, PROGRAM_ENVIRONMENT, RANDOM_OBJECT, SYSTEM_OBJECT, Source,
    SystemResult, is_status, parse_posix_options, peer_name, realise, server_name,
};
pub use ktest::{Ktest, KtestError};
pub use memory::{Stop, UserMemory};
pub use metadata::Time;
pub use names::{LAST as LAST_SYSTEM_CALL, name as system_call_name};
pub use output::Output;
pub use processes::{Own, ProcessCall, SharedMapping};
pub use random::Random;
pub use reach::{FileAccess, FileRules, Reach};
pub use signals::{Delivery, Effect, ThreadSignals};
pub use sockets::OutsideCounts;
pub use threads::{RunningThread, ThreadCall, Waits, Waker};
pub use world::Heard;

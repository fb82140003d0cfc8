//! External calls: machine code called by a program that is executed symbolically.
//!
//! The idea of "support for external calls" (KDAlloc paper, sections 3.1, 4.1 and 5.3): because
//! objects have addresses that exist on the machine, the memory that a callee can reach is put at
//! these addresses, the call is made, and what changed is read back.
//!
//! The call is made in a process of its own: the run has one [`Client`], which starts a helper
//! ([`helper::serve`]); the helper forks for every call. So a callee that crashes, hangs or exits
//! ends one path, no call sees what another path's call has left behind in a library, and the
//! physical pages go back with the process. Of what a callee forks nothing outlives its call; of
//! descriptors it has standard output and error, which are collected, and what its library opens. It
//! changes no files and reaches no network ([`plat_sandbox`]).
//! That is where plat departs from the paper, which calls inside the executor's process, keeps
//! pages for the next call by a moving average of what calls need, and hides the mapping from forks.

mod client;
pub mod helper;
mod native;
mod protocol;
mod regions;
mod shared;

pub use client::{Client, Error};
pub use protocol::{Block, Reply, Request, Returned, Scalar, Setup};
pub use regions::Region;

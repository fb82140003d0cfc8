//! Threads: one of a path's runs, and runs until it waits, yields or ends.
//!
//! The C library's own code for threads runs as any other; it makes threads by one function and waits by
//! one system call. What a thread is made of, and how the running one changes, is in [`switch`]; what
//! calls ask for in [`calls`]; who is next, and where the path splits over that, in [`schedule`].
//!
//! The schedule is a function of the path: the next thread is the one that follows in the ring of those
//! that can run, and a time limit is met when none can. With `--preemptions` a path splits over other
//! choices, of which each counts: the delays of "Delay-Bounded Scheduling" (Emmi, Qadeer, Rakamarić,
//! POPL 2011), at the places of CHESS ("Finding and Reproducing Heisenbugs in Concurrent Programs",
//! Musuvathi and others, OSDI 2008).

mod calls;
mod locals;
mod schedule;
mod switch;

pub(crate) use calls::Called;
pub(crate) use schedule::{SLICE, Turn};
pub(crate) use switch::Beginning;

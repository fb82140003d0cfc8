//! The processes of a path beside the running one.
//!
//! A state has the running process's memory and threads where a program with one process has them. The
//! others wait here, with all of their threads put aside. A path that has made no process has no table.

use super::distances::Distances;
use super::exceptions::Exceptions;
use super::threads::{Awaited, Threads};
use crate::hook::data::Datum;
use plat_env::{Own, Waker};
use plat_expr::{Rare, Value};
use plat_memory::Memory;
use std::rc::Rc;

/// A process that does not run.
#[derive(Clone)]
pub struct Process {
    /// Its number, as the kernel's.
    pub id: u64,
    /// Its memory.
    pub memory: Memory,
    /// See [`super::State::distances`].
    pub distances: Rare<Distances>,
    /// Its threads; none of them runs.
    pub threads: Box<Threads>,
    /// Its exceptions, beside those that belong to threads.
    pub exceptions: Rare<Exceptions>,
    /// What the model of the system keeps for it.
    pub own: Own,
    /// What hooks keep of it.
    pub(crate) hooks: Vec<Datum>,
}

/// The processes of a path that has made one.
#[derive(Clone, Default)]
pub struct Processes {
    /// The others, by number.
    pub others: Vec<Rc<Process>>,
    /// The status that the first one has ended with. It stays among the others, and its threads wait.
    pub status: Option<Value>,
}

plat_expr::holder!(Process { memory, threads, exceptions, own, hooks } plain { id, distances });
plat_expr::holder!(Processes { others, status } plain {});

impl Processes {
    /// Where the process of a number is among the others.
    pub fn find(&self, id: u64) -> Option<usize> {
        self.others
            .binary_search_by_key(&id, |process| process.id)
            .ok()
    }

    /// The first process behind this one, in the ring of all, that has a thread which can run; and that
    /// thread.
    pub fn runnable(&self, running: u64) -> Option<(u64, u64)> {
        let at = self.others.partition_point(|process| process.id < running);
        let mut ring = self.others[at..].iter().chain(&self.others[..at]);
        ring.find_map(|process| Some((process.id, *process.threads.runnable().first()?)))
    }

    /// Whether any of them can run, or will when its time limit is met.
    pub fn go_on(&self) -> bool {
        self.others.iter().any(|process| process.threads.go_on())
    }

    /// Lets threads go on that wait for a change.
    pub fn rouse(&mut self) {
        for process in &mut self.others {
            if process.threads.wait_for_change() {
                Rc::make_mut(process).threads.rouse();
            }
        }
    }

    /// Who may let any of them go on.
    pub fn waker(&self) -> Waker {
        let wakers = self.others.iter().map(|process| process.threads.waker());
        wakers.max().unwrap_or(Waker::Program)
    }
}

impl Threads {
    /// Whether any of those that do not run can, or will when its time limit is met.
    pub fn go_on(&self) -> bool {
        let waits_for_ever = |wait: super::threads::Wait| wait.until.is_none();
        let mut others = self.others.iter();
        others.any(|thread| !thread.wait.is_some_and(waits_for_ever))
    }

    /// Whether any of those that do not run waits for a change.
    pub fn wait_for_change(&self) -> bool {
        let mut waits = self.others.iter().filter_map(|thread| thread.wait);
        waits.any(|wait| matches!(wait.what, Awaited::Change { .. }))
    }
}

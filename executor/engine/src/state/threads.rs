//! The threads of a path beside the running one.
//!
//! A state has the running thread's frames where a program with one thread has them. The others wait
//! here: their frames, and what else a thread has of its own. A path that has made no thread has no
//! table.

use super::aside::Aside;
use super::exceptions::Exceptions;
use super::float_environment::FloatEnvironment;
use super::frame::{Callers, Frame};
use plat_env::{PID, ThreadSignals, Time, Waker};
use plat_expr::{ObjectId, Value};
use plat_program::{InstId, Reg};
use std::rc::Rc;

/// What a thread is, whether it runs or not.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Its number, as the kernel's.
    pub id: u64,
    /// The C library's structure for it.
    pub structure: Value,
    /// Where 0 is stored when it ends; 0 is nowhere.
    pub clear: Value,
    /// Its objects of thread-local variables, by those of the first thread.
    pub locals: Vec<(ObjectId, ObjectId)>,
    /// The call that made it.
    pub made_at: Option<InstId>,
    /// The thread that made it.
    pub made_by: Option<u64>,
    /// Whether it has been decided that it carries out the operation at which it stands.
    pub decided: bool,
    /// When the call that it repeats waits no more.
    pub limit: Option<Time>,
}

plat_expr::holder!(Identity { structure, clear }
    plain { id, locals, made_at, made_by, decided, limit });

/// What a thread waits for, beside its time limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Awaited {
    /// That it is woken at this word, by some of these bits.
    Word(u64, u32),
    /// That something changes which a call may wait for.
    Change {
        /// Who may change it.
        waker: Waker,
        /// When the call waits no more, which may be later than when it is made again.
        limit: Option<Time>,
    },
    /// Nothing: it sleeps.
    Time,
    /// Nothing: its process has ended.
    Nothing,
}

impl Awaited {
    /// Who may let a thread go on that waits for this.
    pub fn waker(self) -> Waker {
        match self {
            Awaited::Change { waker, .. } => waker,
            Awaited::Word(..) | Awaited::Time | Awaited::Nothing => Waker::Program,
        }
    }
}

/// A wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wait {
    /// For what.
    pub what: Awaited,
    /// When it waits no more.
    pub until: Option<Time>,
    /// Since how many instructions of the path.
    pub since: u64,
}

/// A thread that does not run.
#[derive(Clone, Debug)]
pub struct Thread {
    /// What it is.
    pub identity: Identity,
    /// Its frames. It stands behind the call that it waits in, or at it, if it repeats it.
    pub frame: Frame,
    /// See [`Thread::frame`].
    pub callers: Callers,
    /// Its exceptions.
    pub exceptions: Exceptions,
    /// Its rounding mode and exception flags.
    pub float: FloatEnvironment,
    /// What few of its activations have beside their registers.
    pub aside: Aside,
    /// Its blocked and pending signals.
    pub signals: ThreadSignals,
    /// What it waits for; none if it can run.
    pub wait: Option<Wait>,
    /// The register that takes the result of the call that it stands behind, and the result.
    pub result: Option<(Reg, i64)>,
}

plat_expr::holder!(Thread { identity, frame, callers, exceptions, aside }
    plain { float, signals, wait, result });

/// A departure from the schedule: where, in which thread, and who ran then.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    /// The instruction.
    pub at: InstId,
    /// The thread that would have run.
    pub from: u64,
    /// The thread that ran.
    pub to: u64,
}

/// The threads of a path that has made one.
#[derive(Clone, Debug)]
pub struct Threads {
    /// The running thread.
    pub running: Identity,
    /// The others, by number.
    pub others: Vec<Rc<Thread>>,
    /// The number of the next thread.
    pub next: u64,
    /// Where the C library looks for the running thread's structure.
    pub place: Value,
    /// How many instructions the path has executed when the running thread has run so long that
    /// another one is to run.
    pub slice_end: u64,
    /// The departures from the schedule.
    pub departures: Vec<Departure>,
}

plat_expr::holder!(Threads { running, others, place }
    plain { next, slice_end, departures });

impl Identity {
    /// The first thread of a program that has made no other one.
    pub fn first() -> Self {
        Self {
            id: PID,
            structure: Value::Int(0),
            clear: Value::Int(0),
            locals: Vec::new(),
            made_at: None,
            made_by: None,
            decided: false,
            limit: None,
        }
    }
}

impl Thread {
    /// It waits no more.
    pub fn go_on(&mut self) {
        if let Some(wait) = self.wait.take()
            && let Awaited::Change { limit, .. } = wait.what
        {
            self.identity.limit = limit;
        }
    }
}

impl Threads {
    /// One thread. Where the C library looks for its structure is not known yet.
    pub fn of_one(running: Identity, slice_end: u64) -> Self {
        Self {
            running,
            others: Vec::new(),
            next: PID + 1,
            place: Value::Int(0),
            slice_end,
            departures: Vec::new(),
        }
    }

    /// Where the thread of a number is among the others.
    pub fn find(&self, id: u64) -> Option<usize> {
        self.others
            .binary_search_by_key(&id, |thread| thread.identity.id)
            .ok()
    }

    /// The numbers of the other threads that can run, in the order in which they follow the running
    /// one in the ring of all.
    pub fn runnable(&self) -> Vec<u64> {
        let able = self.others.iter().filter(|thread| thread.wait.is_none());
        let able: Vec<u64> = able.map(|thread| thread.identity.id).collect();
        let after = able.partition_point(|&id| id < self.running.id);
        [&able[after..], &able[..after]].concat()
    }

    /// The thread, among the others, whose time limit is the first, and that limit.
    pub fn first_limit(&self) -> Option<(u64, Time)> {
        let limits = self.others.iter().filter_map(|thread| {
            let until = thread.wait?.until?;
            Some((until, thread.identity.id))
        });
        limits.min().map(|(until, id)| (id, until))
    }

    /// Lets a thread that waits go on, with this result of its call.
    pub fn wake(&mut self, id: u64, result: i64) {
        if let Some(at) = self.find(id) {
            let thread = Rc::make_mut(&mut self.others[at]);
            thread.wait = None;
            if let Some((_, known)) = &mut thread.result {
                *known = result;
            }
        }
    }

    /// Lets threads go on that wait for a change.
    pub fn rouse(&mut self) {
        let waits = |thread: &Rc<Thread>| {
            let what = thread.wait.map(|wait| wait.what);
            matches!(what, Some(Awaited::Change { .. }))
        };
        for thread in self.others.iter_mut().filter(|thread| waits(thread)) {
            Rc::make_mut(thread).go_on();
        }
    }

    /// Who may let any of them go on.
    pub fn waker(&self) -> Waker {
        let waits = self.others.iter().filter_map(|thread| thread.wait);
        let wakers = waits.map(|wait| wait.what.waker());
        wakers.max().unwrap_or(Waker::Program)
    }

    /// Whether any of them takes a signal for their process at once.
    pub fn take(&self, signal: u32) -> bool {
        self.others
            .iter()
            .any(|thread| !thread.signals.blocks(signal))
    }

    /// The threads that wait at a word, by some of these bits, those that came first first.
    pub fn waiting_at(&self, word: u64, bits: u32) -> Vec<u64> {
        let waits = |thread: &Rc<Thread>| {
            let wait = thread.wait?;
            let Awaited::Word(at, by) = wait.what else {
                return None;
            };
            (at == word && by & bits != 0).then_some((wait.since, thread.identity.id))
        };
        let mut waiting: Vec<(u64, u64)> = self.others.iter().filter_map(waits).collect();
        waiting.sort_unstable();
        waiting.into_iter().map(|(_, id)| id).collect()
    }
}

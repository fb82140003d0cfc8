//! What the model knows of threads, and what calls about them ask for.
//!
//! Who runs is the engine's to decide. A call that a thread waits in, or that lets another one run,
//! says so as data ([`ThreadCall`]).

use crate::metadata::Time;
use plat_expr::Value;

/// The running thread, as calls see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunningThread {
    /// Its number.
    pub id: u64,
    /// Whether there are other threads.
    pub others: bool,
    /// When the call that it repeats waits no more.
    pub limit: Option<Time>,
}

/// Who can let a call go on that waits for a change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Waker {
    /// Another thread or process of the program.
    Program,
    /// Also who sends the program a signal.
    Signaller,
    /// Also who connects to it, or sends it something.
    Peer,
}

impl Waker {
    /// Who may change what a descriptor waits for, by whether that may come from outside.
    pub(crate) fn of_descriptor(outside: bool) -> Self {
        match outside {
            true => Waker::Peer,
            false => Waker::Program,
        }
    }
}

/// How a call waits that is made again then.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waits {
    /// When it is made again at the latest, as its limit is met or a timer has expired; none is for ever.
    pub until: Option<Time>,
    /// When it waits no more: [`RunningThread::limit`] of the call that is made again.
    pub limit: Option<Time>,
    /// Who can let it go on.
    pub waker: Waker,
}

/// What a call asks of the threads of the program.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ThreadCall {
    /// The running thread waits until it is woken at this word, by one of these bits.
    Wait {
        /// The word's address.
        word: u64,
        /// Who may wake it.
        bits: u32,
        /// When it waits no more; none is for ever.
        until: Option<Time>,
    },
    /// The running thread waits until something has changed that a transfer may wait for, and then
    /// makes the same call again.
    Repeat(Waits),
    /// The running thread waits until then.
    Sleep {
        /// When it waits no more.
        until: Time,
    },
    /// Threads that wait at a word are woken.
    Wake {
        /// The word's address.
        word: u64,
        /// At most so many.
        most: u32,
        /// Who is woken.
        bits: u32,
    },
    /// Threads that wait at a word are woken, and others wait at another one from now on.
    Requeue {
        /// The word's address.
        word: u64,
        /// At most so many are woken.
        wake: u32,
        /// Where others wait then.
        to: u64,
        /// At most so many.
        moved: u32,
        /// Whether the result counts those that are moved, too.
        counts: bool,
    },
    /// Another thread may run.
    Yield,
    /// The running thread ends.
    End(i32),
    /// A signal for another thread, or for one of the process's that does not block it; the running one
    /// does.
    Signal {
        /// The thread; none for any.
        thread: Option<u64>,
        /// The signal; 0 asks whether there is such a thread.
        signal: u32,
    },
    /// Where 0 is stored when the running thread ends.
    ClearAtEnd(Value),
}

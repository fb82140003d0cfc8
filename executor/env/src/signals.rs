//! Signal actions, the blocked and the pending signals of a path.
//!
//! Signals come only from the program itself (`kill`, `raise`, a write to a pipe without reader). One for
//! a process waits for any of its threads, one for a thread for that thread.

use plat_expr::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Signal numbers.
pub const SIGKILL: u32 = 9;
/// A write to a pipe that nobody reads.
pub const SIGPIPE: u32 = 13;
/// A child ended.
pub const SIGCHLD: u32 = 17;
/// Continue.
pub const SIGCONT: u32 = 18;
/// Stop.
pub const SIGSTOP: u32 = 19;
/// Urgent data.
pub const SIGURG: u32 = 23;
/// The window changed.
pub const SIGWINCH: u32 = 28;

/// The action of a signal: the fields of the kernel's `struct sigaction`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Action {
    /// 0 for the default, 1 to ignore, else the function.
    pub handler: Value,
    /// Flags.
    pub flags: u64,
    /// Where a handler returns to.
    pub restorer: Value,
    /// Blocked while the handler runs.
    pub mask: u64,
}

plat_expr::holder!(Action { handler, restorer } plain { flags, mask });

impl Default for Action {
    fn default() -> Self {
        Self {
            handler: Value::Int(0),
            flags: 0,
            restorer: Value::Int(0),
            mask: 0,
        }
    }
}

/// The effect of a signal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Effect {
    /// Nothing: ignored, or blocked and pending.
    Nothing,
    /// The program ends.
    Terminate,
    /// The function is called with the number of the signal.
    Call(Value),
}

/// A signal that is delivered when a call returns.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Delivery {
    /// Number of the signal.
    pub signal: u32,
    /// The function to call with it; `None`: the signal ends the program.
    pub handler: Option<Value>,
    /// The result of the call, after the handler has run.
    pub result: Value,
}

/// The bit of a signal in a set.
const fn bit(signal: u32) -> u64 {
    1 << (signal - 1)
}

/// What each thread has of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThreadSignals {
    /// The blocked signals: bit `n - 1` for signal `n`.
    pub blocked: u64,
    /// Those for this thread that wait, because it blocks them.
    pending: u64,
    /// How many ever began to wait.
    arrivals: u64,
}

impl ThreadSignals {
    /// What a new thread has that is made by this one.
    pub fn inherited(self) -> Self {
        ThreadSignals {
            pending: 0,
            arrivals: 0,
            ..self
        }
    }

    /// Whether the thread blocks a signal.
    pub fn blocks(self, signal: u32) -> bool {
        self.blocked & bit(signal) != 0
    }

    /// Keeps a signal that is blocked.
    pub fn keep(&mut self, signal: u32) {
        self.arrivals += u64::from(self.pending & bit(signal) == 0);
        self.pending |= bit(signal);
    }
}

/// A signal that was pending.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Taken {
    /// Its number.
    pub signal: u32,
    /// The process that has sent it to this one; none if it was for the thread.
    pub sender: Option<u64>,
}

/// The signal state of a path. Cheap to clone.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Signals {
    actions: Arc<BTreeMap<u32, Action>>,
    /// What the running thread has of its own.
    pub thread: ThreadSignals,
    /// The signals for the process that wait, as its threads block them, with who sent them.
    pending: BTreeMap<u32, u64>,
    /// How many of these ever began to wait.
    arrivals: u64,
}

plat_expr::holder!(Signals { actions } plain { thread, pending, arrivals });

impl Signals {
    /// The action of a signal.
    pub fn action(&self, signal: u32) -> Action {
        self.actions.get(&signal).copied().unwrap_or_default()
    }

    /// Sets the action of a signal.
    pub fn set_action(&mut self, signal: u32, action: Action) {
        Arc::make_mut(&mut self.actions).insert(signal, action);
    }

    /// The pending signals that the running thread sees.
    pub fn waiting(&self) -> u64 {
        let of_process = self.pending.keys().map(|&signal| bit(signal));
        of_process.fold(self.thread.pending, |set, one| set | one)
    }

    /// A signal for the process arrives that all of its threads block.
    pub fn keep(&mut self, signal: u32, sender: u64) {
        self.arrivals += u64::from(!self.pending.contains_key(&signal));
        self.pending.entry(signal).or_insert(sender);
    }

    /// How many signals for the running thread or its process ever began to wait.
    pub fn arrivals(&self) -> u64 {
        self.thread.arrivals + self.arrivals
    }

    /// Forgets pending signals, as a new process does.
    pub fn forget(&mut self) {
        self.thread = self.thread.inherited();
        self.pending.clear();
    }

    /// Whether the ends of children are ignored.
    pub fn ignores_children(&self) -> bool {
        self.action(SIGCHLD).handler == Value::Int(1)
    }

    /// What a signal does that is not blocked. Handlers are always constants: 0, 1 or a function.
    pub fn effect(&self, signal: u32) -> Effect {
        match self.action(signal).handler {
            Value::Int(0) if matches!(signal, SIGCHLD | SIGCONT | SIGURG | SIGWINCH) => {
                Effect::Nothing
            }
            Value::Int(0) => Effect::Terminate,
            Value::Int(1) => Effect::Nothing,
            handler => Effect::Call(handler),
        }
    }

    /// Removes and returns a pending signal of a set: first those of the thread, of these the lowest.
    pub fn take(&mut self, set: u64) -> Option<Taken> {
        let own = self.thread.pending & set;
        if own != 0 {
            let signal = own.trailing_zeros() + 1;
            self.thread.pending &= !bit(signal);
            return Some(Taken {
                signal,
                sender: None,
            });
        }
        let mut all = self.pending.iter();
        let (&signal, &sender) = all.find(|one| bit(*one.0) & set != 0)?;
        self.pending.remove(&signal);
        Some(Taken {
            signal,
            sender: Some(sender),
        })
    }
}

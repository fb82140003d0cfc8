//! Signal actions, the blocked and the pending signals of a path.
//!
//! Signals come only from the program itself (`kill`, `raise`, a write to a pipe without reader).

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

/// The signal state of a path. Cheap to clone.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Signals {
    actions: Arc<BTreeMap<u32, Action>>,
    /// The blocked signals: bit `n - 1` for signal `n`.
    pub blocked: u64,
    pending: u64,
}

plat_expr::holder!(Signals { actions } plain { blocked, pending });

impl Signals {
    /// The action of a signal.
    pub fn action(&self, signal: u32) -> Action {
        self.actions.get(&signal).copied().unwrap_or_default()
    }

    /// Sets the action of a signal.
    pub fn set_action(&mut self, signal: u32, action: Action) {
        Arc::make_mut(&mut self.actions).insert(signal, action);
    }

    /// The pending signals.
    pub fn waiting(&self) -> u64 {
        self.pending
    }

    /// A signal arrives. Handlers are always constants: 0, 1 or a function.
    pub fn raise(&mut self, signal: u32) -> Effect {
        if self.blocked >> (signal - 1) & 1 == 1 && signal != SIGKILL && signal != SIGSTOP {
            self.pending |= 1 << (signal - 1);
            return Effect::Nothing;
        }
        self.effect(signal)
    }

    /// Forgets pending signals, as a new process does.
    pub fn forget(&mut self) {
        self.pending = 0;
    }

    /// Whether the ends of children are ignored.
    pub fn ignores_children(&self) -> bool {
        self.action(SIGCHLD).handler == Value::Int(1)
    }

    /// What a signal does that is not blocked.
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

    /// Removes and returns the lowest pending signal that is not blocked.
    pub fn take_unblocked(&mut self) -> Option<u32> {
        let ready = self.pending & !self.blocked;
        (ready != 0).then(|| {
            let bit = ready.trailing_zeros();
            self.pending &= !(1 << bit);
            bit + 1
        })
    }
}

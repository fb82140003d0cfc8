//! How the threads of a process are scheduled, as `calls::scheduling` changes and tells it.

/// Added to a policy: children begin without it.
pub const RESET_ON_FORK: i32 = 0x4000_0000;

/// How the threads of a process are scheduled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Scheduling {
    /// Niceness.
    pub nice: i8,
    /// The policy, without flags.
    pub policy: u8,
    /// Children begin without it.
    pub resets: bool,
}

impl Scheduling {
    /// That of a child at its beginning.
    pub fn inherited(self) -> Self {
        match self.resets {
            true => Self {
                nice: self.nice.max(0),
                ..Self::default()
            },
            false => self,
        }
    }

    /// The policy, as it is told.
    pub fn told(self) -> i32 {
        let flag = if self.resets { RESET_ON_FORK } else { 0 };
        i32::from(self.policy) | flag
    }
}

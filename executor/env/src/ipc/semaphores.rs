//! Sets of semaphores.

use super::{AT_ONCE, Ipc, Object, Permission, Wish};
use crate::errno::Errno;
use std::collections::BTreeMap;

/// Most of a semaphore: `SEMVMX`.
pub const MAX_VALUE: u16 = 32_767;
/// `SEM_UNDO`
const UNDO: u32 = 0o10000;

/// An operation on a semaphore of a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operation {
    /// The semaphore.
    pub at: u16,
    /// What is added; 0 waits for 0.
    pub change: i16,
    /// `IPC_NOWAIT`, `SEM_UNDO`.
    pub flags: u32,
}

/// A set of semaphores.
#[derive(Clone, PartialEq, Debug)]
pub struct SemaphoreSet {
    /// Who may use it.
    pub permission: Permission,
    /// The value of each, and the process that operated on it last.
    pub all: Vec<(u16, u64)>,
    /// When they were last operated on, and the set was changed.
    pub times: [i64; 2],
}

impl Object for SemaphoreSet {
    fn permission(&self) -> &Permission {
        &self.permission
    }
}

/// What comes of operations.
enum Tried {
    /// They can be carried out, with these values, and these additions at the process's end.
    Done(Vec<u16>, BTreeMap<u16, i32>),
    /// This one has to wait.
    Waits(Operation),
    Fails(Errno),
}

impl Ipc {
    /// Carries operations out, all or none; false if they have to wait.
    pub fn operate(
        &mut self,
        number: i32,
        operations: &[Operation],
        process: u64,
        now: i64,
    ) -> Result<bool, Errno> {
        let done = self.carry_out(number, operations, process, now)?;
        if done && operations.iter().any(|one| one.change != 0) {
            self.serve(number, now);
        }
        Ok(done)
    }

    fn carry_out(
        &mut self,
        number: i32,
        operations: &[Operation],
        process: u64,
        now: i64,
    ) -> Result<bool, Errno> {
        let (values, undo) = match self.attempt(number, operations, process) {
            Tried::Done(values, undo) => (values, undo),
            Tried::Waits(one) if one.flags & AT_ONCE != 0 => return Err(Errno::EAGAIN),
            Tried::Waits(_) => return Ok(false),
            Tried::Fails(errno) => return Err(errno),
        };
        let Some(set) = self.sets.get_mut(&number) else {
            return Err(Errno::EIDRM);
        };
        for (semaphore, value) in set.all.iter_mut().zip(values) {
            semaphore.0 = value;
        }
        for one in operations {
            set.all[usize::from(one.at)].1 = process;
        }
        set.times[0] = now;
        for (at, sum) in undo {
            self.undo.insert((process, number, at), sum);
        }
        self.undo.retain(|_, sum| *sum != 0);
        Ok(true)
    }

    /// What would come of operations of a process.
    fn attempt(&self, number: i32, operations: &[Operation], process: u64) -> Tried {
        let Some(set) = self.sets.get(&number) else {
            return Tried::Fails(Errno::EIDRM);
        };
        let mut values: Vec<u16> = set.all.iter().map(|one| one.0).collect();
        let mut undo = BTreeMap::new();
        for &one in operations {
            let Some(value) = values.get_mut(usize::from(one.at)) else {
                return Tried::Fails(Errno::EFBIG);
            };
            let sum = i32::from(*value) + i32::from(one.change);
            if sum < 0 || one.change == 0 && sum != 0 {
                return Tried::Waits(one);
            }
            if sum > MAX_VALUE.into() {
                return Tried::Fails(Errno::ERANGE);
            }
            *value = sum as u16;
            if one.flags & UNDO == 0 || one.change == 0 {
                continue;
            }
            let before = self.undo.get(&(process, number, one.at));
            let back = undo
                .entry(one.at)
                .or_insert_with(|| before.copied().unwrap_or(0));
            *back -= i32::from(one.change);
            if !(-32_768..=32_767).contains(back) {
                return Tried::Fails(Errno::ERANGE);
            }
        }
        Tried::Done(values, undo)
    }

    /// A set's values have changed: who waits and can go on now does. First those that change nothing,
    /// then the others in order; from the start again when one of them has changed something.
    pub fn serve(&mut self, number: i32, now: i64) {
        while self.serve_one(number, now, false) || self.serve_one(number, now, true) {}
    }

    /// The first that can go on of those that change values, or that do not; whether there was one.
    fn serve_one(&mut self, number: i32, now: i64, changing: bool) -> bool {
        for at in 0..self.waiters.len() {
            let waiter = &self.waiters[at];
            let process = waiter.process;
            let Wish::Operations(operations) = &waiter.wish else {
                continue;
            };
            let changes = operations.iter().any(|one| one.change != 0);
            if waiter.object != number || waiter.came.is_some() || changes != changing {
                continue;
            }
            let operations = operations.clone();
            let came = match self.carry_out(number, &operations, process, now) {
                Ok(false) => continue,
                Ok(true) => Ok(()),
                Err(errno) => Err(errno),
            };
            self.waiters[at].came = Some(came);
            return true;
        }
        false
    }

    /// How many wait at a semaphore: for 0, or for more.
    pub fn waiting_at(&self, number: i32, at: u16, for_zero: bool) -> u64 {
        let waiters = self.waiters.iter();
        let here = waiters.filter(|one| one.object == number && one.came.is_none());
        let blocked = here.filter(|one| match &one.wish {
            Wish::Operations(operations) => match self.attempt(number, operations, one.process) {
                Tried::Waits(one) => one.at == at && (one.change == 0) == for_zero,
                _ => false,
            },
            _ => false,
        });
        blocked.count() as u64
    }

    /// Values are set: what was to be undone of these semaphores is not.
    pub fn set_values(&mut self, number: i32, new: &[(u16, u16)], process: u64, now: i64) {
        let Some(set) = self.sets.get_mut(&number) else {
            return;
        };
        for &(at, value) in new {
            set.all[usize::from(at)] = (value, process);
        }
        set.times[1] = now;
        let is_set = |at: u16| new.iter().any(|one| one.0 == at);
        self.undo
            .retain(|&(_, set, at), _| set != number || !is_set(at));
        self.serve(number, now);
    }

    /// A set is removed.
    pub fn remove_set(&mut self, number: i32) {
        self.sets.remove(&number);
        self.undo.retain(|&(_, set, _), _| set != number);
        self.forsake(number);
    }

    /// A process has ended: its operations are undone, as far as values allow.
    pub(super) fn undo_all(&mut self, ended: u64, now: i64) {
        let all = std::mem::take(&mut self.undo);
        let (due, rest): (BTreeMap<_, _>, _) =
            (all.into_iter()).partition(|&((process, ..), _)| process == ended);
        self.undo = rest;
        let mut changed = Vec::new();
        for ((process, number, at), sum) in due {
            if let Some(set) = self.sets.get_mut(&number) {
                let semaphore = &mut set.all[usize::from(at)];
                let value = (i32::from(semaphore.0) + sum).clamp(0, MAX_VALUE.into());
                *semaphore = (value as u16, process);
                set.times[0] = now;
                changed.push(number);
            }
        }
        for number in changed {
            self.serve(number, now);
        }
    }
}

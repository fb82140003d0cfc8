//! Queues of messages.

use super::{Ipc, Object, Permission, Wish};
use crate::errno::Errno;
use plat_expr::Byte;
use std::collections::VecDeque;
use std::sync::Arc;

/// A message.
#[derive(Clone, PartialEq, Debug)]
pub struct Message {
    /// Its type.
    pub kind: i64,
    /// Its text.
    pub text: Arc<[Byte]>,
}

/// Which message a receiver takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Which {
    /// The first.
    Any,
    /// The first of this type.
    Of(i64),
    /// The first of any other type.
    Not(i64),
    /// The first of the least type, which is at most this.
    UpTo(i64),
}

/// A queue of messages.
#[derive(Clone, PartialEq, Debug)]
pub struct Queue {
    /// Who may use it.
    pub permission: Permission,
    /// What waits to be received.
    pub messages: VecDeque<Message>,
    /// Most bytes of all messages.
    pub capacity: u64,
    /// When something was last sent, received and changed.
    pub times: [i64; 3],
    /// Who sent and received last.
    pub processes: [u64; 2],
}

plat_expr::holder!(Message { text } plain { kind });
plat_expr::holder!(Queue { messages } plain { permission, capacity, times, processes });

impl Object for Queue {
    fn permission(&self) -> &Permission {
        &self.permission
    }
}

impl Which {
    fn takes(self, kind: i64) -> bool {
        match self {
            Which::Any => true,
            Which::Of(one) => kind == one,
            Which::Not(one) => kind != one,
            Which::UpTo(most) => kind <= most,
        }
    }
}

impl Queue {
    /// The bytes of all messages.
    pub fn bytes(&self) -> u64 {
        let sizes = self.messages.iter().map(|one| one.text.len() as u64);
        sizes.sum()
    }

    /// Whether there is room for a message of so many bytes.
    pub fn has_room(&self, size: u64) -> bool {
        self.bytes() + size <= self.capacity && (self.messages.len() as u64) < self.capacity
    }

    /// Where the message is that a receiver takes.
    pub fn find(&self, which: Which) -> Option<usize> {
        let fits = self.messages.iter().enumerate();
        let mut fits = fits.filter(|(_, one)| which.takes(one.kind));
        let found = match which {
            Which::UpTo(_) => fits.min_by_key(|&(at, one)| (one.kind, at)),
            _ => fits.next(),
        };
        found.map(|(at, _)| at)
    }
}

impl Ipc {
    /// A message comes to a queue that has room: who waits for it has it at once.
    pub fn send(&mut self, number: i32, message: Message, process: u64, now: i64) {
        let Some(queue) = self.queues.get_mut(&number) else {
            return;
        };
        queue.times[0] = now;
        queue.processes[0] = process;
        for waiter in &mut self.waiters {
            let Wish::Message(which, size, cut) = waiter.wish else {
                continue;
            };
            if waiter.object != number || waiter.came.is_some() || !which.takes(message.kind) {
                continue;
            }
            if message.text.len() as u64 > size && !cut {
                waiter.came = Some(Err(Errno::E2BIG));
                continue;
            }
            queue.times[1] = now;
            queue.processes[1] = waiter.process;
            waiter.came = Some(Ok(()));
            waiter.message = Some(message);
            return;
        }
        queue.messages.push_back(message);
    }

    /// A message is taken out of a queue.
    pub fn take(&mut self, number: i32, at: usize, process: u64, now: i64) {
        if let Some(queue) = self.queues.get_mut(&number) {
            queue.messages.remove(at);
            queue.times[1] = now;
            queue.processes[1] = process;
        }
    }

    /// A queue is removed.
    pub fn remove_queue(&mut self, number: i32) {
        self.queues.remove(&number);
        self.forsake(number);
    }
}

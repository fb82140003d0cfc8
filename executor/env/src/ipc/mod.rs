//! System V IPC: memory, sets of semaphores and queues of messages that processes find by key.
//!
//! They belong to the path; those of the host are never seen. Threads that wait stand here in the order
//! in which they came. Who changes an object carries out what others wait for and can be done now, as the
//! kernel does; they find what has come of it when they make their calls again.

mod queues;
mod semaphores;

use crate::environment::Environment;
use crate::errno::Errno;
use crate::metadata::Identity;
use plat_expr::Byte;
use std::collections::BTreeMap;
use std::sync::Arc;

pub use queues::{Message, Queue, Which};
pub use semaphores::{MAX_VALUE, Operation, SemaphoreSet};

/// `IPC_PRIVATE`: no key.
pub const PRIVATE: i32 = 0;
/// The key's object is made if it is not there.
pub const CREATE: u32 = 0o1000;
/// It must not be there.
pub const EXCLUSIVE: u32 = 0o2000;
/// `IPC_NOWAIT`
pub const AT_ONCE: u32 = 0o4000;

/// Whose an object is, and who may use it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Permission {
    /// Its key.
    pub key: i32,
    /// Whose it is.
    pub owner: Identity,
    /// Who made it.
    pub maker: Identity,
    /// Permissions.
    pub mode: u32,
}

impl Permission {
    /// Of an object that is made.
    pub fn new(key: i32, maker: Identity, mode: u32) -> Self {
        Self {
            key,
            owner: maker,
            maker,
            mode: mode & 0o777,
        }
    }

    /// Whether somebody may use the object in the ways of these bits, whichever class they are of.
    pub fn allows(&self, who: Identity, wanted: u32) -> bool {
        let wanted = wanted >> 6 | wanted >> 3 | wanted;
        let shift = match () {
            () if self.is_owner(who) => 6,
            () if [self.owner.gid, self.maker.gid].contains(&who.gid) => 3,
            () => 0,
        };
        who.uid == 0 || wanted & !(self.mode >> shift) & 7 == 0
    }

    /// Whether somebody may change or remove the object.
    pub fn controls(&self, who: Identity) -> bool {
        who.uid == 0 || self.is_owner(who)
    }

    fn is_owner(&self, who: Identity) -> bool {
        [self.owner.uid, self.maker.uid].contains(&who.uid)
    }
}

/// An object of System V IPC.
pub trait Object {
    /// Who may use it.
    fn permission(&self) -> &Permission;
}

/// A segment of memory.
#[derive(Clone, PartialEq, Debug)]
pub struct Segment {
    /// Who may use it.
    pub permission: Permission,
    /// Its size, as it was asked for.
    pub size: u64,
    /// Its number among the mappings that processes share.
    pub number: u32,
    /// How often it is attached.
    pub attached: u64,
    /// Whether it is removed with its last attachment.
    pub removed: bool,
    /// When it was last attached, detached and changed.
    pub times: [i64; 3],
    /// Who made it, and who attached or detached it last.
    pub processes: [u64; 2],
}

impl Object for Segment {
    fn permission(&self) -> &Permission {
        &self.permission
    }
}

/// What a thread waits for.
#[derive(Clone, PartialEq, Debug)]
pub enum Wish {
    /// That these operations can be carried out.
    Operations(Vec<Operation>),
    /// A message, of at most so many bytes, unless it may be cut.
    Message(Which, u64, bool),
    /// That there is room for a message.
    Room,
}

/// A thread that waits.
#[derive(Clone, PartialEq, Debug)]
pub struct Waiter {
    process: u64,
    thread: u64,
    /// The number of the object.
    pub object: i32,
    /// For what.
    pub wish: Wish,
    /// What has come of it.
    pub came: Option<Result<(), Errno>>,
    /// The message that it was given.
    pub message: Option<Message>,
}

/// The objects of a path.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Ipc {
    made: i32,
    /// Segments of memory, by number.
    pub segments: BTreeMap<i32, Segment>,
    /// Sets of semaphores, by number.
    pub sets: BTreeMap<i32, SemaphoreSet>,
    /// Queues of messages, by number.
    pub queues: BTreeMap<i32, Queue>,
    /// Who waits, in order.
    pub waiters: Vec<Waiter>,
    /// What a process's end adds to a semaphore: by process, set and semaphore.
    undo: BTreeMap<(u64, i32, u16), i32>,
    /// What is in shared memory, by the mapping's number, as it was when a process left.
    kept: BTreeMap<u32, Arc<[Byte]>>,
}

plat_expr::holder!(Waiter { message } plain { process, thread, object, wish, came });
plat_expr::holder!(Ipc { queues, waiters, kept } plain { made, segments, sets, undo });

impl Ipc {
    /// The number of a new object.
    pub fn new_number(&mut self) -> i32 {
        let number = self.made;
        self.made += 1;
        number
    }

    /// One attachment of a segment less.
    pub fn detach(&mut self, number: i32, process: u64, now: i64) {
        let Some(segment) = self.segments.get_mut(&number) else {
            return;
        };
        segment.attached = segment.attached.saturating_sub(1);
        segment.times[1] = now;
        segment.processes[1] = process;
        self.remove_unattached(number);
    }

    /// A segment is removed: with its last attachment. Until then it is found by its number only.
    pub fn remove_segment(&mut self, number: i32) {
        if let Some(segment) = self.segments.get_mut(&number) {
            segment.removed = true;
            segment.permission.key = PRIVATE;
            self.remove_unattached(number);
        }
    }

    fn remove_unattached(&mut self, number: i32) {
        let segment = self.segments.get(&number);
        if let Some(segment) = segment.filter(|one| one.removed && one.attached == 0) {
            self.kept.remove(&segment.number);
            self.segments.remove(&number);
        }
    }

    /// An object is gone: who waits at it hears of it.
    fn forsake(&mut self, object: i32) {
        let waiting = self.waiters.iter_mut();
        for waiter in waiting.filter(|one| one.object == object && one.came.is_none()) {
            waiter.came = Some(Err(Errno::EIDRM));
        }
    }
}

impl Environment {
    /// The objects of System V IPC, to be changed.
    pub(crate) fn ipc_mut(&mut self) -> &mut Ipc {
        Arc::make_mut(&mut self.family.ipc)
    }

    /// What is in shared memory when a process leaves it.
    pub fn keep(&mut self, mapping: u32, bytes: Vec<Byte>) {
        self.ipc_mut().kept.insert(mapping, bytes.into());
    }

    /// What was in shared memory when a process left it last.
    pub fn kept(&self, mapping: u32) -> Option<Arc<[Byte]>> {
        self.family.ipc.kept.get(&mapping).cloned()
    }

    /// Where the running thread stands among those that wait.
    pub(crate) fn waits_at(&self) -> Option<usize> {
        let who = (self.process(), self.thread.id);
        let mut waiters = self.family.ipc.waiters.iter();
        waiters.position(|one| (one.process, one.thread) == who)
    }

    /// The running thread waits from now on.
    pub(crate) fn wait_in_line(&mut self, object: i32, wish: Wish) {
        let waiter = Waiter {
            process: self.process(),
            thread: self.thread.id,
            object,
            wish,
            came: None,
            message: None,
        };
        self.ipc_mut().waiters.push(waiter);
    }

    /// A thread of the running process waits no more.
    pub fn leave_line(&mut self, thread: u64) {
        let who = (self.process(), thread);
        if !self.family.ipc.waiters.is_empty() {
            let waiters = &mut self.ipc_mut().waiters;
            waiters.retain(|one| (one.process, one.thread) != who);
        }
    }

    /// A process that has attached segments is copied, with its attachments, or ends.
    pub(crate) fn count_attachments(&mut self, shared: &[crate::SharedMapping], more: bool) {
        let (process, now) = (self.process(), self.clock.now().seconds);
        for mapping in shared {
            let Some(number) = mapping.segment else {
                continue;
            };
            for _ in 0..mapping.attachments {
                let ipc = self.ipc_mut();
                match (more, ipc.segments.get_mut(&number)) {
                    (true, Some(segment)) => segment.attached += 1,
                    _ => ipc.detach(number, process, now),
                }
            }
        }
    }

    /// A process has ended: its threads wait no more, and its semaphore operations are undone that are
    /// to be.
    pub(crate) fn leave_ipc(&mut self, process: u64) {
        if *self.family.ipc == Ipc::default() {
            return;
        }
        let now = self.clock.now().seconds;
        let ipc = self.ipc_mut();
        ipc.waiters.retain(|one| one.process != process);
        ipc.undo_all(process, now);
    }
}

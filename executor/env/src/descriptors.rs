//! File descriptors, and the open files that they refer to.
//!
//! As in the kernel, there are two tables. A descriptor has a close-on-exec flag and refers to an
//! open file. The open file has the offset and status flags, shared by all of its duplicates.

use crate::counters::{Counter, CounterId};
use crate::errno::Errno;
use crate::metadata::Metadata;
use crate::sockets::{Outside, Socket, SocketId};
use crate::tree::FileId;
use crate::watched::{Watched, WatchedId};
use plat_expr::Byte;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Access mode bits of the open flags: 0 read, 1 write, 2 both.
pub const O_ACCMODE: u32 = 3;
/// Open flag: create.
pub const O_CREAT: u32 = 0o100;
/// Open flag: fail if it exists.
pub const O_EXCL: u32 = 0o200;
/// Open flag: empty the file.
pub const O_TRUNC: u32 = 0o1000;
/// Open flag: every write goes to the end.
pub const O_APPEND: u32 = 0o2000;
/// Open flag: do not wait.
pub const O_NONBLOCK: u32 = 0o4000;
/// Open flag: transfers past the cache.
pub const O_DIRECT: u32 = 0o40_000;
/// Open flag: 64-bit offsets; the kernel sets it always.
pub const O_LARGEFILE: u32 = 0o100_000;
/// Open flag: must be a directory.
pub const O_DIRECTORY: u32 = 0o200_000;
/// Open flag: not through a final symbolic link.
pub const O_NOFOLLOW: u32 = 0o400_000;
/// Open flag: close on exec.
pub const O_CLOEXEC: u32 = 0o2_000_000;
/// Open flag: a location in the tree, not for transfers.
pub const O_PATH: u32 = 0o10_000_000;
/// Open flag bit of an unnamed temporary file.
pub const O_TMPFILE: u32 = 0o20_000_000;

plat_basics::ids! {
    /// An open file.
    OpenId
    /// A pipe.
    PipeId
}

/// One of the two captured streams.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// A device that the model knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Device {
    /// `/dev/null`
    Null,
    /// `/dev/zero`
    Zero,
    /// `/dev/full`
    Full,
    /// `/dev/random` and `/dev/urandom`, deterministic.
    Random,
}

/// One name in an open directory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedName {
    /// The name.
    pub name: Vec<u8>,
    /// Number of the file.
    pub inode: u64,
    /// `d_type`
    pub entry_type: u8,
}

/// The kind of an open file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// A regular file.
    File(FileId),
    /// A directory: its canonical path, and its names as of the first read since it was opened or
    /// rewound.
    Directory {
        /// Canonical path.
        path: Arc<[u8]>,
        /// The names being listed.
        listing: Option<Arc<[ListedName]>>,
        /// Its metadata as of opening or removal, used once it is removed.
        opened: Metadata,
    },
    /// A captured stream; `stat` reports a pipe.
    Stream(Stream),
    /// The reading end of a pipe.
    Reader(PipeId),
    /// The writing end of a pipe.
    Writer(PipeId),
    /// A device.
    Device(Device, Arc<[u8]>),
    /// A symbolic link or a device opened with `O_PATH`: its canonical path.
    Path(Arc<[u8]>),
    /// A socket.
    Socket(SocketId),
    /// Descriptors that `epoll` watches.
    Watched(WatchedId),
    /// That of `eventfd`, `timerfd_create` or `signalfd`.
    Counter(CounterId),
}

/// An open file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenFile {
    /// Its kind.
    pub target: Target,
    /// Position of the next transfer.
    pub offset: u64,
    /// Access mode and status flags.
    pub flags: u32,
    /// How many descriptors refer to it.
    references: u32,
}

impl OpenFile {
    /// Whether it may be read.
    pub fn readable(&self) -> bool {
        self.flags & O_PATH == 0 && matches!(self.flags & O_ACCMODE, 0 | 2)
    }

    /// Whether it may be written.
    pub fn writable(&self) -> bool {
        self.flags & O_PATH == 0 && matches!(self.flags & O_ACCMODE, 1 | 2)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Slot {
    open: OpenId,
    close_on_exec: bool,
}

/// The descriptors of a process, by number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Slots {
    slots: BTreeMap<u32, Slot>,
    limit: u32,
}

/// A pipe: the bytes written but not yet read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pipe {
    /// The bytes, oldest first.
    pub bytes: VecDeque<Byte>,
    /// How often something was written.
    pub writes: u64,
}

/// How many bytes a pipe holds.
pub const PIPE_CAPACITY: usize = 65536;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Tables {
    slots: BTreeMap<u32, Slot>,
    open: BTreeMap<OpenId, OpenFile>,
    pipes: BTreeMap<PipeId, Pipe>,
    sockets: BTreeMap<SocketId, Socket>,
    watched: BTreeMap<WatchedId, Watched>,
    counters: BTreeMap<CounterId, Counter>,
    next_open: u32,
    next_pipe: u32,
    next_mapping: u32,
    changes: u64,
}

/// The descriptor table of a process. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Descriptors {
    tables: Arc<Tables>,
    /// One more than the largest descriptor.
    limit: u32,
    /// The peers outside.
    pub outside: Outside,
}

plat_expr::plain!(PipeId, Slots);
plat_expr::holder!(Pipe { bytes } plain { writes });
plat_expr::holder!(Tables { pipes, sockets, watched }
    plain { slots, open, counters, next_open, next_pipe, next_mapping, changes });
plat_expr::holder!(Descriptors { tables, outside } plain { limit });

impl Descriptors {
    /// A table without descriptors, for at most `limit` of them.
    pub fn new(limit: u32) -> Self {
        Self {
            tables: Arc::default(),
            limit,
            outside: Outside::default(),
        }
    }

    /// Change how many descriptors there may be (`RLIMIT_NOFILE`).
    pub fn set_limit(&mut self, limit: u32) {
        self.limit = limit;
    }

    fn slot(&self, fd: i32) -> Result<Slot, Errno> {
        let fd = u32::try_from(fd).map_err(|_| Errno::EBADF)?;
        self.tables.slots.get(&fd).copied().ok_or(Errno::EBADF)
    }

    /// The open file of a descriptor.
    pub fn get(&self, fd: i32) -> Result<&OpenFile, Errno> {
        let slot = self.slot(fd)?;
        self.tables.open.get(&slot.open).ok_or(Errno::EBADF)
    }

    /// The open file of a descriptor that is not `O_PATH`.
    pub fn usable(&self, fd: i32) -> Result<&OpenFile, Errno> {
        self.get(fd)
            .ok()
            .filter(|open| open.flags & O_PATH == 0)
            .ok_or(Errno::EBADF)
    }

    /// The open file of a descriptor, to change its offset or flags.
    pub fn get_mut(&mut self, fd: i32) -> Result<&mut OpenFile, Errno> {
        let slot = self.slot(fd)?;
        Arc::make_mut(&mut self.tables)
            .open
            .get_mut(&slot.open)
            .ok_or(Errno::EBADF)
    }

    /// The smallest free descriptors from `from` on.
    pub fn free(&self, from: u32) -> impl Iterator<Item = u32> {
        (from..self.limit).filter(|fd| !self.tables.slots.contains_key(fd))
    }

    /// The open descriptors, in order.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        let mut numbers: Vec<u32> = self.tables.slots.keys().copied().collect();
        numbers.sort_unstable();
        numbers.into_iter()
    }

    /// The open descriptors in order, each with its open file.
    pub fn numbered_files(&self) -> impl Iterator<Item = (u32, OpenId)> {
        let slots = self.tables.slots.iter();
        slots.map(|(&number, slot)| (number, slot.open))
    }

    /// A descriptor for a newly opened file.
    pub fn open(&mut self, target: Target, flags: u32) -> Result<u32, Errno> {
        let fd = self.free(0).next().ok_or(Errno::EMFILE)?;
        let tables = Arc::make_mut(&mut self.tables);
        let open = OpenId(tables.next_open);
        tables.next_open += 1;
        let status = flags & !(O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC | 0o400);
        tables.open.insert(
            open,
            OpenFile {
                target,
                offset: 0,
                flags: status,
                references: 1,
            },
        );
        let close_on_exec = flags & O_CLOEXEC != 0;
        tables.slots.insert(
            fd,
            Slot {
                open,
                close_on_exec,
            },
        );
        Ok(fd)
    }

    /// Another descriptor of the same open file: the smallest free one from `from` on.
    pub fn duplicate(&mut self, fd: i32, from: u32, close_on_exec: bool) -> Result<u32, Errno> {
        let slot = self.slot(fd)?;
        let new = self.free(from).next().ok_or(Errno::EMFILE)?;
        self.refer(
            new,
            Slot {
                close_on_exec,
                ..slot
            },
        );
        Ok(new)
    }

    /// Another descriptor of the same open file, with the number `new`, which is closed first.
    pub fn duplicate_to(&mut self, fd: i32, new: i32, close_on_exec: bool) -> Result<u32, Errno> {
        let slot = self.slot(fd)?;
        let number = u32::try_from(new)
            .ok()
            .filter(|&new| new < self.limit)
            .ok_or(Errno::EBADF)?;
        if number as i32 == fd {
            return Ok(number);
        }
        if self.slot(new).is_ok() {
            self.close(new)?;
        }
        self.refer(
            number,
            Slot {
                close_on_exec,
                ..slot
            },
        );
        Ok(number)
    }

    fn refer(&mut self, fd: u32, slot: Slot) {
        let tables = Arc::make_mut(&mut self.tables);
        tables.slots.insert(fd, slot);
        if let Some(open) = tables.open.get_mut(&slot.open) {
            open.references += 1;
        }
    }

    /// Closes a descriptor. Returns its file if this was its last descriptor.
    pub fn close(&mut self, fd: i32) -> Result<Option<Target>, Errno> {
        let slot = self.slot(fd)?;
        let tables = Arc::make_mut(&mut self.tables);
        tables.slots.remove(&(fd as u32));
        let Some(open) = tables.open.get_mut(&slot.open) else {
            return Ok(None);
        };
        open.references -= 1;
        if open.references > 0 {
            return Ok(None);
        }
        tables.changes += 1;
        Ok(tables.open.remove(&slot.open).map(|open| open.target))
    }

    /// Whether a descriptor is closed on exec.
    pub fn close_on_exec(&self, fd: i32) -> Result<bool, Errno> {
        Ok(self.slot(fd)?.close_on_exec)
    }

    /// Change whether a descriptor is closed on exec.
    pub fn set_close_on_exec(&mut self, fd: i32, close_on_exec: bool) -> Result<(), Errno> {
        let slot = self.slot(fd)?;
        let tables = Arc::make_mut(&mut self.tables);
        tables.slots.insert(
            fd as u32,
            Slot {
                close_on_exec,
                ..slot
            },
        );
        Ok(())
    }

    /// A new, empty pipe.
    pub fn new_pipe(&mut self) -> PipeId {
        let tables = Arc::make_mut(&mut self.tables);
        let id = PipeId(tables.next_pipe);
        tables.next_pipe += 1;
        tables.pipes.insert(id, Pipe::default());
        id
    }

    /// A pipe.
    pub fn pipe(&self, id: PipeId) -> Option<&Pipe> {
        self.tables.pipes.get(&id)
    }

    /// A pipe, to transfer bytes.
    pub fn pipe_mut(&mut self, id: PipeId) -> Option<&mut Pipe> {
        let tables = Arc::make_mut(&mut self.tables);
        tables.changes += 1;
        tables.pipes.get_mut(&id)
    }

    /// Adds a socket.
    pub fn new_socket(&mut self, socket: Socket) -> SocketId {
        let sockets = &mut Arc::make_mut(&mut self.tables).sockets;
        let id = SocketId(sockets.len() as u32);
        sockets.insert(id, socket);
        id
    }

    /// A socket.
    pub fn socket(&self, id: SocketId) -> Option<&Socket> {
        self.tables.sockets.get(&id)
    }

    /// A socket, to change it.
    pub fn socket_mut(&mut self, id: SocketId) -> Option<&mut Socket> {
        let tables = Arc::make_mut(&mut self.tables);
        tables.changes += 1;
        tables.sockets.get_mut(&id)
    }

    /// All sockets that there ever were.
    pub fn socket_ids(&self) -> impl Iterator<Item = SocketId> {
        self.tables.sockets.keys().copied()
    }

    /// The number of a new mapping that processes share.
    pub fn new_mapping(&mut self) -> u32 {
        let tables = Arc::make_mut(&mut self.tables);
        tables.next_mapping += 1;
        tables.next_mapping
    }

    /// A new set of watched descriptors.
    pub fn new_watched(&mut self) -> WatchedId {
        let watched = &mut Arc::make_mut(&mut self.tables).watched;
        let id = WatchedId(watched.len() as u32);
        watched.insert(id, Watched::default());
        id
    }

    /// Watched descriptors.
    pub fn watched(&self, id: WatchedId) -> Option<&Watched> {
        self.tables.watched.get(&id)
    }

    /// Watched descriptors, to change them.
    pub fn watched_mut(&mut self, id: WatchedId) -> Option<&mut Watched> {
        let tables = Arc::make_mut(&mut self.tables);
        tables.changes += 1;
        tables.watched.get_mut(&id)
    }

    /// Adds a counter.
    pub fn new_counter(&mut self, counter: Counter) -> CounterId {
        let counters = &mut Arc::make_mut(&mut self.tables).counters;
        let id = CounterId(counters.len() as u32);
        counters.insert(id, counter);
        id
    }

    /// A counter.
    pub fn counter(&self, id: CounterId) -> Option<Counter> {
        self.tables.counters.get(&id).copied()
    }

    /// A counter, to change it.
    pub fn counter_mut(&mut self, id: CounterId) -> Option<&mut Counter> {
        let tables = Arc::make_mut(&mut self.tables);
        tables.changes += 1;
        tables.counters.get_mut(&id)
    }

    /// The open file that a descriptor refers to.
    pub fn open_id(&self, fd: i32) -> Option<OpenId> {
        self.slot(fd).ok().map(|slot| slot.open)
    }

    /// The descriptors of the running process.
    pub fn slots(&self) -> Slots {
        Slots {
            slots: self.tables.slots.clone(),
            limit: self.limit,
        }
    }

    /// Every open file has as many descriptors more as it has in the running process.
    pub fn refer_again(&mut self) {
        let tables = Arc::make_mut(&mut self.tables);
        for slot in tables.slots.values() {
            if let Some(open) = tables.open.get_mut(&slot.open) {
                open.references += 1;
            }
        }
    }

    /// The descriptors of another process take the place of those of the running one.
    pub fn exchange(&mut self, other: &mut Slots) {
        std::mem::swap(&mut Arc::make_mut(&mut self.tables).slots, &mut other.slots);
        std::mem::swap(&mut self.limit, &mut other.limit);
    }

    /// Something has changed that is no transfer.
    pub fn note_change(&mut self) {
        Arc::make_mut(&mut self.tables).changes += 1;
    }

    /// How often anything has changed that a transfer may wait for.
    pub fn changes(&self) -> u64 {
        self.tables.changes
    }

    /// All open files, in the order they were opened.
    pub fn open_files(&self) -> impl Iterator<Item = &OpenFile> {
        self.tables.open.values()
    }

    /// All open files, to change what they refer to.
    pub fn open_files_mut(&mut self) -> impl Iterator<Item = &mut OpenFile> {
        Arc::make_mut(&mut self.tables).open.values_mut()
    }
}

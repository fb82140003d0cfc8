//! The processes of a program: who there is, who has ended, and what each has of its own.
//!
//! One of them runs at a time; who, is the engine's to decide. Files, pipes, sockets, the clock and
//! captured output are there once. What a process has of its own stands in the environment while it
//! runs, and in an [`Own`] while it does not.

use crate::descriptors::{Descriptors, Slots};
use crate::environment::{Environment, Mapped, PID, Permits};
use crate::ipc::Ipc;
use crate::signals::Signals;
use plat_expr::Value;
use std::sync::Arc;

/// A process that its parent may still ask for.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Process {
    id: u64,
    parent: u64,
    /// What `wait` says of it, once it has ended.
    status: Option<Value>,
}

/// The processes of a path that has made one.
#[derive(Clone, PartialEq, Debug)]
pub struct Processes {
    running: u64,
    all: Vec<Process>,
    next: u64,
}

/// Memory that processes share.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SharedMapping {
    /// Its number on the path.
    pub number: u32,
    /// Where it begins, in every process that has it.
    pub address: Value,
    /// Its size.
    pub size: u64,
    /// The segment of System V IPC, if it is one.
    pub segment: Option<i32>,
    /// How often the process has attached it.
    pub attachments: u32,
}

/// The processes of a program, and what they have in common beside files.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Family {
    /// The processes, once the program has made one.
    pub processes: Option<Arc<Processes>>,
    /// Objects of System V IPC.
    pub ipc: Arc<Ipc>,
}

plat_expr::holder!(Process { status } plain { id, parent });
plat_expr::holder!(Processes { all } plain { running, next });
plat_expr::holder!(SharedMapping { address } plain { number, size, segment, attachments });
plat_expr::holder!(Family { processes, ipc });
plat_expr::holder!(Own { signals, mapped } plain { slots, directory, permits });

/// What a process has of its own.
#[derive(Clone, PartialEq, Debug)]
pub struct Own {
    slots: Slots,
    directory: Arc<[u8]>,
    permits: Permits,
    signals: Signals,
    mapped: Mapped,
}

/// What a call asks of the processes of the program.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ProcessCall {
    /// The running process is copied.
    Fork,
    /// A signal for another process.
    Signal {
        /// The process.
        process: u64,
        /// The signal.
        signal: u32,
    },
}

/// What `wait` finds.
pub(crate) enum Waited {
    /// A process that has ended, and what is said of it.
    Ended(u64, Value),
    /// None has ended yet.
    Later,
    /// There is none to wait for.
    Nobody,
}

impl Environment {
    /// The number of the running process.
    pub fn process(&self) -> u64 {
        self.family
            .processes
            .as_ref()
            .map_or(PID, |processes| processes.running)
    }

    /// The number of the running process's parent.
    pub(crate) fn parent(&self) -> u64 {
        let found = self
            .family
            .processes
            .as_ref()
            .and_then(|processes| processes.find(processes.running));
        found.map_or(1, |process| process.parent)
    }

    /// Whether nothing else of the program can change what the running thread sees.
    pub fn alone(&self) -> bool {
        let others = |processes: &Arc<Processes>| {
            let alive = |process: &&Process| process.status.is_none();
            processes.all.iter().filter(alive).count() > 1
        };
        !self.thread.others && !self.family.processes.as_ref().is_some_and(others)
    }

    /// A process is made, of which the running one is the parent: its number, and what it has of its own.
    pub fn fork(&mut self) -> (u64, Own) {
        let parent = self.process();
        let first = || Processes {
            running: PID,
            all: vec![Process {
                id: PID,
                parent: 1,
                status: None,
            }],
            next: PID + 1,
        };
        let processes = self
            .family
            .processes
            .get_or_insert_with(|| Arc::new(first()));
        let processes = Arc::make_mut(processes);
        let id = processes.next;
        processes.next += 1;
        processes.all.push(Process {
            id,
            parent,
            status: None,
        });
        self.descriptors.refer_again();
        let attached = self.mapped.shared.clone();
        self.count_attachments(&attached, true);
        (id, self.own())
    }

    fn own(&self) -> Own {
        let mut signals = self.signals.clone();
        signals.forget();
        let mut permits = self.permits.clone();
        permits.scheduling = permits.scheduling.inherited();
        Own {
            slots: self.descriptors.slots(),
            directory: self.directory.clone(),
            permits,
            signals,
            mapped: self.mapped.clone(),
        }
    }

    /// Another process runs from now on. What the one that ran has of its own takes the place of what
    /// the other one has.
    pub fn exchange(&mut self, process: u64, own: &mut Own) {
        if let Some(processes) = &mut self.family.processes {
            Arc::make_mut(processes).running = process;
        }
        self.descriptors.exchange(&mut own.slots);
        std::mem::swap(&mut self.directory, &mut own.directory);
        std::mem::swap(&mut self.permits, &mut own.permits);
        self.tree.set_identity(self.permits.users.identity());
        std::mem::swap(&mut self.signals, &mut own.signals);
        std::mem::swap(&mut self.mapped, &mut own.mapped);
    }

    /// What a process other than the running one has of its own is given up.
    pub fn give_up(&mut self, own: &mut Own) {
        self.descriptors.exchange(&mut own.slots);
        self.descriptors.close_all();
        self.descriptors.exchange(&mut own.slots);
        self.count_attachments(&own.mapped.shared, false);
    }

    /// What the running process has of its own is given up.
    pub fn give_up_running(&mut self) {
        self.descriptors.close_all();
        let attached = self.mapped.shared.clone();
        self.count_attachments(&attached, false);
    }

    /// A process ends; `status` is what `wait` says of it. Its children have no parent any more.
    pub fn process_ends(&mut self, id: u64, status: Value) {
        let Some(processes) = &mut self.family.processes else {
            return;
        };
        let processes = Arc::make_mut(processes);
        for process in &mut processes.all {
            if process.parent == id {
                process.parent = 1;
            }
            if process.id == id {
                process.status = Some(status);
            }
        }
        processes
            .all
            .retain(|process| process.status.is_none() || process.parent != 1);
        self.leave_ipc(id);
        self.descriptors.note_change();
    }

    /// A child of the running process that has ended, any or this one. Nothing is said of children whose
    /// ends are ignored.
    pub(crate) fn child(&self, child: Option<u64>) -> Waited {
        let running = self.process();
        let ignored = self.signals.ignores_children();
        let all = self
            .family
            .processes
            .iter()
            .flat_map(|processes| processes.all.iter());
        let mut children = all
            .filter(|process| process.parent == running)
            .filter(|process| child.is_none_or(|child| child == process.id))
            .filter(|process| !ignored || process.status.is_none())
            .peekable();
        if children.peek().is_none() {
            return Waited::Nobody;
        }
        let mut ended = children.filter_map(|process| Some((process.id, process.status?)));
        ended
            .next()
            .map_or(Waited::Later, |(id, status)| Waited::Ended(id, status))
    }

    /// The end of a child has been told.
    pub(crate) fn forget_child(&mut self, child: u64) {
        if let Some(processes) = &mut self.family.processes {
            Arc::make_mut(processes)
                .all
                .retain(|process| process.id != child);
        }
    }

    /// Whether there is a process of this number; none if there is none, else whether it is alive.
    pub(crate) fn is_alive(&self, id: u64) -> Option<bool> {
        match &self.family.processes {
            Some(processes) => processes.find(id).map(|process| process.status.is_none()),
            None => (id == PID).then_some(true),
        }
    }
}

impl Processes {
    fn find(&self, id: u64) -> Option<&Process> {
        self.all.iter().find(|process| process.id == id)
    }
}

impl Own {
    /// The signals of the process.
    pub fn signals(&mut self) -> &mut Signals {
        &mut self.signals
    }
}

impl Descriptors {
    /// Closes all descriptors of the running process.
    pub fn close_all(&mut self) {
        let all: Vec<u32> = self.numbers().collect();
        for fd in all {
            // They are open.
            let _ = self.close(fd as i32);
        }
    }
}

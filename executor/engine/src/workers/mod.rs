//! Exploring in several processes.
//!
//! States share expressions, contents and caches, all counted without atomic operations, so they
//! cannot go to other threads. They can go to a fork of the process: the first process explores,
//! and whenever a process has several live states and fewer processes run than may, it forks. The
//! new one keeps every second state, the old one the others; all that both know is copied by the
//! system when it is written. A worker ends when its states have ended. Which processes run is in
//! memory that all share; it takes the part of the tokens of a jobserver.
//!
//! What an observer would hear goes through a pipe to the first process, which tells its observers
//! and adds the counters up. As each path has the least model of its condition, and each error the
//! least path that meets it ([`crate::report::deduplication`]), the set of tests does not depend on which
//! process explored what. The order of tests does.
//!
//! A worker that ends without having said so has lost its states, which the run counts and says. Where it
//! keeps a trie, they are explored again at the end.

mod event;
#[expect(unsafe_code, reason = "memory that forks share, and their end")]
mod process;
mod root;
mod tally;

pub use process::MOST;
pub(crate) use process::cpu_time;

use crate::api::config::{Config, Merging};
use crate::api::id::StateId;
use crate::api::outcome::Limit;
use crate::api::summary::StopReason;
use crate::executor::{GuardedObserver, Halt};
use crate::run::Run;
use event::{Event, Scribe};
use plat_protocol::{Divided, fork};
use plat_solver::SolverStats;
use process::Page;
use root::Root;
use std::cell::RefCell;
use std::io::{self, PipeReader, PipeWriter};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tally::Moment;

/// How often counters and memory are reported.
const REPORT: Duration = Duration::from_millis(500);

/// What a worker that ends its states keeps for a pipe without room, in bytes, before it waits.
const AHEAD: usize = 1 << 18;

/// This process as one of several.
pub(crate) struct Workers {
    page: &'static Page,
    /// The pipes of the slots.
    pipes: Vec<(PipeReader, PipeWriter)>,
    /// Shortest time between two forks of a process.
    patience: Duration,
    /// When it last forked, or was made.
    forked: Instant,
    children: Vec<u32>,
    reported: Instant,
    /// Processor time of this process before it explored.
    spent: Duration,
    role: Role,
}

enum Role {
    Root(Box<Root>),
    Worker(Box<Worker>),
}

/// What a worker knows of itself.
struct Worker {
    slot: usize,
    /// What is to go through the pipe.
    told: Rc<RefCell<Vec<u8>>>,
    /// The counters when they were last reported.
    before: Moment,
}

/// Why a run has one process whatever was asked for: its results depend on the order of paths.
pub fn needs_one_process(config: &Config) -> Option<&'static str> {
    let limits = &config.limits;
    let reasons = [
        (!config.search.seeds.all.is_empty(), "it follows seeds"),
        (
            config.tests.only_covering_new,
            "only paths that cover new code have tests",
        ),
        (
            config.errors.end_at_first || !config.errors.end_at.is_empty(),
            "it ends at an error",
        ),
        (limits.instructions.is_some(), "instructions are bounded"),
        (
            limits.forks.is_some() || limits.fork_shares.are_bounded(),
            "forks are bounded",
        ),
        (limits.tests.is_some(), "tests are bounded"),
        (config.search.merging != Merging::Off, "it merges paths"),
        (config.prediction.is_some(), "it checks an analysis"),
        (config.record_confusions, "it records confusions"),
        (!config.search.targets.is_empty(), "it has targets"),
        (
            !(config.solver.log.is_empty() && config.solver.log_all.is_empty()),
            "queries are logged",
        ),
    ];
    reasons
        .into_iter()
        .find_map(|(holds, why)| holds.then_some(why))
}

impl Workers {
    /// The first process, if there are to be others.
    fn new(config: &Config) -> io::Result<Self> {
        let count = config.workers.processes.min(MOST);
        let page = Page::new()?;
        page.running.store(1, Ordering::SeqCst);
        page.made.store(1, Ordering::SeqCst);
        page.root.store(std::process::id(), Ordering::SeqCst);
        // The first process has the last place, until it has nothing left to explore.
        page.slots[count - 1]
            .process
            .store(std::process::id(), Ordering::SeqCst);
        let pipes = (0..count)
            .map(|_| process::pipe())
            .collect::<io::Result<Vec<_>>>()?;
        Ok(Workers {
            page,
            patience: config.workers.interval,
            forked: Instant::now(),
            children: Vec::new(),
            reported: Instant::now(),
            spent: process::cpu_time(),
            role: Role::Root(Box::new(Root::new(count))),
            pipes,
        })
    }

    /// A free place, which is then this process's to fill.
    fn claim(&self) -> Option<usize> {
        let me = std::process::id();
        let order = Ordering::SeqCst;
        let slots = self.page.slots[..self.pipes.len()].iter();
        slots
            .into_iter()
            .position(|slot| slot.process.compare_exchange(0, me, order, order).is_ok())
    }

    /// Gives this process's place free.
    fn leave(&self, slot: usize) {
        let spent = process::cpu_time().saturating_sub(self.spent);
        let nanoseconds = u64::try_from(spent.as_nanos()).unwrap_or(u64::MAX);
        (self.page.slots[slot].cpu).fetch_add(nanoseconds, Ordering::SeqCst);
        self.release(slot);
    }

    /// The first process has more to explore: it takes its place again.
    pub(crate) fn rejoin(&mut self) {
        let own = self.pipes.len() - 1;
        self.spent = process::cpu_time();
        let me = std::process::id();
        self.page.slots[own].process.store(me, Ordering::SeqCst);
        self.page.running.fetch_add(1, Ordering::SeqCst);
    }

    /// Gives a place free.
    fn release(&self, slot: usize) {
        let slot = &self.page.slots[slot];
        slot.states.store(0, Ordering::SeqCst);
        slot.resident.store(0, Ordering::SeqCst);
        slot.process.store(0, Ordering::SeqCst);
        self.page.running.fetch_sub(1, Ordering::SeqCst);
    }

    /// Whether a process with so many live states is to look for a free place.
    pub fn may_fork(&self, states: usize) -> bool {
        let running = self.page.running.load(Ordering::Relaxed) as usize;
        let calm = || self.page.halt.load(Ordering::Relaxed) == 0;
        states > 1 && running < self.pipes.len() && self.forked.elapsed() >= self.patience && calm()
    }

    /// Processor time of exploring, by place, of processes that have ended.
    pub fn cpu(&self) -> Vec<Duration> {
        let slots = self.page.slots[..self.pipes.len()].iter();
        slots
            .map(|slot| Duration::from_nanos(slot.cpu.load(Ordering::Relaxed)))
            .collect()
    }

    /// Processes that there have been.
    pub fn made(&self) -> u32 {
        self.page.made.load(Ordering::Relaxed)
    }

    /// Memory of all processes in bytes, as far as this one knows.
    pub fn resident(&self) -> u64 {
        self.page.resident()
    }

    /// Takes one of so many tests of live paths. Says whether there was one left.
    pub fn take_halt_test(&self, most: u64) -> bool {
        self.page.halt_tests.fetch_add(1, Ordering::Relaxed) < most
    }

    fn halt(&self, why: Halt) {
        let order = Ordering::SeqCst;
        // The first reason stays.
        let _ = self.page.halt.compare_exchange(0, why as u32, order, order);
    }

    /// The solver's counters with those of other processes, given this one's.
    pub fn solver_stats(&self, here: SolverStats) -> SolverStats {
        match &self.role {
            Role::Root(root) => tally::sum(here, &root.solver),
            Role::Worker(_) => here,
        }
    }

    /// Live states of other processes, as far as this one knows.
    fn states_elsewhere(&self) -> usize {
        let slots = self.page.slots.iter();
        slots
            .map(|slot| slot.states.load(Ordering::Relaxed) as usize)
            .sum()
    }
}

/// The states that a process hands to the one it forks: every second one, so that each has paths
/// of all lengths.
fn given(mut live: Vec<StateId>) -> (Vec<StateId>, Vec<StateId>) {
    live.sort_unstable();
    let (mut given, mut kept) = (Vec::new(), Vec::new());
    for (at, id) in live.into_iter().enumerate() {
        let side = if at % 2 == 0 { &mut given } else { &mut kept };
        side.push(id);
    }
    (given, kept)
}

/// What becomes of a process that forks.
pub(crate) enum Forked {
    /// Nothing: there is no place, or the system does not let it.
    No,
    /// This is the old process, and these states are the other's now.
    Parent(Vec<StateId>),
    /// This is the new process, and these states are the other's.
    Child(Vec<StateId>),
}

impl Run<'_> {
    /// Prepares for several processes, if the run is to have them.
    pub(crate) fn start_workers(&mut self) {
        let alone = needs_one_process(self.exec.config).is_some() || self.takes_seeds();
        if self.exec.config.workers.processes < 2 || alone {
            return;
        }
        if let Some(why) = self.exec.hooks.needs_one_process() {
            self.exec
                .events
                .warn_once(format!("exploring in one process: {why}"));
            return;
        }
        match Workers::new(self.exec.config) {
            Ok(workers) => {
                self.exec.state_ids.shared = Some(&workers.page.states);
                let nodes = &workers.page.nodes;
                nodes.store(self.exec.state_ids.nodes, Ordering::Relaxed);
                self.exec.state_ids.shared_nodes = Some(nodes);
                self.exec.clock.halt = Some(&workers.page.halt);
                self.workers = Some(Box::new(workers));
                self.exec.set_deadline();
            }
            Err(why) => self
                .exec
                .events
                .warn_once(format!("exploring in one process: {why}")),
        }
    }

    /// Forks the process if there is a place for one more.
    pub(crate) fn fork_worker(&mut self, live: Vec<StateId>) -> Forked {
        // The decisions that lead to what another process explores must not be lost with this one.
        if !self.push_told() {
            return Forked::No;
        }
        let Some(workers) = &mut self.workers else {
            return Forked::No;
        };
        let Some(slot) = workers.claim() else {
            return Forked::No;
        };
        workers.page.running.fetch_add(1, Ordering::SeqCst);
        workers.forked = Instant::now();
        workers.children.retain(|&child| !process::reap(child));
        let (given, kept) = given(live);
        let place = &workers.page.slots[slot];
        place.states.store(given.len() as u64, Ordering::SeqCst);
        match fork() {
            Err(why) => {
                workers.release(slot);
                // It may be better later; not at once.
                workers.patience = (2 * workers.patience).max(REPORT);
                self.exec
                    .events
                    .warn_once(format!("the process cannot be divided: {why}"));
                Forked::No
            }
            Ok(Divided::Parent(child)) => {
                // If it has not ended already.
                let (me, order) = (std::process::id(), Ordering::SeqCst);
                let _ = place.process.compare_exchange(me, child, order, order);
                workers.children.push(child);
                workers.page.made.fetch_add(1, Ordering::Relaxed);
                Forked::Parent(given)
            }
            Ok(Divided::Child) => {
                place.process.store(std::process::id(), Ordering::SeqCst);
                self.become_worker(slot);
                Forked::Child(kept)
            }
        }
    }

    /// What the new process changes: it tells a pipe what it would tell observers.
    fn become_worker(&mut self, slot: usize) {
        let told = Rc::new(RefCell::new(Vec::new()));
        // An observer lives as long as the run, which here ends with the process.
        let scribe = Box::leak(Box::new(Scribe(told.clone())));
        self.exec.events.observer = GuardedObserver::new(scribe);
        self.exec.counters.counts.max_states = 0;
        self.exec.hooks.worker_started();
        let before = Moment::of(&self.exec);
        if let Some(workers) = &mut self.workers {
            workers.children.clear();
            workers.spent = Duration::ZERO;
            workers.role = Role::Worker(Box::new(Worker { slot, told, before }));
        }
    }

    /// Lets a worker explore, tells the end, and ends the process.
    pub(crate) fn work(&mut self, explore: impl FnOnce(&mut Self) -> StopReason) -> ! {
        let worked = catch_unwind(AssertUnwindSafe(|| {
            let reason = explore(self);
            self.tell_report();
            if let Some(workers) = &self.workers
                && let Role::Worker(worker) = &workers.role
            {
                Event::Done(reason).tell(&worker.told);
                while workers.push(worker) {
                    process::wait_to_write(
                        &workers.pipes[worker.slot].1,
                        Duration::from_millis(100),
                    );
                    if !process::lives(workers.page.root.load(Ordering::Relaxed)) {
                        break;
                    }
                }
                workers.leave(worker.slot);
            }
            self.exec.solving.oracle.close();
        }));
        process::leave(i32::from(worked.is_err()))
    }

    /// Tells what a worker's counters have come to.
    fn tell_report(&mut self) {
        let now = Moment::of(&self.exec);
        if let Some(workers) = &self.workers
            && let Role::Worker(worker) = &workers.role
        {
            for (hook, saved) in self.exec.hooks.save() {
                Event::Gathered(hook, saved).tell(&worker.told);
            }
        }
        if let Some(workers) = &mut self.workers
            && let Role::Worker(worker) = &mut workers.role
        {
            let tally = now.since(&worker.before);
            Event::Report(Box::new(tally)).tell(&worker.told);
            worker.before = now;
        }
    }

    /// What a process does ten times a second. Returns whether all together have too much memory.
    pub(crate) fn tick_workers(&mut self, states: usize) -> Option<Limit> {
        let workers = self.workers.as_mut()?;
        let due = workers.reported.elapsed() >= REPORT;
        let page = workers.page;
        let (count, memory) = match &workers.role {
            Role::Root(_) => (None, &page.resident),
            Role::Worker(worker) => {
                let slot = &page.slots[worker.slot];
                (Some(&slot.states), &slot.resident)
            }
        };
        if let Some(count) = count {
            count.store(states as u64, Ordering::Relaxed);
        }
        if due {
            workers.reported = Instant::now();
            memory.store(process::share_of_memory(), Ordering::Relaxed);
        }
        let most = self.exec.config.limits.memory;
        if due && most.is_some_and(|most| page.resident() >= most) {
            workers.halt(Halt::Memory);
        }
        match &workers.role {
            Role::Root(_) => self.hear_workers(),
            Role::Worker(_) => {
                if due {
                    self.tell_report();
                }
                self.push_told();
            }
        }
        self.exec.clock.halted()
    }

    /// While a process ends its states: the first one receives when that is due, and the others wait
    /// for it when they have sent much more than it has received.
    pub(crate) fn exchange(&mut self, due: bool) {
        let Some(workers) = &self.workers else {
            return;
        };
        match &workers.role {
            Role::Root(_) if due => self.hear_workers(),
            Role::Root(_) => {}
            Role::Worker(worker) => {
                if worker.told.borrow().len() >= AHEAD {
                    process::wait_to_write(
                        &workers.pipes[worker.slot].1,
                        Duration::from_millis(10),
                    );
                    self.push_told();
                }
            }
        }
    }

    /// Sends events of a worker, as far as there is room; whether that were all. Without the first
    /// process it ends.
    fn push_told(&self) -> bool {
        let Some(workers) = &self.workers else {
            return true;
        };
        let Role::Worker(worker) = &workers.role else {
            return true;
        };
        let left = workers.push(worker);
        if !process::lives(workers.page.root.load(Ordering::Relaxed)) {
            process::leave(1);
        }
        !left
    }
}

impl Workers {
    /// Sends what there is room for. Returns whether something is left.
    fn push(&self, worker: &Worker) -> bool {
        let mut told = worker.told.borrow_mut();
        process::push(&self.pipes[worker.slot].1, &mut told);
        !told.is_empty()
    }
}

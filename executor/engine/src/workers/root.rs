//! The first process: it receives from the workers, passes events to the observer, adds up, and waits for the end.

use super::event::Event;
use super::process;
use super::{Role, Workers};
use crate::api::observe::Observer;
use crate::api::outcome::Limit;
use crate::api::summary::StopReason;
use crate::executor::Halt;
use crate::run::Run;
use plat_protocol::Incoming;
use plat_solver::SolverStats;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// What the first process knows of the others.
pub(super) struct Root {
    /// What has come from each place.
    heard: Vec<Incoming>,
    /// The sum of the other solvers' counters.
    pub solver: SolverStats,
    /// By place, the test that was heard of last, until the end of its path is heard of.
    told: Vec<Option<u64>>,
    /// Why a worker stopped before its states had ended.
    limit: Option<Limit>,
}

impl Root {
    pub fn new(places: usize) -> Self {
        Root {
            heard: (0..places).map(|_| Incoming::default()).collect(),
            solver: SolverStats::default(),
            told: vec![None; places],
            limit: None,
        }
    }
}

impl Workers {
    fn root(&mut self) -> Option<&mut Root> {
        match &mut self.role {
            Role::Root(root) => Some(root),
            Role::Worker(_) => None,
        }
    }

    /// Reads what has come from a place: the whole messages in it.
    fn read(&mut self, place: usize) -> Vec<Result<Event, plat_protocol::Error>> {
        let Role::Root(root) = &mut self.role else {
            return Vec::new();
        };
        let heard = &mut root.heard[place];
        process::drain(&self.pipes[place].0, heard);
        std::iter::from_fn(|| heard.message().transpose()).collect()
    }

    /// Places whose process has ended without giving them free.
    fn deserted(&self) -> Vec<usize> {
        let me = std::process::id();
        let holder = |place: usize| self.page.slots[place].process.load(Ordering::SeqCst);
        let places = 0..self.pipes.len();
        let gone = places.filter(|&place| {
            let process = holder(place);
            process != 0 && process != me && !process::lives(process) && holder(place) == process
        });
        gone.collect()
    }
}

impl Run<'_> {
    /// Receives what workers have sent, and checks whether all of them live.
    pub(super) fn hear_workers(&mut self) {
        let Some(workers) = &mut self.workers else {
            return;
        };
        // First: what such a worker has sent is in its pipe then.
        let deserted = workers.deserted();
        let places = workers.pipes.len();
        for place in 0..places {
            self.hear(place);
        }
        for place in deserted {
            self.lose(place);
        }
    }

    fn hear(&mut self, place: usize) {
        let events = match &mut self.workers {
            Some(workers) => workers.read(place),
            None => Vec::new(),
        };
        for event in events {
            match event {
                Ok(event) => {
                    self.note_told(place, &event);
                    self.hear_event(event);
                }
                Err(why) => {
                    self.exec.counters.counts.internal_errors += 1;
                    self.exec
                        .events
                        .warn_once(format!("internal: from a worker: {why}"));
                }
            }
        }
    }

    /// Notes whose end has been told by half: its test, but not that its path is over.
    fn note_told(&mut self, place: usize, event: &Event) {
        let told = match event {
            Event::Ended(record) => Some(record.identity()).filter(|_| record.wanted),
            Event::Closed(..) => None,
            _ => return,
        };
        if let Some(root) = self.workers.as_mut().and_then(|workers| workers.root()) {
            root.told[place] = told;
        }
    }

    fn hear_event(&mut self, event: Event) {
        match event {
            Event::Ended(record) => self.conclude(*record),
            Event::Warned(text, true) => self.exec.events.warn_once(text),
            Event::Warned(text, false) => self.exec.events.observer.warning(&text, false),
            Event::Unsupported(what, text) => self.exec.events.warn_first(what, text),
            Event::Said(text) => self.exec.events.observer.message(&text),
            Event::Printed(text) => self.exec.events.observer.print(&text),
            Event::Stack(lines) => self.exec.events.observer.stack(&lines),
            Event::Wrote(to, bytes) => self.exec.events.observer.output(to, &bytes),
            Event::Covered(state, inst) => self.exec.events.observer.covered(state, inst),
            Event::Forked(fork) => self.exec.events.observer.forked(&fork),
            Event::Decided(decision) => self.exec.events.observer.decided(&decision),
            Event::Closed(node, leaf) => self.exec.events.observer.closed(node, leaf),
            Event::Left(left) => self.exec.events.observer.left(&left),
            Event::Renewed(node) => self.exec.events.observer.renewed(node),
            Event::Asked(inst, decided) => self.exec.events.observer.asked(inst, decided),
            Event::Solved(inst, wall) => self.exec.events.observer.solved(inst, wall),
            Event::Gathered(hook, saved) => self.exec.hooks.merge(hook, &saved),
            Event::Report(tally) => {
                if let Some(root) = self.workers.as_mut().and_then(|workers| workers.root()) {
                    self.exec.add_tally(*tally, &mut root.solver);
                }
            }
            Event::Done(StopReason::Finished) => {}
            Event::Done(StopReason::Limit(limit)) => {
                if let Some(root) = self.workers.as_mut().and_then(|workers| workers.root()) {
                    root.limit.get_or_insert(limit);
                }
            }
        }
    }

    /// Gives up a worker that has ended without a message.
    fn lose(&mut self, place: usize) {
        let Some(workers) = &mut self.workers else {
            return;
        };
        let slot = &workers.page.slots[place];
        let process = slot.process.load(Ordering::SeqCst);
        let states = slot.states.load(Ordering::SeqCst).max(1);
        // A message that broke off.
        if let Some(root) = workers.root() {
            root.heard[place].clear();
            self.ends.told.extend(root.told[place].take());
        }
        workers.release(place);
        self.ends.lost += states;
        let what = match self.exec.events.observer.keeps_open() {
            true => "are explored again when the others have ended",
            false => "are lost",
        };
        self.exec.events.observer.warning(
            &format!("worker process {process} has ended before its work: its paths {what}"),
            false,
        );
    }

    /// Waits until no other process explores. Returns why the run stops, given why the first
    /// process has.
    pub(crate) fn await_workers(&mut self, reason: StopReason) -> StopReason {
        let Some(workers) = &mut self.workers else {
            return reason;
        };
        let own = workers.pipes.len() - 1;
        workers.leave(own);
        loop {
            let Some(workers) = &mut self.workers else {
                return reason;
            };
            workers.children.retain(|&child| !process::reap(child));
            let left = workers.page.running.load(Ordering::SeqCst);
            if left > 0 {
                process::wait_to_read(
                    workers.pipes.iter().map(|(reader, _)| reader),
                    Duration::from_millis(100),
                );
            }
            self.hear_workers();
            if left == 0 {
                break;
            }
            self.pass_on_interrupt();
            self.watch_workers();
        }
        let others = self
            .workers
            .as_mut()
            .and_then(|workers| workers.root()?.limit);
        match (reason, others) {
            (StopReason::Finished, Some(limit)) => StopReason::Limit(limit),
            _ => reason,
        }
    }

    /// Shows how far the others are, and passes on a request for the end of the run.
    fn watch_workers(&mut self) {
        let Some(workers) = &mut self.workers else {
            return;
        };
        if workers.reported.elapsed() < super::REPORT {
            return;
        }
        workers.reported = std::time::Instant::now();
        let memory = process::share_of_memory();
        workers.page.resident.store(memory, Ordering::Relaxed);
        let (states, resident) = (workers.states_elsewhere(), workers.page.resident());
        self.show_progress(states.max(1), resident);
    }

    /// Passes a request for the end of the run on to the workers.
    pub(crate) fn pass_on_interrupt(&self) {
        if let Some(workers) = &self.workers
            && self.exec.clock.interrupted()
        {
            workers.halt(Halt::Interrupt);
        }
    }
}

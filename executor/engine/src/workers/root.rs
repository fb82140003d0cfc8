//! The first process: it hears the workers, tells the observers, adds up, and waits for the end.

use super::event::Event;
use super::process;
use super::{Halt, Role, Workers};
use crate::engine::Engine;
use crate::lent;
use crate::outcome::Limit;
use crate::summary::StopReason;
use plat_solver::SolverStats;
use std::sync::atomic::Ordering;

/// What the first process knows of the others.
pub(super) struct Root {
    /// What has come from each place and is not a whole message yet.
    heard: Vec<Vec<u8>>,
    /// The sum of the other solvers' counters.
    pub solver: SolverStats,
    /// Why a worker stopped before its states had ended.
    limit: Option<Limit>,
}

impl Root {
    pub fn new(places: usize) -> Self {
        Root {
            heard: vec![Vec::new(); places],
            solver: SolverStats::default(),
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
    fn read(&mut self, place: usize) -> Vec<Option<Event>> {
        let Role::Root(root) = &mut self.role else {
            return Vec::new();
        };
        let heard = &mut root.heard[place];
        process::drain(&self.pipes[place].0, heard);
        let mut rest = &heard[..];
        let mut events = Vec::new();
        while let Some(event) = Event::next(&mut rest) {
            events.push(event);
        }
        let read = heard.len() - rest.len();
        heard.drain(..read);
        events
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

impl Engine<'_> {
    /// Hears what workers have told, and looks whether all of them live.
    pub(super) fn hear_workers(&mut self) {
        let Some(workers) = &mut self.workers else {
            return;
        };
        // First: what such a worker has told is in its pipe then.
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
                Some(event) => self.hear_event(event),
                None => {
                    self.counts.internal_errors += 1;
                    self.warn_once("internal: a worker's message cannot be read");
                }
            }
        }
    }

    fn hear_event(&mut self, event: Event) {
        match event {
            Event::Ended(record) => self.conclude(*record),
            Event::Warned(text, true) => self.warn_once(text),
            Event::Warned(text, false) => self.observer.warning(&text, false),
            Event::Lacked(what, text) => self.warn_first(what, text),
            Event::Said(text) => self.observer.message(&text),
            Event::Printed(text) => self.observer.print(&text),
            Event::Stack(lines) => self.observer.stack(&lines),
            Event::Wrote(to, bytes) => self.observer.output(to, &bytes),
            Event::Covered(state, inst) => self.observer.covered(state, inst),
            Event::Forked(fork) => self.observer.forked(&fork),
            Event::Asked(inst, decided) => self.observer.asked(inst, decided),
            Event::Report(tally) => {
                lent::with(
                    self,
                    |engine| &mut engine.workers,
                    |engine, workers| {
                        if let Some(root) = workers.root() {
                            engine.add_tally(*tally, &mut root.solver);
                        }
                    },
                );
            }
            Event::Done(StopReason::Finished) => {}
            Event::Done(StopReason::Limit(limit)) => {
                if let Some(root) = self.workers.as_mut().and_then(|workers| workers.root()) {
                    root.limit.get_or_insert(limit);
                }
            }
        }
    }

    /// Buries a worker that has ended without having said so.
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
        }
        workers.release(place);
        self.lost += states;
        self.observer.warning(
            &format!("worker process {process} has ended before its work: its paths are lost"),
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
                process::wait_to_read(workers.pipes.iter().map(|(reader, _)| reader), 100);
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

    /// Shows how far the others are, and hands on that somebody has asked for the end.
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

    /// Hands on to the workers that somebody has asked for the end.
    pub(crate) fn pass_on_interrupt(&self) {
        if let Some(workers) = &self.workers
            && self.interrupt.load(Ordering::Relaxed)
        {
            workers.halt(Halt::Interrupt);
        }
    }
}

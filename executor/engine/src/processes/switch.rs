//! Processes are put aside, taken up again, and end.

use crate::api::outcome::PathEnd;
use crate::executor::{Executor, Reply};
use crate::state::State;
use crate::state::stop::{Step, internal};
use crate::state::threads::{Awaited, Wait};
use plat_env::{PID, Time, Waker};
use plat_expr::Value;
use std::rc::Rc;

/// The process and the thread that run next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Next {
    process: u64,
    thread: u64,
}

impl Executor<'_> {
    /// Which other process runs if no thread of the running one can; its own first limit is `limit`. The
    /// time may pass for it.
    pub(crate) fn next_process(&mut self, state: &mut State, limit: Option<Time>) -> Option<Next> {
        let running = state.environment.process();
        let processes = state.others.processes.as_mut()?;
        if let Some((process, thread)) = processes.runnable(running) {
            return Some(Next { process, thread });
        }
        let limits = processes.others.iter().filter_map(|process| {
            let (thread, until) = process.threads.first_limit()?;
            Some((until, process.id, thread))
        });
        let (until, process, thread) = limits.min()?;
        if limit.is_some_and(|own| own <= until) {
            return None;
        }
        let at = processes.find(process)?;
        let threads = &mut Rc::make_mut(&mut processes.others[at]).threads;
        if let Some(at) = threads.find(thread) {
            Rc::make_mut(&mut threads.others[at]).go_on();
        }
        let clock = &mut Rc::make_mut(&mut state.environment).clock;
        clock.sleep_until(until);
        Some(Next { process, thread })
    }

    /// The other process runs. All threads of the one that ran have been put aside; it stays, unless it
    /// has ended.
    pub(crate) fn take_up_process(
        &mut self,
        state: &mut State,
        next: Next,
        stays: bool,
    ) -> Step<()> {
        may_panic!();
        self.keep_shared(state)?;
        let (Some(processes), Some(threads)) =
            (&mut state.others.processes, state.others.threads.take())
        else {
            return internal("a process runs where there are none");
        };
        let Some(at) = processes.find(next.process) else {
            return internal("a process runs that there is not");
        };
        let mut taken = Rc::unwrap_or_clone(processes.others.remove(at));
        let environment = Rc::make_mut(&mut state.environment);
        let running = environment.process();
        environment.exchange(next.process, &mut taken.own);
        std::mem::swap(&mut state.memory, &mut taken.memory);
        std::mem::swap(&mut state.distances, &mut taken.distances);
        std::mem::swap(&mut state.exceptions, &mut taken.exceptions);
        if let Some(hooks) = &mut state.history.hooks {
            hooks.exchange(&mut taken.hooks);
        }
        let mut put_aside = std::mem::replace(&mut taken.threads, threads);
        put_aside.departures = std::mem::take(&mut taken.threads.departures);
        state.others.threads = Some(put_aside);
        if stays {
            taken.id = running;
            let others = &mut processes.others;
            let at = others.partition_point(|other| other.id < running);
            others.insert(at, Rc::new(taken));
        }
        self.bring_shared(state)?;
        self.take_up(state, next.thread)
    }

    /// Keeps what is in the shared memory of the running process.
    fn keep_shared(&mut self, state: &mut State) -> Step<()> {
        for mapping in state.environment.mapped.shared.clone() {
            let bytes = self.bytes_at(state, mapping.address, mapping.size)?;
            Rc::make_mut(&mut state.environment).keep(mapping.number, bytes);
        }
        Ok(())
    }

    /// Gives the running process what others have written to shared memory.
    fn bring_shared(&mut self, state: &mut State) -> Step<()> {
        for mapping in state.environment.mapped.shared.clone() {
            if let Some(bytes) = state.environment.kept(mapping.number) {
                self.put_bytes(state, mapping.address, &bytes)?;
            }
        }
        Ok(())
    }

    /// The running process ends with a status. The path goes on with the others; when none of them can
    /// run, it ends as the first one has.
    pub(crate) fn process_exits(&mut self, state: &mut State, status: Value) -> Step<Reply> {
        if state.others.processes.is_none() {
            return Err(self.exited(state, status).into());
        }
        let waited = self.exit_status(status);
        self.process_ends(state, waited, status)
    }

    /// The running process, which is not the first, is ended by a signal.
    pub(crate) fn process_killed(&mut self, state: &mut State, signal: u32) -> Step<Reply> {
        self.process_ends(state, Value::Int(signal.into()), Value::Int(0))
    }

    /// What `wait` says of a process that has ended with this status.
    fn exit_status(&mut self, status: Value) -> Value {
        match status {
            Value::Int(status) => Value::Int((status & 0xff) << 8),
            other => {
                let word = other.to_expr(&mut self.pool, 32);
                let byte = self.pool.extract(word, 0, 8);
                let (zero, wide) = (self.pool.constant(8, 0), self.pool.zext(byte, 16));
                let low = self.pool.extract(wide, 0, 8);
                let shifted = self.pool.concat(low, zero);
                Value::Expr(self.pool.zext(shifted, 32))
            }
        }
    }

    fn process_ends(&mut self, state: &mut State, waited: Value, status: Value) -> Step<Reply> {
        let environment = Rc::make_mut(&mut state.environment);
        let id = environment.process();
        environment.give_up_running();
        environment.process_ends(id, waited);
        if let Some(threads) = &mut state.others.threads {
            threads.others.clear();
        }
        let first = id == PID;
        if let Some(processes) = &mut state.others.processes {
            processes.rouse();
            if first {
                processes.status = Some(status);
            }
        }
        let Some(next) = self.next_process(state, None) else {
            return self.last_ends(state, first);
        };
        let never = Wait {
            what: Awaited::Nothing,
            until: None,
            since: state.instructions,
        };
        self.put_aside(state, Some(never), None);
        self.take_up_process(state, next, first)?;
        Ok(Reply::Transferred)
    }

    /// The running process has ended, and no other one can run: the program has ended if the first one
    /// has; else that waits for ever.
    fn last_ends(&mut self, state: &mut State, first: bool) -> Step<Reply> {
        let processes = state.others.processes.as_ref();
        let waker = processes.map_or(Waker::Program, |processes| processes.waker());
        if !first {
            self.put_aside(state, None, None);
            let first = state.others.processes.as_ref().and_then(|processes| {
                let at = processes.find(PID)?;
                let thread = processes.others[at].threads.others.first()?;
                Some(thread.identity.id)
            });
            let Some(thread) = first else {
                return internal("the first process is not there");
            };
            let next = Next {
                process: PID,
                thread,
            };
            self.take_up_process(state, next, false)?;
        }
        Err(self.end_of_waiting(state, waker).into())
    }

    /// The end of a path whose running process waits for ever, as all others do: if the first one has
    /// ended, the program has.
    pub(crate) fn end_of_waiting(&mut self, state: &mut State, waker: Waker) -> PathEnd {
        let status = state
            .others
            .processes
            .as_ref()
            .and_then(|processes| processes.status);
        match status {
            Some(status) => self.exited(state, status),
            None => self.nobody_goes_on(state, waker),
        }
    }
}

//! What system calls ask of the processes.

use crate::executor::{Executor, Reply};
use crate::state::State;
use crate::state::processes::Process;
use crate::state::stop::{Step, internal, unsupported};
use crate::state::threads::{Identity, Thread, Threads};
use crate::threads::{Called, SLICE};
use plat_env::{Delivery, Effect, PID, ProcessCall, SYSTEM_OBJECT, SystemResult};
use plat_expr::Value;
use std::rc::Rc;

impl Executor<'_> {
    /// Does what a system call, at which the state stands, asks of the processes.
    pub(crate) fn process_call(&mut self, state: &mut State, call: ProcessCall) -> Step<Called> {
        may_panic!();
        match call {
            ProcessCall::Fork => self.fork_process(state).map(Called::Replied),
            ProcessCall::Signal { process, signal } => self.signal_process(state, process, signal),
        }
    }

    /// Copies the running process. The copy stands behind the call, which returns 0 to it.
    fn fork_process(&mut self, state: &mut State) -> Step<Reply> {
        if state.environment.thread.id != PID {
            return unsupported("fork in a thread other than the first");
        }
        let made_at = self.calling_inst(state);
        let Some(dst) = self.behind(state) else {
            return internal("fork without a result");
        };
        let mut threads = match &state.others.threads {
            Some(threads) => Threads {
                others: Vec::new(),
                departures: Vec::new(),
                ..Threads::clone(threads)
            },
            None => Threads::of_one(Identity::first(), state.instructions + SLICE),
        };
        if state.others.threads.is_none() {
            state.others.threads = Some(Box::new(threads.clone()));
        }
        threads.running.made_at = Some(made_at);
        threads.running.made_by = None;
        self.share_callers(state);
        let mut frame = state.frame.clone();
        self.compact(&mut frame);
        let mut exceptions = state.exceptions.clone();
        let thread = Thread {
            identity: threads.running.clone(),
            frame,
            callers: state.callers.clone(),
            exceptions: exceptions.of_thread(),
            float: state.float,
            aside: state.aside.clone(),
            signals: state.environment.signals.thread.inherited(),
            wait: None,
            result: Some((dst, 0)),
        };
        threads.others.push(Rc::new(thread));
        let (id, own) = Rc::make_mut(&mut state.environment).fork();
        let hooks = state.history.hooks.as_ref();
        let process = Process {
            id,
            memory: state.memory.clone(),
            distances: state.distances.clone(),
            threads: Box::new(threads),
            exceptions,
            own,
            hooks: hooks.map_or(Vec::new(), |hooks| hooks.copied()),
        };
        // Numbers grow.
        let processes = state.others.processes.get_or_insert_default();
        processes.others.push(Rc::new(process));
        state.frame.regs[dst.index()] = Value::Int(id);
        Ok(Reply::Transferred)
    }

    /// Another program takes the place of the running process. It does nothing and ends as the user has
    /// said.
    pub(crate) fn another_program(
        &mut self,
        state: &mut State,
        result: SystemResult,
    ) -> Step<Reply> {
        self.counters.counts.outside.commands += 1;
        let status = match result {
            SystemResult::Status(status) => Value::Int(status.into()),
            SystemResult::Symbolic => {
                let status = self.new_symbolic_word(state, SYSTEM_OBJECT, 1);
                let status = status.to_expr(&mut self.pool, 8);
                let status = self.pool.zext(status, 32);
                Value::from_expr(&self.pool, status)
            }
        };
        self.process_exits(state, status)
    }

    /// A signal for another process. The end of the first one is that of the program.
    fn signal_process(&mut self, state: &mut State, id: u64, signal: u32) -> Step<Called> {
        let done = Called::Replied(Reply::Value(Value::Int(0)));
        let Some(processes) = &mut state.others.processes else {
            return internal("a signal for a process that there is not");
        };
        let Some(at) = processes.find(id) else {
            return Ok(done);
        };
        let sender = state.environment.process();
        let process = Rc::make_mut(&mut processes.others[at]);
        if !process.threads.take(signal) {
            process.own.signals().keep(signal, sender);
            process.threads.rouse();
            return Ok(done);
        }
        match process.own.signals().effect(signal) {
            Effect::Nothing => Ok(done),
            Effect::Call(_) => unsupported(format!(
                "signal {signal} for another process, with a handler"
            )),
            Effect::Terminate if id == PID => Ok(Called::Delivers(Delivery {
                signal,
                handler: None,
                result: Value::Int(0),
            })),
            Effect::Terminate => {
                let mut process = Rc::unwrap_or_clone(processes.others.remove(at));
                let environment = Rc::make_mut(&mut state.environment);
                environment.give_up(&mut process.own);
                environment.process_ends(id, Value::Int(u64::from(signal)));
                processes.rouse();
                if let Some(threads) = &mut state.others.threads {
                    threads.rouse();
                }
                Ok(done)
            }
        }
    }
}

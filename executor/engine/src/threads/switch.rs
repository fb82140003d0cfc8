//! Threads are made, put aside, taken up again, and end.

use super::schedule::SLICE;
use crate::executor::Executor;
use crate::state::State;
use crate::state::aside::Aside;
use crate::state::frame::{Callers, Frame};
use crate::state::stop::{Step, internal};
use crate::state::threads::{Identity, Thread, Threads, Wait};
use plat_env::RunningThread;
use plat_expr::Value;
use plat_program::{FuncId, Reg};
use std::rc::Rc;

/// What a new thread begins with.
pub(crate) struct Beginning {
    /// The function that it runs.
    pub function: FuncId,
    /// The argument of that.
    pub argument: Value,
    /// The C library's structure for it.
    pub structure: Value,
    /// Where 0 is stored when it ends.
    pub clear: Value,
    /// Where the C library looks for the running thread's structure.
    pub place: Value,
}

impl Executor<'_> {
    /// Makes a thread, which can run; its number.
    pub(crate) fn make_thread(&mut self, state: &mut State, begin: Beginning) -> Step<u64> {
        let known = state
            .others
            .threads
            .as_ref()
            .is_some_and(|threads| threads.place == begin.place);
        let first = match known {
            true => Value::Int(0),
            false => self.load_word(state, begin.place, 64)?,
        };
        let instructions = state.instructions;
        let made_at = self.calling_inst(state);
        let threads = state.others.threads.get_or_insert_with(|| {
            Box::new(Threads::of_one(Identity::first(), instructions + SLICE))
        });
        if !known {
            threads.place = begin.place;
            threads.running.structure = first;
            // As every thread of the library does.
            threads.running.clear = begin.clear;
        }
        let id = threads.next;
        threads.next += 1;
        let made_by = threads.running.id;
        let mut regs = self.registers(begin.function);
        if let Some(first) = regs.first_mut() {
            *first = begin.argument;
        }
        let mut frame = Frame {
            function: begin.function,
            regs,
            serial: state.callers.next_serial,
            ..Frame::empty()
        };
        state.callers.next_serial += 1;
        self.compact(&mut frame);
        let thread = Thread {
            identity: Identity {
                id,
                structure: begin.structure,
                clear: begin.clear,
                locals: Vec::new(),
                made_at: Some(made_at),
                made_by: Some(made_by),
                decided: false,
                limit: None,
            },
            frame,
            callers: Callers::new(),
            exceptions: Default::default(),
            float: state.float,
            aside: Aside::default(),
            signals: state.environment.signals.thread.inherited(),
            wait: None,
            result: None,
        };
        if let Some(threads) = &mut state.others.threads {
            // Numbers grow.
            threads.others.push(Rc::new(thread));
        }
        self.note_running(state);
        Ok(id)
    }

    /// Puts the running thread aside. No thread runs until one is taken up.
    pub(crate) fn put_aside(
        &mut self,
        state: &mut State,
        wait: Option<Wait>,
        result: Option<(Reg, i64)>,
    ) {
        may_panic!();
        self.share_callers(state);
        let mut frame = std::mem::replace(&mut state.frame, Frame::empty());
        self.compact(&mut frame);
        let serial = state.callers.next_serial;
        let callers = std::mem::replace(&mut state.callers, Callers::new());
        state.callers.next_serial = serial;
        let Some(threads) = &mut state.others.threads else {
            return;
        };
        let thread = Thread {
            identity: threads.running.clone(),
            frame,
            callers,
            exceptions: state.exceptions.of_thread(),
            float: state.float,
            aside: std::mem::take(&mut state.aside),
            signals: state.environment.signals.thread,
            wait,
            result,
        };
        let id = thread.identity.id;
        let others = &mut threads.others;
        let at = others.partition_point(|other| other.identity.id < id);
        others.insert(at, Rc::new(thread));
    }

    /// Takes up a thread that was put aside: it runs.
    pub(crate) fn take_up(&mut self, state: &mut State, id: u64) -> Step<()> {
        may_panic!();
        let instructions = state.instructions;
        let taken = state.others.threads.as_mut().and_then(|threads| {
            let at = threads.find(id)?;
            let mut thread = Rc::unwrap_or_clone(threads.others.remove(at));
            thread.go_on();
            threads.running = thread.identity.clone();
            threads.slice_end = instructions + SLICE;
            Some((thread, threads.place))
        });
        let Some((thread, place)) = taken else {
            return internal("a thread runs that there is not");
        };
        let serial = state.callers.next_serial;
        (state.frame, state.callers) = (thread.frame, thread.callers);
        state.callers.next_serial = serial;
        state.exceptions.for_thread(thread.exceptions);
        state.float = thread.float;
        state.aside = thread.aside;
        self.expand(&mut state.frame);
        if let Some((reg, value)) = thread.result {
            state.frame.regs[reg.index()] = Value::Int(value.cast_unsigned());
        }
        if state.environment.signals.thread != thread.signals {
            Rc::make_mut(&mut state.environment).signals.thread = thread.signals;
        }
        self.note_running(state);
        self.store_unheard(state, place, thread.identity.structure, 64);
        Ok(())
    }

    /// Ends the running thread: its stack and its thread-local variables. No thread runs until one is
    /// taken up.
    pub(super) fn end_running(&mut self, state: &mut State) -> Step<()> {
        may_panic!();
        loop {
            self.release_stack(state, 0);
            match state.callers.pop() {
                Some(caller) => state.frame = caller,
                None => break,
            }
        }
        self.expand(&mut state.frame);
        let Some(threads) = &mut state.others.threads else {
            return internal("a thread ends where there are none");
        };
        let locals = std::mem::take(&mut threads.running.locals);
        let clear = std::mem::replace(&mut threads.running.clear, Value::Int(0));
        let at = state.frame.inst(self.program);
        for (_, object) in locals {
            let (memory, mut cx) = self.memory(state);
            memory.release(&mut cx, object, at);
        }
        state.exceptions.of_thread();
        state.aside = Aside::default();
        if clear != Value::Int(0) {
            let number = self.sample(state, clear);
            self.store_unheard(state, clear, Value::Int(0), 32);
            self.wake(state, number, 1, u32::MAX);
        }
        Ok(())
    }

    /// Stores what the system does, which is no access of the program's. A place that is not there is
    /// passed over, as the system does.
    fn store_unheard(&mut self, state: &mut State, place: Value, value: Value, bits: u32) {
        let (pool, objects) = (&mut self.pool, &self.memory.objects);
        if let Value::Pointer(object, offset) = place {
            let _ = (state.memory).store(pool, objects, object, offset, value, bits);
        }
    }

    /// A system call has returned: it is not repeated, and what others wait for may have changed.
    pub(crate) fn call_returned(&mut self, state: &mut State, changed: bool) {
        if state.environment.thread.limit.is_some() {
            Rc::make_mut(&mut state.environment).thread.limit = None;
        }
        if let Some(threads) = &mut state.others.threads {
            threads.running.limit = None;
            if changed {
                threads.rouse();
            }
        }
        if changed && let Some(processes) = &mut state.others.processes {
            processes.rouse();
        }
    }

    /// Tells the model of the system who runs.
    fn note_running(&self, state: &mut State) {
        let Some(threads) = &state.others.threads else {
            return;
        };
        let running = RunningThread {
            id: threads.running.id,
            others: !threads.others.is_empty(),
            limit: threads.running.limit,
        };
        if state.environment.thread != running {
            Rc::make_mut(&mut state.environment).thread = running;
        }
    }
}

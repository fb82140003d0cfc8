//! What system calls ask of the threads.

use super::schedule::Leaving;
use crate::executor::{Executor, Reply};
use crate::state::State;
use crate::state::stop::{Flow, Step, unsupported};
use crate::state::threads::{Awaited, Wait};
use plat_env::{Delivery, Effect, Errno, ThreadCall, Time, Waits, Waker};
use plat_expr::Value;
use plat_program::Reg;
use std::rc::Rc;

/// The signal by which the C library cancels a thread.
const CANCEL: u32 = 33;

fn error(errno: Errno) -> i64 {
    -i64::from(errno.0)
}

fn number(number: i64) -> Step<Reply> {
    Ok(Reply::Value(Value::Int(number.cast_unsigned())))
}

/// What comes of a call.
pub(crate) enum Called {
    /// This.
    Replied(Reply),
    /// The signal is delivered as if it were the running thread's.
    Delivers(Delivery),
}

impl Executor<'_> {
    /// Does what a system call, at which the state stands, asks of the threads.
    pub(crate) fn thread_call(&mut self, state: &mut State, call: ThreadCall) -> Step<Called> {
        may_panic!();
        let reply = match call {
            ThreadCall::Wait { word, bits, until } => {
                let wait = wait(state, Awaited::Word(word, bits), until);
                self.leave_call(state, Some(wait), error(Errno::ETIMEDOUT))
            }
            ThreadCall::Sleep { until } => {
                let wait = wait(state, Awaited::Time, Some(until));
                self.leave_call(state, Some(wait), 0)
            }
            ThreadCall::Repeat(waits) => self.repeat_call(state, waits),
            ThreadCall::Yield => match &state.others.threads {
                Some(threads) if !threads.others.is_empty() || state.others.processes.is_some() => {
                    self.leave_call(state, None, 0)
                }
                _ => number(0),
            },
            ThreadCall::Wake { word, most, bits } => {
                number(i64::from(self.wake(state, word, most, bits)))
            }
            ThreadCall::Requeue {
                word,
                wake,
                to,
                moved,
                counts,
            } => {
                let woken = self.wake(state, word, wake, u32::MAX);
                let moved = self.requeue(state, word, to, moved);
                number(i64::from(woken + if counts { moved } else { 0 }))
            }
            ThreadCall::End(_) => {
                self.end_running(state)?;
                let forked = self.leave(state, Leaving::Ended)?;
                Ok(transferred(forked))
            }
            ThreadCall::ClearAtEnd(at) => {
                if let Some(threads) = &mut state.others.threads {
                    threads.running.clear = at;
                }
                number(state.environment.thread.id.cast_signed())
            }
            ThreadCall::Signal { thread, signal } => return self.signal(state, thread, signal),
        };
        reply.map(Called::Replied)
    }

    /// The running thread makes its call again when something has changed, or its time is over.
    fn repeat_call(&mut self, state: &mut State, waits: Waits) -> Step<Reply> {
        let Waits {
            until,
            limit,
            waker,
        } = waits;
        let wait = wait(state, Awaited::Change { waker, limit }, until);
        if until.is_none() && !self.others_go_on(state) {
            return Err(self.end_of_waiting(state, waker).into());
        }
        // The call counts when it is carried out.
        state.instructions -= 1;
        if let Some(until) = until
            && state.others.threads.is_none()
        {
            let environment = Rc::make_mut(&mut state.environment);
            environment.clock.sleep_until(until);
            environment.thread.limit = limit;
            return Ok(Reply::Transferred);
        }
        let forked = self.leave(state, Leaving::Aside(Some(wait), None))?;
        Ok(transferred(forked))
    }

    /// The running thread leaves from a call, which returns `result` to it if nobody says otherwise.
    fn leave_call(&mut self, state: &mut State, wait: Option<Wait>, result: i64) -> Step<Reply> {
        if wait.is_some_and(|wait| wait.until.is_none()) && !self.others_go_on(state) {
            return Err(self.end_of_waiting(state, Waker::Program).into());
        }
        let dst = self.behind(state);
        let result = dst.map(|dst| (dst, result));
        let forked = self.leave(state, Leaving::Aside(wait, result))?;
        Ok(transferred(forked))
    }

    /// The instruction at which the state stands says that its thread waits for another one.
    pub(crate) fn spins(&mut self, state: &mut State) -> Step<Flow> {
        Ok(match self.thread_call(state, ThreadCall::Yield)? {
            Called::Replied(Reply::Transferred) => Flow::Frame,
            Called::Replied(Reply::Forked) => Flow::Forked,
            _ => self.behind_call(state),
        })
    }

    /// Whether any other thread can run, or will when its limit is met.
    fn others_go_on(&self, state: &State) -> bool {
        let threads = state.others.threads.as_ref();
        let processes = state.others.processes.as_ref();
        threads.is_some_and(|threads| threads.go_on())
            || processes.is_some_and(|processes| processes.go_on())
    }

    /// Goes behind the call at which the state stands; the register of its result.
    pub(crate) fn behind(&mut self, state: &mut State) -> Option<Reg> {
        let function = self.program.function(state.frame.function);
        let dst = function.insts[state.frame.pc as usize].dst();
        if self.behind_call(state) == Flow::Next {
            state.frame.pc += 1;
        }
        dst
    }

    /// Wakes threads that wait at a word; how many.
    pub(super) fn wake(&mut self, state: &mut State, word: u64, most: u32, bits: u32) -> u32 {
        let Some(threads) = &mut state.others.threads else {
            return 0;
        };
        let woken = (0..most).zip(threads.waiting_at(word, bits));
        let woken: Vec<u64> = woken.map(|(_, id)| id).collect();
        for &id in &woken {
            threads.wake(id, 0);
        }
        woken.len() as u32
    }

    /// Lets threads that wait at a word wait at another one; how many.
    fn requeue(&mut self, state: &mut State, word: u64, to: u64, most: u32) -> u32 {
        let Some(threads) = &mut state.others.threads else {
            return 0;
        };
        let mut moved = 0;
        for (_, id) in (0..most).zip(threads.waiting_at(word, u32::MAX)) {
            if let Some(at) = threads.find(id)
                && let Some(Wait {
                    what: Awaited::Word(word, _),
                    ..
                }) = &mut Rc::make_mut(&mut threads.others[at]).wait
            {
                *word = to;
                moved += 1;
            }
        }
        moved
    }

    /// A signal for another thread, or for any of the process's: the running one blocks it. One that would
    /// end the program does; one that is blocked waits; a cancellation interrupts a wait.
    fn signal(&mut self, state: &mut State, thread: Option<u64>, signal: u32) -> Step<Called> {
        let sent = number(0).map(Called::Replied);
        let process = state.environment.process();
        let Some(threads) = &mut state.others.threads else {
            return number(error(Errno::ESRCH)).map(Called::Replied);
        };
        let Some(thread) = thread else {
            if threads.take(signal) {
                return take_signal(state, signal);
            }
            threads.rouse();
            let environment = Rc::make_mut(&mut state.environment);
            environment.signals.keep(signal, process);
            return sent;
        };
        let Some(at) = threads.find(thread) else {
            return number(error(Errno::ESRCH)).map(Called::Replied);
        };
        let (waits, blocks) = {
            let other = &threads.others[at];
            (
                other.wait.is_some(),
                signal != 0 && other.signals.blocks(signal),
            )
        };
        match signal {
            0 => sent,
            CANCEL => {
                if waits {
                    threads.wake(thread, error(Errno::EINTR));
                    Rc::make_mut(&mut state.environment).leave_line(thread);
                }
                sent
            }
            _ if blocks => {
                Rc::make_mut(&mut threads.others[at]).signals.keep(signal);
                threads.rouse();
                sent
            }
            _ => take_signal(state, signal),
        }
    }
}

/// Another thread takes a signal that it does not block.
fn take_signal(state: &State, signal: u32) -> Step<Called> {
    match state.environment.signals.effect(signal) {
        Effect::Nothing => number(0).map(Called::Replied),
        Effect::Terminate => Ok(Called::Delivers(Delivery {
            signal,
            handler: None,
            result: Value::Int(0),
        })),
        Effect::Call(_) => unsupported(format!(
            "signal {signal} for another thread, with a handler"
        )),
    }
}

fn wait(state: &State, what: Awaited, until: Option<Time>) -> Wait {
    Wait {
        what,
        until,
        since: state.instructions,
    }
}

fn transferred(forked: bool) -> Reply {
    match forked {
        true => Reply::Forked,
        false => Reply::Transferred,
    }
}

//! Who runs next, and the splits of a path over that.

use crate::api::outcome::{FaultKind, Limit, PathEnd};
use crate::api::summary::ForkKind;
use crate::executor::Executor;
use crate::fork::Own;
use crate::processes::Next;
use crate::state::State;
use crate::state::stop::{Side, Step};
use crate::state::threads::{Departure, Wait};
use plat_env::{Time, Waker};
use plat_expr::TRUE;
use plat_program::Reg;
use std::rc::Rc;

/// After so many instructions another thread runs, if one can: a thread may wait for another one in a loop.
pub(crate) const SLICE: u64 = 1 << 18;

/// Whether the running thread carries out the operation at which it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    /// It does.
    Own,
    /// Another thread runs now.
    Others,
}

/// How the running thread leaves.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leaving {
    /// It stands where it goes on, and waits, if for anything; the register and the value of its call's
    /// result.
    Aside(Option<Wait>, Option<(Reg, i64)>),
    /// It has ended.
    Ended,
}

impl Executor<'_> {
    /// Why a path ends of which no thread can run; `waker` may let the running one go on.
    pub(crate) fn nobody_goes_on(&self, state: &State, waker: Waker) -> PathEnd {
        let (threads, processes) = (
            state.others.threads.as_ref(),
            state.others.processes.as_ref(),
        );
        let others = threads.map(|threads| threads.waker());
        let elsewhere = processes.map(|processes| processes.waker());
        match others.into_iter().chain(elsewhere).fold(waker, Waker::max) {
            Waker::Peer => {
                let what = "the program waits for a connection or a message from outside, and none is left \
                            (--sym-sockets NUM N gives it more)";
                return PathEnd::Limit(Limit::Connections, what.into());
            }
            Waker::Signaller => {
                let what = "the program waits for a signal from outside, and none comes";
                return PathEnd::Limit(Limit::Signals, what.into());
            }
            Waker::Program => {}
        }
        let what = match (threads, processes) {
            (_, Some(_)) => "deadlock: every process waits",
            (Some(_), None) => "deadlock: every thread waits",
            (None, None) => "deadlock: the only thread waits",
        };
        PathEnd::fault(FaultKind::Deadlock, what)
    }

    /// The running thread leaves, and the next one runs. The path may split over which one that is;
    /// whether it has.
    pub(super) fn leave(&mut self, state: &mut State, leaving: Leaving) -> Step<bool> {
        let mut ways = runnable(state);
        if ways.is_empty() {
            if let Some(next) = self.next_process(state, first_limit(state, leaving)) {
                self.leave_process(state, leaving, next)?;
                return Ok(false);
            }
            match self.pass_time(state, leaving) {
                Some(first) => ways.push(first),
                None => return self.end_in_deadlock(state, leaving),
            }
        }
        let (own, forked) = self.split_schedule(state, &ways, &mut |exec, part, at| {
            exec.run_instead(part, leaving, &ways, at)
        })?;
        self.run_instead(state, leaving, &ways, own)?;
        Ok(forked)
    }

    /// The running thread leaves, and a thread of another process runs.
    fn leave_process(&mut self, state: &mut State, leaving: Leaving, next: Next) -> Step<()> {
        if let Leaving::Aside(wait, result) = leaving {
            self.put_aside(state, wait, result);
        }
        self.take_up_process(state, next, true)
    }

    /// Lets the time pass to the first limit of a thread, the running one's included, which can run
    /// then; none if there is no limit.
    fn pass_time(&mut self, state: &mut State, leaving: Leaving) -> Option<u64> {
        let threads = state.others.threads.as_mut()?;
        let mut first = threads.first_limit();
        match leaving {
            Leaving::Aside(Some(wait), _) => {
                let own = wait.until.map(|until| (threads.running.id, until));
                first = [first, own].into_iter().flatten().min_by_key(|one| one.1);
            }
            Leaving::Aside(None, _) if first.is_none() => return Some(threads.running.id),
            _ => {}
        }
        let (id, until) = first?;
        if let Some(at) = threads.find(id) {
            // Its result is that of the limit.
            Rc::make_mut(&mut threads.others[at]).go_on();
        }
        Rc::make_mut(&mut state.environment)
            .clock
            .sleep_until(until);
        Some(id)
    }

    /// Every thread waits. The path ends where the last one does; if that has ended, where the first does.
    fn end_in_deadlock(&mut self, state: &mut State, leaving: Leaving) -> Step<bool> {
        let waker = match leaving {
            Leaving::Aside(Some(wait), _) => wait.what.waker(),
            Leaving::Aside(None, _) | Leaving::Ended => Waker::Program,
        };
        let end = self.end_of_waiting(state, waker);
        let first = state.others.threads.as_ref().and_then(|threads| {
            let first = threads.others.first()?;
            Some(first.identity.id)
        });
        if let (Leaving::Ended, Some(first)) = (leaving, first) {
            self.take_up(state, first)?;
        }
        Err(end.into())
    }

    /// The thread of a number among those that may be next runs, in place of the first of them.
    fn run_instead(
        &mut self,
        state: &mut State,
        leaving: Leaving,
        ways: &[u64],
        chosen: usize,
    ) -> Step<()> {
        if chosen != 0 {
            self.note_departure(state, ways[0], ways[chosen]);
        }
        if let Leaving::Aside(wait, result) = leaving {
            self.put_aside(state, wait, result);
        }
        self.take_up(state, ways[chosen])
    }

    fn note_departure(&self, state: &mut State, from: u64, to: u64) {
        let at = self.calling_inst(state);
        if let Some(threads) = &mut state.others.threads {
            threads.departures.push(Departure { at, from, to });
        }
    }

    /// Which of several threads runs: the path splits over it while it has preemptions left. `run` is
    /// done in each other part. The own side, and whether there are others.
    fn split_schedule(
        &mut self,
        state: &mut State,
        ways: &[u64],
        run: &mut dyn FnMut(&mut Self, &mut State, usize) -> Step<()>,
    ) -> Step<(usize, bool)> {
        if ways.len() < 2 || !self.may_depart(state) {
            return Ok((0, false));
        }
        let model = state.constraints.model().clone();
        let side = |_: &u64| Side {
            guard: TRUE,
            model: Some(model.clone()),
            end: None,
        };
        let sides = ways.iter().map(side).collect();
        let (own, others) = self.split(state, ForkKind::Schedule, sides)?;
        let forked = !others.is_empty();
        let mut failed = None;
        self.complete(others, &mut |exec, at, part| {
            if let Err(stop) = run(exec, part, at) {
                failed = Some(stop);
            }
        });
        match (own, failed) {
            (_, Some(stop)) => Err(stop),
            (Own::Lives(own), None) => Ok((own, forked)),
            (Own::Ends(end), None) => Err(end.into()),
        }
    }

    /// Whether the path has preemptions left.
    fn may_depart(&self, state: &State) -> bool {
        let most = self.config.search.preemptions;
        let threads = state.others.threads.as_ref();
        most > 0 && threads.is_some_and(|threads| (threads.departures.len() as u64) < most.into())
    }

    /// The running thread is about to carry out an operation that synchronises it with others, at which
    /// it stands: another thread may run before, which is a preemption.
    #[inline]
    pub(crate) fn before_synchronising(&mut self, state: &mut State) -> Step<Turn> {
        match &state.others.threads {
            None => Ok(Turn::Own),
            Some(_) => self.split_before(state),
        }
    }

    #[inline(never)]
    fn split_before(&mut self, state: &mut State) -> Step<Turn> {
        if let Some(threads) = &mut state.others.threads
            && std::mem::take(&mut threads.running.decided)
        {
            return Ok(Turn::Own);
        }
        if !self.may_depart(state) || !self.synchronises(state) {
            return Ok(Turn::Own);
        }
        let ways = self.running_first(state);
        let (own, _) = self.split_schedule(state, &ways, &mut |exec, part, at| {
            exec.preempt(part, &ways, at)
        })?;
        if own == 0 {
            return Ok(Turn::Own);
        }
        self.preempt(state, &ways, own)?;
        Ok(Turn::Others)
    }

    /// Another thread runs, and the running one stands before its operation, which it carries out when
    /// it runs again.
    fn preempt(&mut self, state: &mut State, ways: &[u64], chosen: usize) -> Step<()> {
        // The operation counts when it is carried out.
        state.instructions -= 1;
        if let Some(threads) = &mut state.others.threads {
            threads.running.decided = true;
        }
        self.run_instead(state, Leaving::Aside(None, None), ways, chosen)
    }

    /// The running thread stands behind an operation by which another one can run now: the path may
    /// split over which one goes on. Whether it has.
    pub(crate) fn behind_synchronising(&mut self, state: &mut State) -> Step<bool> {
        let ways = self.running_first(state);
        let aside = Leaving::Aside(None, None);
        let (own, forked) = self.split_schedule(state, &ways, &mut |exec, part, at| {
            exec.run_instead(part, aside, &ways, at)
        })?;
        if own != 0 {
            self.run_instead(state, aside, &ways, own)?;
        }
        Ok(forked)
    }

    fn running_first(&self, state: &State) -> Vec<u64> {
        let running = state
            .others
            .threads
            .iter()
            .map(|threads| threads.running.id);
        running.chain(runnable(state)).collect()
    }

    /// Whether the operation at which a state stands is one of the program's, or of a function of the C
    /// library that is there to synchronise.
    fn synchronises(&self, state: &State) -> bool {
        let function = state.frame.function;
        if !self.code.functions[function.index()].library {
            return true;
        }
        let name = self.program.function(function).name.trim_start_matches('_');
        let families = [
            "pthread_mutex_",
            "pthread_rwlock_",
            "pthread_spin_",
            "pthread_once",
            "pthread_cond_timedwait",
            "private_cond_signal",
            "pthread_barrier_wait",
            "sem_",
            "mtx_",
        ];
        families.iter().any(|family| name.starts_with(family))
    }

    /// A batch begins: if the running thread has run long enough, another one does. The batch ends
    /// where it has.
    #[cold]
    #[inline(never)]
    pub(crate) fn begin_slice(&mut self, state: &mut State) -> Step<()> {
        let now = state.instructions;
        let ended = match &mut state.others.threads {
            Some(threads) if now >= threads.slice_end => {
                threads.slice_end = now + SLICE;
                !threads.others.is_empty() || state.others.processes.is_some()
            }
            _ => false,
        };
        if ended {
            let running = state
                .others
                .threads
                .as_ref()
                .map(|threads| threads.running.id);
            let mut next = runnable(state).first().copied();
            let aside = Leaving::Aside(None, None);
            let round = next.is_none() || next < running;
            if round && let Some(next) = self.next_process(state, None) {
                self.leave_process(state, aside, next)?;
                self.end_batch_at_slice(state);
                return Ok(());
            }
            if next.is_none() {
                next = self.pass_time(state, aside);
            }
            if let Some(next) = next.filter(|&next| Some(next) != running) {
                self.run_instead(state, aside, &[next], 0)?;
            }
        }
        self.end_batch_at_slice(state);
        Ok(())
    }

    fn end_batch_at_slice(&mut self, state: &State) {
        if let Some(threads) = &state.others.threads
            && (!threads.others.is_empty() || state.others.processes.is_some())
        {
            self.batch.end = self.batch.end.min(threads.slice_end);
        }
    }
}

/// The first time limit of the running process: of its threads, and of the one that leaves.
fn first_limit(state: &State, leaving: Leaving) -> Option<Time> {
    let threads = state.others.threads.as_ref();
    let others = threads.and_then(|threads| threads.first_limit());
    let own = match leaving {
        Leaving::Aside(wait, _) => wait.and_then(|wait| wait.until),
        Leaving::Ended => None,
    };
    others.map(|one| one.1).into_iter().chain(own).min()
}

/// The other threads that can run, the next one first.
fn runnable(state: &State) -> Vec<u64> {
    let threads = state.others.threads.as_ref();
    threads.map_or(Vec::new(), |threads| threads.runnable())
}

//! The state of a path at one place, as far as it decides what the path does from then on if it hears
//! nothing from the world, and the comparison of a later state with it.
//!
//! Left out are what a path only adds to (its constraints, output, history), the time, which it would
//! have to ask for, and numbers that tell activations apart where nothing can ask for them. Registers
//! count where they may be read.

use super::alike::{Pairs, are_equal};
use crate::executor::Executor;
use crate::hook::{Access, ObjectId};
use crate::state::exceptions::Exceptions;
use crate::state::float_environment::FloatEnvironment;
use crate::state::frame::{Callers, Frame};
use crate::state::{Requests, State};
use plat_env::Environment;
use plat_expr::Rare;
use plat_memory::{Alike, Difference, Memory};
use std::rc::Rc;

/// What comparisons with a kept state have come to.
#[derive(Clone, Default, Debug)]
pub(super) struct Doubt {
    /// Where in memory the path differed when it was compared last.
    pub place: Option<(ObjectId, u64)>,
    /// How many more questions the solver may be asked.
    pub questions: u32,
}

/// A state that was kept.
#[derive(Clone)]
pub(super) struct Snapshot {
    /// Instructions on the path up to it.
    pub instructions: u64,
    frame: Frame,
    callers: Callers,
    memory: Memory,
    environment: Rc<Environment>,
    exceptions: Rare<Exceptions>,
    requests: Rare<Requests>,
    float: FloatEnvironment,
    distances: usize,
}

plat_expr::holder!(Snapshot { frame, callers, memory, environment, exceptions }
    plain { instructions, requests, float, distances });

impl Snapshot {
    /// The state in which a path is.
    pub fn of(access: &mut Access<'_, '_>) -> Self {
        access.exec.share_callers(access.state);
        let state = &*access.state;
        Snapshot {
            instructions: state.instructions,
            frame: state.frame.clone(),
            callers: state.callers.clone(),
            memory: state.memory.clone(),
            environment: Rc::clone(&state.environment),
            exceptions: state.exceptions.clone(),
            requests: state.requests.clone(),
            float: state.float,
            distances: state.distances.len(),
        }
    }

    /// Whether a path, which stands at the same instruction, is in another state; with `recursion`,
    /// beside what is on the stack above the activation that was kept. The place in memory where they
    /// differ, if that is why, is tried first the next time.
    pub fn differs(&self, access: &mut Access<'_, '_>, recursion: bool, doubt: &mut Doubt) -> bool {
        let (exec, state) = (&mut *access.exec, &*access.state);
        let mut pairs = Pairs::new(state.constraints.model(), doubt.questions > 0);
        if self.frame_differs(exec, state, recursion, &mut pairs)
            || doubt
                .place
                .is_some_and(|(object, at)| state.memory.differs_at(&self.memory, object, at))
            || self.differs_aside(state)
        {
            return true;
        }
        if !recursion && self.callers_differ(exec, state, &mut pairs) {
            return true;
        }
        let alike: Alike<'_> = &mut |pool, now, then| pairs.alike(pool, now, then);
        let (now, then) = (&state.memory, &self.memory);
        let difference = match recursion {
            true => now.difference_below_stack(&mut exec.pool, then, alike),
            false => now.difference(&mut exec.pool, then, alike),
        };
        if let Some(Difference::Contents(object, at)) = difference {
            doubt.place = Some((object, at));
        }
        if difference.is_some() || !self.has_environment(state) {
            return true;
        }
        let pairs = pairs.noted();
        if pairs.is_empty() {
            return false;
        }
        doubt.questions -= 1;
        !are_equal(access.exec, access.state, &pairs)
    }

    /// Whether the running activation is not in the same state.
    fn frame_differs(
        &self,
        exec: &mut Executor<'_>,
        state: &State,
        recursion: bool,
        pairs: &mut Pairs<'_>,
    ) -> bool {
        let alike = &mut |pool: &mut _, now, then| pairs.values_alike(pool, now, then);
        match recursion {
            true => exec.registers_differ(&state.frame, &self.frame, alike),
            false => {
                state.frames() != 1 + self.callers.len()
                    || exec.frames_differ(&state.frame, &self.frame, alike)
            }
        }
    }

    fn callers_differ(
        &self,
        exec: &mut Executor<'_>,
        state: &State,
        pairs: &mut Pairs<'_>,
    ) -> bool {
        let mut callers = state.callers.beside(&self.callers);
        let mut alike = |pool: &mut _, now, then| pairs.values_alike(pool, now, then);
        callers.any(|(now, then)| exec.frames_differ(now, then, &mut alike))
    }

    /// Whether the activation that was kept has returned, or is the running one.
    pub fn has_returned(&self, state: &State) -> bool {
        let kept = self.callers.len() as usize;
        let above = (state.callers.len() as usize).checked_sub(kept);
        let there = above
            .filter(|&above| above > 0)
            .and_then(|above| state.stack().nth(above));
        there.is_none_or(|frame| frame.serial != self.frame.serial)
    }

    /// Whether what is rarely used is not the same.
    fn differs_aside(&self, state: &State) -> bool {
        // Computed distances and aliases are only added.
        let requests = self.requests.forking_off != state.requests.forking_off
            || self.requests.aliases.len() != state.requests.aliases.len();
        requests
            || self.float != state.float
            || self.distances != state.distances.len()
            || self.exceptions != state.exceptions
            || !state.aside.is_empty()
            || !state.history.merging.open.is_empty()
    }

    fn has_environment(&self, state: &State) -> bool {
        let (now, then) = (&state.environment, &self.environment);
        Rc::ptr_eq(now, then) || now.same_unasked(then)
    }
}

//! Events that are heard between two instructions: the start of a state, and what an instruction did
//! to memory. The state is whole there, and may be changed and split like anywhere else.

use super::Command;
use super::data::Pending;
use super::data::path_hooks;
use super::event::{Forked, MemoryAccess, Place};
use crate::executor::Executor;
use crate::hook::Step;
use crate::state::State;
use plat_expr::{ObjectId, Value};
use plat_memory::{AccessKind, Target};
use std::rc::Rc;

impl Executor<'_> {
    /// Notes that an initial state has not started yet.
    pub(crate) fn note_start(&mut self, state: &mut State) {
        if !self.hooks.bound.started.is_empty() {
            path_hooks(state).pending.push_back((Pending::Started, 0));
        }
    }

    /// Notes that a state was split off.
    pub(crate) fn note_fork(&mut self, state: &mut State, event: Forked) {
        if !self.hooks.bound.forked.is_empty() {
            let event = (Pending::Forked(event), 0);
            path_hooks(state).pending.push_back(event);
        }
    }

    /// Notes an access to a known place, if anybody hears it.
    #[inline(always)]
    pub(crate) fn accessed(
        &mut self,
        state: &mut State,
        kind: AccessKind,
        place: (ObjectId, i64),
        size: u64,
    ) {
        if self.hooks.accesses {
            self.note_access(state, kind, Place::Known(place.0, place.1), size);
        }
    }

    /// Notes that a block of the heap was freed, if anybody hears it.
    pub(crate) fn freed(&mut self, state: &mut State, object: ObjectId, size: u64) {
        if self.hooks.accesses {
            self.note_access(state, AccessKind::Free, Place::Known(object, 0), size);
        }
    }

    /// Notes an access through a symbolic pointer, if anybody hears it.
    pub(crate) fn accessed_targets(
        &mut self,
        state: &mut State,
        kind: AccessKind,
        pointer: Value,
        (targets, size): (&[Target], u64),
    ) {
        if self.hooks.accesses {
            let address = pointer.to_expr(&mut self.pool, 64);
            let objects = targets.iter().flat_map(|target| target.objects.iter());
            let mut objects: Vec<ObjectId> = objects.copied().collect();
            objects.sort_unstable();
            objects.dedup();
            self.note_access(state, kind, Place::Symbolic(address, objects.into()), size);
        }
    }

    #[cold]
    #[inline(never)]
    fn note_access(&mut self, state: &mut State, kind: AccessKind, place: Place, size: u64) {
        // What hooks do is not heard, and what is written before the program starts.
        if self.hooks.is_asking() || state.instructions == 0 {
            return;
        }
        let event = MemoryAccess {
            kind,
            place,
            size,
            inst: state.frame.inst(self.program),
        };
        self.tell_watched_access(state, &event);
        let wanted = |(_, kinds): &(usize, super::Accesses)| kinds.include(kind);
        if !self.hooks.bound.accessed.iter().any(wanted) {
            return;
        }
        let event = (Pending::Accessed(event), 0);
        path_hooks(state).pending.push_back(event);
    }

    /// Tells hooks what they have not heard yet. Each event is heard by a hook until it lets the path
    /// go on.
    #[cold]
    #[inline(never)]
    pub(crate) fn tell_pending(&mut self, state: &mut State) -> Step<()> {
        may_panic!();
        let bound = Rc::clone(&self.hooks.bound);
        loop {
            let Some((event, heard)) = path_hooks(state).pending.front().cloned() else {
                return Ok(());
            };
            let number = match &event {
                Pending::Started => bound.started.get(heard).copied(),
                Pending::Forked(_) => bound.forked.get(heard).copied(),
                Pending::Accessed(_) => bound.accessed.get(heard).map(|&(number, _)| number),
            };
            let Some(number) = number else {
                path_hooks(state).pending.pop_front();
                continue;
            };
            let command = self.ask(state, number, |hook, access| match &event {
                Pending::Started => hook.started(access),
                Pending::Forked(event) => hook.forked(access, event),
                Pending::Accessed(event) => match bound.accessed[heard].1.include(event.kind) {
                    true => hook.accessed(access, event),
                    false => Ok(Command::Continue),
                },
            })?;
            self.carry_out_command(state, command.unwrap_or(Command::Continue))?;
            if let Some((_, heard)) = path_hooks(state).pending.front_mut() {
                *heard += 1;
            }
        }
    }
}

//! The memories of two paths that go on as one (`klee_close_merge`).
//!
//! Two memories can be merged if the same objects live in both, at the same places and with the
//! same sizes; then they differ in contents only. What is dead in one of them is dead afterwards.

use crate::cx::Cx;
use crate::memory::Memory;
use crate::state::ObjectState;
use plat_expr::{ExprId, ObjectId};

impl Memory {
    fn living(&self) -> impl Iterator<Item = (usize, &ObjectState)> {
        self.states.iter().filter(|(_, state)| state.live)
    }

    /// Whether the two differ in the contents of objects only.
    pub fn can_merge(&self, other: &Self) -> bool {
        self.bounds == other.bounds && self.living().eq(other.living())
    }

    /// Takes the contents of another memory, with which this one [can merge](Memory::can_merge),
    /// where `guard` does not hold. Addresses are given out as they are here.
    pub fn merge(&mut self, cx: &mut Cx<'_>, other: &Self, guard: ExprId) {
        let living: Vec<ObjectState> = self.living().map(|(_, state)| *state).collect();
        for ObjectState { place, size, .. } in living {
            if size == 0 {
                continue;
            }
            let theirs = other.segments.get(place.segment);
            if !self.segments.get(place.segment).same(theirs) {
                let mine = self.segments.get_mut(place.segment);
                mine.merge(cx.pool, theirs, guard, place.offset, size);
            }
        }
        for (at, state) in other.states.iter().filter(|(_, state)| !state.live) {
            match self.states.get(at) {
                Some(mine) if mine == state => continue,
                Some(_) => {}
                None => self.states.set(at, *state),
            }
            self.remember(cx, ObjectId::new(at));
        }
    }
}

//! Whether two memories are the same for the program: the same objects live, with the same contents,
//! and the next ones get the same addresses.
//!
//! Two memories of one path share all that was not written in between, and that is not looked at. So
//! a comparison costs what has been written.

use crate::alike::Alike;
use crate::memory::Memory;
use crate::objects::Kind;
use crate::state::ObjectState;
use plat_allocator::Region;
use plat_expr::{ObjectId, Pool};

/// Why two memories are not the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Difference {
    /// The contents of an object differ around an offset.
    Contents(ObjectId, u64),
    /// Other objects live, or elsewhere, or the next ones get other addresses.
    Objects,
}

impl Memory {
    /// Why two memories are not the same; `None` if they are, but for expressions that are `alike`.
    pub fn difference(
        &self,
        pool: &mut Pool,
        other: &Self,
        alike: Alike<'_>,
    ) -> Option<Difference> {
        if self.stack_live != other.stack_live {
            return Some(Difference::Objects);
        }
        self.difference_for(pool, other, |_| false, alike)
    }

    /// Why this memory is not another one with further objects of the stack; `None` if it is. Addresses
    /// on the stack do not count.
    pub fn difference_below_stack(
        &self,
        pool: &mut Pool,
        other: &Self,
        alike: Alike<'_>,
    ) -> Option<Difference> {
        let on_stack = |state: &ObjectState| state.kind == Kind::Stack;
        self.difference_for(pool, other, on_stack, alike)
    }

    /// Compares two memories; whether this one may have an object that the other has not is what `free`
    /// says.
    fn difference_for(
        &self,
        pool: &mut Pool,
        other: &Self,
        free: impl Fn(&ObjectState) -> bool,
        alike: Alike<'_>,
    ) -> Option<Difference> {
        if self.heap_live() != other.heap_live() || self.bounds != other.bounds {
            return Some(Difference::Objects);
        }
        let same_objects = self.states.agree(&other.states, |_, mine, theirs| {
            match (living(mine), living(theirs)) {
                (Some(mine), Some(theirs)) => {
                    ObjectState {
                        freed_at: None,
                        ..*mine
                    } == ObjectState {
                        freed_at: None,
                        ..*theirs
                    }
                }
                (Some(mine), None) => free(mine),
                (None, None) => true,
                (None, Some(_)) => false,
            }
        });
        if !same_objects {
            return Some(Difference::Objects);
        }
        let is_free = |object: ObjectId| self.object(object).is_some_and(&free);
        let differ = (self.segments).difference(pool, &other.segments, is_free, alike);
        if let Some((object, at)) = differ {
            return Some(object.map_or(Difference::Objects, |object| {
                Difference::Contents(object, at)
            }));
        }
        let stack = self.stack_live == other.stack_live;
        let mut regions = Region::ALL.into_iter();
        let same = regions.all(|region| {
            (region == Region::Stack && !stack)
                || self.allocator.continues_as(&*other.allocator, region)
        });
        (!same).then_some(Difference::Objects)
    }

    /// Whether two memories are known to differ in the contents of an object around an offset: a quick
    /// question, before they are compared as a whole.
    pub fn differs_at(&self, other: &Self, object: ObjectId, at: u64) -> bool {
        match (self.segments.of(object), other.segments.of(object)) {
            (Some(mine), Some(theirs)) => mine.differs_at(theirs, at),
            (mine, theirs) => mine.is_some() != theirs.is_some(),
        }
    }
}

fn living(state: Option<&ObjectState>) -> Option<&ObjectState> {
    state.filter(|state| state.live)
}

//! Objects whose size is an expression ("A Bounded Symbolic-Size Model for Symbolic Execution",
//! section 3).
//!
//! Such an object has room for its capacity, the constant size in its [`crate::ObjectInfo`]. What
//! of it exists on a path is decided by comparing with the expression. The size in the object's
//! state is what has been decided: an access within it needs no query, and one behind it is a
//! fault until somebody who can ask the solver has called [`Memory::decide_size`]. Resolutions of
//! symbolic pointers take the capacity; the comparison with the expression comes before them.

use crate::fault::{Fault, FaultKind};
use crate::memory::Memory;
use crate::objects::Objects;
use plat_expr::{Byte, ExprId, ObjectId, Pool};

impl Memory {
    /// Makes a fresh object's size an expression (64 bits), of which it is known that it is at
    /// least `sure`, and at most what was allocated.
    pub fn bind_size(&mut self, object: ObjectId, size: ExprId, sure: u64) {
        if let Some(state) = self.states.get_mut(object.index()) {
            state.size = sure;
            self.bounds.push((object, size));
        }
        self.admit(object);
    }

    /// The live objects whose size is an expression.
    pub fn bounds(&self) -> &[(ObjectId, ExprId)] {
        &self.bounds
    }

    /// The size of a live object, if it is an expression.
    pub fn bound(&self, object: ObjectId) -> Option<ExprId> {
        let found = self.bounds.iter().find(|(bound, _)| *bound == object);
        found.map(|&(_, size)| size)
    }

    /// Notes that an object has at least `size` bytes on this path.
    pub fn decide_size(&mut self, object: ObjectId, size: u64) {
        if let Some(state) = self.states.get_mut(object.index()) {
            state.size = state.size.max(size);
        }
        self.admit(object);
    }

    /// Whether what looks like a fault is an access to bytes of which it is not decided whether
    /// they exist: the expression for the size of the object that they are in.
    pub fn undecided(&self, objects: &Objects, fault: &Fault) -> Option<ExprId> {
        let object = fault.object?;
        let size = self.bound(object)?;
        let state = self.object(object)?;
        let end = u64::try_from(fault.offset)
            .ok()?
            .checked_add(fault.access)?;
        let forbidden = fault.kind == FaultKind::ReadOnly && !state.writable;
        let within = state.size < end && end <= objects.get(object).size;
        (state.live && within && !forbidden).then_some(size)
    }

    /// Reads `n` bytes of a live object's room, whatever is decided about its size.
    pub fn read_room(&self, pool: &mut Pool, object: ObjectId, at: u64, n: u64) -> Vec<Byte> {
        let Some(state) = self.object(object).filter(|state| state.live) else {
            return Vec::new();
        };
        let storage = self.segments.get(state.place.segment);
        storage.read_bytes(pool, state.place.offset + at, n)
    }

    /// Writes bytes to a live object's room, whatever is decided about its size.
    pub fn write_room(&mut self, pool: &mut Pool, object: ObjectId, at: u64, bytes: &[Byte]) {
        if let Some(state) = self.object(object).filter(|state| state.live) {
            let place = state.place;
            let storage = self.segments.get_mut(place.segment);
            storage.write_bytes(pool, place.offset + at, bytes);
        }
    }

    /// Copies the first bytes of an object to another, as many as both have room for, whatever is
    /// decided about their sizes. What does not exist has never been written.
    pub fn copy_room(&mut self, pool: &mut Pool, objects: &Objects, to: ObjectId, from: ObjectId) {
        let room = objects.get(to).size.min(objects.get(from).size);
        let (Some(target), Some(source)) = (self.object(to), self.object(from)) else {
            return;
        };
        let (target, source) = (target.place, source.place);
        if room == 0 {
            return;
        }
        let contents = self.segments.share(source.segment);
        let storage = self.segments.get_mut(target.segment);
        storage.copy(pool, target.offset, &contents, source.offset, room);
    }
}

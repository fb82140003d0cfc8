//! Copies and fills of symbolic length on one path: every byte that may or may not belong to the
//! block becomes "the new one if its position is less than the length, else the old one".
//!
//! Between known places only, and for a limited range of lengths: otherwise there is a path for each
//! length that is possible. Lengths that do not fit an object end in one fault, whatever the model;
//! the size of an object may be an expression itself.

use crate::api::summary::ForkKind;
use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::Step;
use crate::values;
use plat_expr::{Byte, EvalMemo, ExprId, IntPredicate, ObjectId, Value};
use plat_memory::AccessKind;

/// The most bytes that may or may not belong to the block: there is an expression for each.
const MOST: u64 = 4096;

/// What a block is filled with.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// The bytes at an address.
    Place(Value),
    /// One byte, again and again.
    Byte(Byte),
}

/// A known place: an object and an offset.
type Place = (ObjectId, i64);

impl Executor<'_> {
    /// Writes `size` bytes (an expression of `width` bits) at `to`, if it can be done on one path;
    /// inputs for which the block does not fit have ended in a fault then.
    pub(super) fn write_block(
        &mut self,
        state: &mut State,
        to: Value,
        source: Source,
        size: Value,
        width: u32,
    ) -> Step<bool> {
        let (Value::Pointer(target, at), Value::Expr(_)) = (to, size) else {
            return Ok(false);
        };
        let size = values::resize(&mut self.pool, size, width, 64).to_expr(&mut self.pool, 64);
        let size = self.pool.number(size);
        let size = self.deciding(state, size)?;
        let (least, most) = self
            .solving
            .oracle
            .bounds(&mut self.pool, &state.constraints, size);
        let Some(mut most) = self.fitting(state, (target, at), AccessKind::Write, size, most)?
        else {
            return Ok(false);
        };
        if let Source::Place(from) = source {
            let Value::Pointer(object, offset) = from else {
                return Ok(false);
            };
            match self.fitting(state, (object, offset), AccessKind::Read, size, most)? {
                Some(fitting) => most = fitting,
                None => return Ok(false),
            }
        }
        if most.saturating_sub(least) > MOST {
            return Ok(false);
        }
        let Some(bytes) = self.undecided_bytes(state, (target, at), source, size, (least, most))?
        else {
            return Ok(false);
        };
        match source {
            Source::Place(from) => self.move_bytes(state, to, from, least)?,
            Source::Byte(byte) => self.put_bytes(state, to, &vec![byte; least as usize])?,
        }
        let at = at.cast_unsigned() + least;
        (state.memory).write_room(&mut self.pool, target, at, &bytes);
        Ok(true)
    }

    /// The most bytes (at most `most`) that a block has which fits the object at a place; lengths
    /// that do not have ended in a fault. `None` if that is not known.
    fn fitting(
        &mut self,
        state: &mut State,
        (object, offset): Place,
        access: AccessKind,
        size: ExprId,
        most: u64,
    ) -> Step<Option<u64>> {
        let inside = offset >= 0 && offset.cast_unsigned() < self.memory.objects.get(object).size;
        if !inside {
            return Ok(None);
        }
        let end = state.memory.limit(&self.memory.objects, object, 1, access);
        let room = end.saturating_sub(offset.cast_unsigned());
        let bound = state.memory.bound(object);
        if most <= room && bound.is_none() {
            return Ok(Some(most));
        }
        let limit = self.pool.constant(64, room);
        let mut beyond = self.pool.compare(IntPredicate::Ugt, size, limit);
        if let Some(bound) = bound {
            // The sum is not out of range where the block has room. No bytes fit anywhere.
            let none = self.pool.constant(64, 0);
            let some = self.pool.compare(IntPredicate::Ult, none, size);
            let offset = self.pool.constant(64, offset.cast_unsigned());
            let end = self.pool.add(size, offset);
            let behind = self.pool.compare(IntPredicate::Ult, bound, end);
            let behind = self.pool.and(some, behind);
            beyond = self.pool.or(beyond, behind);
        }
        if let Some(example) = self.feasible(state, beyond)? {
            let memo = &mut EvalMemo::default();
            let length = self.pool.eval(size, &example, memo);
            let mut fault =
                (state.memory).fault(&self.memory.objects, object, offset, length, access);
            if let (Some(bound), Some(info)) = (bound, &mut fault.info) {
                info.size = self.pool.eval(bound, &example, memo);
                fault.kind = plat_memory::FaultKind::OutOfBounds;
            }
            let end = self.fault_end(fault);
            self.end_if(state, ForkKind::Fault, beyond, end)?;
        }
        Ok(Some(room.min(most)))
    }

    /// The bytes of a block from the least to the greatest length. `None` if there are pointers
    /// among them, which must stay whole, or what hooks want whole: what was never written must not
    /// seem to be used where the byte is the other one.
    fn undecided_bytes(
        &mut self,
        state: &State,
        (target, at): Place,
        source: Source,
        size: ExprId,
        (least, most): (u64, u64),
    ) -> Step<Option<Vec<Byte>>> {
        let count = most.saturating_sub(least);
        let mut behind = |object, at: i64| {
            let at = at.cast_unsigned() + least;
            (state.memory).read_room(&mut self.pool, object, at, count)
        };
        let old = behind(target, at);
        let new = match source {
            Source::Place(Value::Pointer(object, offset)) => behind(object, offset),
            Source::Place(_) => return Ok(None),
            Source::Byte(byte) => vec![byte; count as usize],
        };
        let mut bytes = Vec::with_capacity(old.len());
        for (position, (old, new)) in (least..).zip(old.into_iter().zip(new)) {
            let (old, new) = (old.to_expr(&mut self.pool), new.to_expr(&mut self.pool));
            let whole = [old, new].iter().any(|&byte| self.pool.has_base(byte));
            let apart = |byte| self.hooks.keep_whole(&self.pool, byte);
            if whole || (self.hooks.decisions && (apart(old) || apart(new))) {
                return Ok(None);
            }
            let pool = &mut self.pool;
            let position = pool.constant(64, position);
            let written = pool.compare(IntPredicate::Ult, position, size);
            let byte = pool.ite(written, new, old);
            bytes.push(Byte::from_expr(pool, byte));
        }
        Ok(Some(bytes))
    }
}

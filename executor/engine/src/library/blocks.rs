//! Copies and fills of symbolic length on one path: every byte that may or may not belong to the
//! block becomes "the new one if its position is less than the length, else the old one".
//!
//! Between known places only, and up to a length: otherwise there is a path for each length that is
//! possible. Lengths that do not fit an object end in one fault, whatever the model.

use crate::engine::Engine;
use crate::state::State;
use crate::stop::Step;
use crate::summary::ForkKind;
use crate::values;
use plat_expr::{Byte, EvalMemo, ExprId, ObjectId, Predicate, Value};
use plat_memory::AccessKind;

/// The greatest length that is treated so: beyond it, expressions for every byte cost more than
/// paths.
const MOST: u64 = 64;

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

impl Engine<'_> {
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
        let size = self.written(state, size)?;
        let (least, most) = self.oracle.bounds(&mut self.pool, &state.constraints, size);
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
        if most > MOST {
            return Ok(false);
        }
        let Some(bytes) = self.undecided_bytes(state, to, source, size, (least, most))? else {
            return Ok(false);
        };
        match source {
            Source::Place(from) => self.move_bytes(state, to, from, least)?,
            Source::Byte(byte) => self.put_bytes(state, to, &vec![byte; least as usize])?,
        }
        let behind = self.displaced(to, least);
        self.put_bytes(state, behind, &bytes)?;
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
        let inside = offset >= 0 && offset.cast_unsigned() < self.objects.get(object).size;
        if !inside || state.memory.bound(object).is_some() {
            return Ok(None);
        }
        let end = state.memory.limit(&self.objects, object, 1, access);
        let room = end.saturating_sub(offset.cast_unsigned());
        if most <= room {
            return Ok(Some(most));
        }
        let limit = self.pool.constant(64, room);
        let beyond = self.pool.compare(Predicate::Ugt, size, limit);
        if let Some(example) = self.feasible(state, beyond)? {
            let length = self.pool.eval(size, &example, &mut EvalMemo::default());
            let fault = (state.memory).fault(&self.objects, object, offset, length, access);
            let end = self.fault_end(fault);
            self.end_if(state, ForkKind::Fault, beyond, end)?;
        }
        Ok(Some(room))
    }

    /// The bytes of a block from the least to the greatest length. `None` if there are pointers
    /// among them, which must stay whole, or what was never written, which must not seem to be used
    /// where the byte is the other one.
    fn undecided_bytes(
        &mut self,
        state: &mut State,
        to: Value,
        source: Source,
        size: ExprId,
        (least, most): (u64, u64),
    ) -> Step<Option<Vec<Byte>>> {
        let count = most.saturating_sub(least);
        let behind = self.displaced(to, least);
        let old = self.bytes_at(state, behind, count)?;
        let new = match source {
            Source::Place(from) => {
                let behind = self.displaced(from, least);
                self.bytes_at(state, behind, count)?
            }
            Source::Byte(byte) => vec![byte; count as usize],
        };
        let mut bytes = Vec::with_capacity(old.len());
        for (position, (old, new)) in (least..).zip(old.into_iter().zip(new)) {
            let (old, new) = (old.to_expr(&mut self.pool), new.to_expr(&mut self.pool));
            let whole = [old, new].iter().any(|&byte| self.pool.has_base(byte));
            if whole || !(self.is_written(old) && self.is_written(new)) {
                return Ok(None);
            }
            let pool = &mut self.pool;
            let position = pool.constant(64, position);
            let written = pool.compare(Predicate::Ult, position, size);
            let byte = pool.ite(written, new, old);
            bytes.push(Byte::from_expr(pool, byte));
        }
        Ok(Some(bytes))
    }
}

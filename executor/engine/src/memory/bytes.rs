//! Ranges of bytes in a state's memory: reading, writing, moving, filling.
//!
//! Known places go to the object's contents as a whole, so that pointers and symbolic words stay
//! what they are; through any other pointer it goes byte by byte to what the pointer leads to.

use crate::api::outcome::{Limit, PathEnd};
use crate::api::summary::ForkKind;
use crate::executor::Executor;
use crate::executor::resident::{give_back, resident_memory};
use crate::fork::Ways;
use crate::memory::runs::LINE;
use crate::state::State;
use crate::state::stop::{Step, Stop};
use plat_expr::{Byte, ObjectId, TRUE, Value};
use plat_memory::{AccessKind, Target};

/// Ranges that are longer are worked on in slices of so many bytes.
const SLICE: u64 = 64 << 20;

/// Bytes that operations on ranges may touch before the run looks how much memory it has.
pub(crate) const UNCHECKED: u64 = 64 << 20;

/// Whether a pointer leads to a byte that certainly exists.
fn is_within(state: &State, pointer: Value) -> bool {
    let Value::Pointer(object, offset) = pointer else {
        return false;
    };
    let object = state.memory.object(object);
    object.is_some_and(|known| known.live && u64::try_from(offset).is_ok_and(|at| at < known.size))
}

impl Executor<'_> {
    /// Whether there is memory for an operation on `size` bytes, that takes at most `each` for
    /// every one of them. Between batches the run looks for itself; many or large operations make
    /// the batch end.
    fn make_room(&mut self, size: u64, each: usize) -> Step<()> {
        let needed = size.saturating_mul(each as u64);
        self.memory.touched = self.memory.touched.saturating_add(needed);
        if self.memory.touched < UNCHECKED {
            return Ok(());
        }
        self.memory.touched = 0;
        self.batch.end = 0;
        let Some(most) = self.config.limits.memory else {
            return Ok(());
        };
        let fits = || resident_memory().saturating_add(needed) <= most;
        if fits() {
            return Ok(());
        }
        give_back();
        if fits() {
            return Ok(());
        }
        let what = format!("an operation on {size} bytes");
        Err(PathEnd::Limit(Limit::Memory, what).into())
    }

    /// Counts work on a value that is not a word, in about so many steps: much of it ends the batch,
    /// so that the run looks at its bounds.
    pub(crate) fn worked(&mut self, steps: u64) {
        self.memory.touched = self.memory.touched.saturating_add(steps);
        if self.memory.touched >= UNCHECKED {
            self.memory.touched = 0;
            self.batch.end = 0;
        }
    }

    /// The bytes at an address; splits when the pointer is ambiguous.
    pub(crate) fn bytes_at(
        &mut self,
        state: &mut State,
        pointer: Value,
        size: u64,
    ) -> Step<Vec<Byte>> {
        may_panic!();
        self.require_scalar(pointer)?;
        if size == 0 {
            return Ok(Vec::new());
        }
        self.make_room(size, size_of::<Byte>())?;
        if let Value::Pointer(object, offset) = pointer {
            let read = (state.memory).read_bytes(
                &mut self.pool,
                &self.memory.objects,
                object,
                offset,
                size,
            );
            let bytes = match read {
                Ok(bytes) => bytes,
                Err(fault) => {
                    self.resolve_size_fault(state, fault)?;
                    return self.bytes_at(state, pointer, size);
                }
            };
            self.accessed(state, AccessKind::Read, (object, offset), size);
            return Ok(bytes);
        }
        let at = self.targets(state, pointer, size, AccessKind::Read)?;
        let mut bytes = Vec::with_capacity(size as usize);
        for distance in 0..size {
            let shifted = self.shifted(&at, distance);
            let (memory, mut cx) = self.memory(state);
            let byte = memory.load_at(&mut cx, &shifted, 8);
            bytes.push(self.byte(byte));
        }
        Ok(bytes)
    }

    /// Writes bytes at an address; splits when the pointer is ambiguous.
    pub(crate) fn put_bytes(
        &mut self,
        state: &mut State,
        pointer: Value,
        bytes: &[Byte],
    ) -> Step<()> {
        may_panic!();
        self.require_scalar(pointer)?;
        if bytes.is_empty() {
            return Ok(());
        }
        self.make_room(bytes.len() as u64, size_of::<Byte>())?;
        if let Value::Pointer(object, offset) = pointer {
            let written = (state.memory).write_bytes(
                &mut self.pool,
                &self.memory.objects,
                object,
                offset,
                bytes,
            );
            if let Err(fault) = written {
                self.resolve_size_fault(state, fault)?;
                return self.put_bytes(state, pointer, bytes);
            }
            let size = bytes.len() as u64;
            self.accessed(state, AccessKind::Write, (object, offset), size);
            return Ok(());
        }
        let at = self.targets(state, pointer, bytes.len() as u64, AccessKind::Write)?;
        for (distance, &byte) in bytes.iter().enumerate() {
            let shifted = self.shifted(&at, distance as u64);
            let value = match byte {
                Byte::Concrete(byte) => Value::Int(u64::from(byte)),
                Byte::Symbolic(expr) => Value::Expr(expr),
            };
            self.store_targets(state, &shifted, value, 8);
        }
        Ok(())
    }

    /// Targets of the byte `distance` bytes behind the first.
    fn shifted(&mut self, at: &[Target], distance: u64) -> Vec<Target> {
        may_panic!();
        at.iter()
            .map(|target| {
                let by = self.pool.constant(64, distance);
                Target {
                    index: self.pool.add(target.index, by),
                    low: target.low + distance,
                    high: target.high + distance,
                    ..target.clone()
                }
            })
            .collect()
    }

    /// The low byte of a scalar of 8 bits.
    pub(crate) fn byte(&mut self, value: Value) -> Byte {
        match value {
            Value::Int(word) => Byte::Concrete(word as u8),
            other => {
                let expr = other.to_expr(&mut self.pool, 8);
                Byte::from_expr(&self.pool, expr)
            }
        }
    }

    /// Moves `size` bytes; the ranges may overlap.
    pub(crate) fn move_bytes(
        &mut self,
        state: &mut State,
        to: Value,
        from: Value,
        size: u64,
    ) -> Step<()> {
        may_panic!();
        if size == 0 {
            return Ok(());
        }
        if let (Value::Pointer(target, at), Value::Pointer(source, behind)) = (to, from) {
            if size > SLICE && self.move_slices(state, (target, at), (source, behind), size)? {
                return Ok(());
            }
            self.make_room(size, 1)?;
            let places = ((target, at), (source, behind));
            let copied = (state.memory).copy(
                &mut self.pool,
                &self.memory.objects,
                places.0,
                places.1,
                size,
            );
            if let Err(fault) = copied {
                self.resolve_size_fault(state, fault)?;
                return self.move_bytes(state, to, from, size);
            }
            self.accessed(state, AccessKind::Write, places.0, size);
            self.accessed(state, AccessKind::Read, places.1, size);
            return Ok(());
        }
        self.make_room(size, 1)?;
        let bytes = self.bytes_at(state, from, size)?;
        self.put_bytes(state, to, &bytes)
    }

    /// Moves many bytes slice by slice, between which the run looks at its bounds. Says whether it
    /// has; ranges that do not lie within their objects are left to [`Executor::move_bytes`].
    fn move_slices(
        &mut self,
        state: &mut State,
        to: (ObjectId, i64),
        from: (ObjectId, i64),
        size: u64,
    ) -> Step<bool> {
        if !self.is_inside(state, to, size, AccessKind::Write)
            || !self.is_inside(state, from, size, AccessKind::Read)
        {
            return Ok(false);
        }
        // What a slice overwrites must not be to be read by a later one.
        let backwards = to.0 == from.0 && to.1 > from.1;
        let mut done = 0;
        while done < size {
            let slice = SLICE.min(size - done);
            let start = if backwards { size - done - slice } else { done }.cast_signed();
            let (to, from) = ((to.0, to.1 + start), (from.0, from.1 + start));
            let untouched = state
                .memory
                .absent(&self.memory.objects, from.0, from.1, slice)
                == slice;
            self.make_room(if untouched { 0 } else { slice }, 1)?;
            self.still_due()?;
            let copied = (state.memory).copy(&mut self.pool, &self.memory.objects, to, from, slice);
            copied.map_err(|fault| Box::new(Stop::End(self.fault_end(fault))))?;
            done += slice;
        }
        self.accessed(state, AccessKind::Write, to, size);
        self.accessed(state, AccessKind::Read, from, size);
        Ok(true)
    }

    /// Whether `size` bytes at a place are all in its object and may be accessed.
    fn is_inside(
        &self,
        state: &State,
        (object, offset): (ObjectId, i64),
        size: u64,
        access: AccessKind,
    ) -> bool {
        let places = state
            .memory
            .limit(&self.memory.objects, object, size, access);
        state.memory.bound(object).is_none() && offset >= 0 && offset.cast_unsigned() < places
    }

    /// Fills `size` bytes with a byte.
    pub(crate) fn fill_bytes(
        &mut self,
        state: &mut State,
        to: Value,
        byte: Byte,
        size: u64,
    ) -> Step<()> {
        may_panic!();
        if size == 0 {
            return Ok(());
        }
        if let Value::Pointer(object, offset) = to {
            let place = (object, offset);
            if size > SLICE && self.is_inside(state, place, size, AccessKind::Write) {
                return self.fill_slices(state, place, byte, size);
            }
            self.make_room(size, 1)?;
            let filled =
                (state.memory).fill(&mut self.pool, &self.memory.objects, place, size, byte);
            if let Err(fault) = filled {
                self.resolve_size_fault(state, fault)?;
                return self.fill_bytes(state, to, byte, size);
            }
            self.accessed(state, AccessKind::Write, (object, offset), size);
            return Ok(());
        }
        self.make_room(size, size_of::<Byte>())?;
        self.put_bytes(state, to, &vec![byte; size as usize])
    }

    /// Fills many bytes slice by slice, as [`Executor::move_slices`] does. Pages that are full of one
    /// concrete byte are shared: they need no room.
    fn fill_slices(
        &mut self,
        state: &mut State,
        (object, offset): (ObjectId, i64),
        byte: Byte,
        size: u64,
    ) -> Step<()> {
        let each = match byte {
            Byte::Concrete(_) => 0,
            Byte::Symbolic(_) => 2 * size_of::<Byte>(),
        };
        let mut done = 0;
        while done < size {
            let slice = SLICE.min(size - done);
            self.make_room(slice, each)?;
            self.still_due()?;
            let place = (object, offset + done.cast_signed());
            let filled =
                (state.memory).fill(&mut self.pool, &self.memory.objects, place, slice, byte);
            filled.map_err(|fault| Box::new(Stop::End(self.fault_end(fault))))?;
            done += slice;
        }
        self.accessed(state, AccessKind::Write, (object, offset), size);
        Ok(())
    }

    /// The string at an address without its terminator; splits where its end or its bytes depend
    /// on the input.
    pub(crate) fn c_string(&mut self, state: &mut State, pointer: Value) -> Step<Vec<u8>> {
        let mut bytes = Vec::with_capacity(LINE);
        let scanned = self.scan_string(state, pointer, u64::MAX, &mut |part| {
            bytes.extend_from_slice(part);
            true
        })?;
        if scanned.is_some() {
            return Ok(bytes);
        }
        bytes.clear();
        loop {
            let at = self.displaced(pointer, bytes.len() as u64);
            let byte = self.load_word(state, at, 8)?;
            match self.concrete(state, ForkKind::Library, byte, 8)? {
                0 => return Ok(bytes),
                byte => bytes.push(byte as u8),
            }
        }
    }

    /// The string at an address up to a byte that is certainly 0, at most `most` bytes of it.
    /// Symbolic bytes may end it, so what is behind them is read only where it exists, or where
    /// the path says that the string goes on.
    pub(crate) fn string_bytes(
        &mut self,
        state: &mut State,
        pointer: Value,
        most: usize,
    ) -> Step<Vec<Byte>> {
        may_panic!();
        let mut bytes = Vec::new();
        let scanned = self.scan_string(state, pointer, u64::MAX, &mut |part| {
            bytes.extend(part.iter().map(|&byte| Byte::Concrete(byte)));
            true
        })?;
        if scanned.is_some() {
            return Ok(bytes);
        }
        bytes.clear();
        let mut goes_on = TRUE;
        while bytes.len() < most {
            let at = self.displaced(pointer, bytes.len() as u64);
            if goes_on != TRUE
                && !is_within(state, at)
                && !self.decide(state, ForkKind::Library, goes_on)?
            {
                break;
            }
            let value = self.load_word(state, at, 8)?;
            let byte = self.byte(value);
            match byte {
                Byte::Concrete(0) => break,
                Byte::Concrete(_) => {}
                Byte::Symbolic(expr) => {
                    let zero = self.pool.constant(8, 0);
                    let ends = self.pool.eq(expr, zero);
                    let more = self.pool.not(ends);
                    goes_on = self.pool.and(goes_on, more);
                }
            }
            bytes.push(byte);
        }
        Ok(bytes)
    }

    /// A symbolic text becomes the string that the path's model makes of it. What else it could be
    /// is given up on this path, which is counted and warned of.
    pub(crate) fn choose_text(
        &mut self,
        state: &mut State,
        text: &[Byte],
        value: &[u8],
    ) -> Step<()> {
        may_panic!();
        const WHAT: &str = "a symbolic file name, which takes one of its values";
        let mut same = TRUE;
        for (&byte, &value) in text.iter().zip(value.iter().chain([&0])) {
            if let Byte::Symbolic(expr) = byte {
                let value = self.pool.constant(8, value.into());
                let equal = self.pool.eq(expr, value);
                same = self.pool.and(same, equal);
            }
        }
        let same = self.deciding(state, same)?;
        let model = state.constraints.model().clone();
        if matches!(self.ways(state, same)?, Ways::Only(true)) {
            return Ok(());
        }
        self.assume(state, same, &model);
        self.counters.counts.note_unsupported(WHAT);
        self.events.warn_once(WHAT);
        Ok(())
    }
}

//! Ranges of bytes in a state's memory: reading, writing, moving, filling.
//!
//! Known places go to the object's contents as a whole, so that pointers and symbolic words stay
//! what they are; through any other pointer it goes byte by byte to what the pointer leads to.

use crate::engine::Engine;
use crate::fork::Ways;
use crate::outcome::{Limit, PathEnd};
use crate::state::State;
use crate::stop::Step;
use crate::summary::ForkKind;
use plat_expr::{Byte, TRUE, Value};
use plat_memory::{AccessKind, SMALL, Target};
use std::cmp::Ordering;
use std::ffi::CStr;

/// Bytes of a string that are looked at first: most end there.
const LINE: usize = 64;

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

impl Engine<'_> {
    /// Whether there is memory for an operation on `size` bytes, that takes at most `each` for
    /// every one of them. Between batches the run looks for itself; many or large operations make
    /// the batch end.
    fn make_room(&mut self, size: u64, each: usize) -> Step<()> {
        let needed = size.saturating_mul(each as u64);
        self.touched = self.touched.saturating_add(needed);
        if self.touched < UNCHECKED {
            return Ok(());
        }
        self.touched = 0;
        self.batch_end = 0;
        let Some(most) = self.config.limits.memory else {
            return Ok(());
        };
        if crate::schedule::resident_memory().saturating_add(needed) <= most {
            return Ok(());
        }
        let what = format!("an operation on {size} bytes");
        Err(PathEnd::Limit(Limit::Memory, what).into())
    }

    /// The bytes at an address; splits when the pointer is ambiguous.
    pub(crate) fn bytes_at(
        &mut self,
        state: &mut State,
        pointer: Value,
        size: u64,
    ) -> Step<Vec<Byte>> {
        self.require_scalar(pointer)?;
        if size == 0 {
            return Ok(Vec::new());
        }
        self.make_room(size, size_of::<Byte>())?;
        if let Value::Pointer(object, offset) = pointer {
            let read =
                (state.memory).read_bytes(&mut self.pool, &self.objects, object, offset, size);
            let bytes = match read {
                Ok(bytes) => bytes,
                Err(fault) => {
                    self.settle_fault(state, fault)?;
                    return self.bytes_at(state, pointer, size);
                }
            };
            self.expect(state, (object, offset));
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
        self.require_scalar(pointer)?;
        if bytes.is_empty() {
            return Ok(());
        }
        self.make_room(bytes.len() as u64, size_of::<Byte>())?;
        if let Value::Pointer(object, offset) = pointer {
            let written =
                (state.memory).write_bytes(&mut self.pool, &self.objects, object, offset, bytes);
            if let Err(fault) = written {
                self.settle_fault(state, fault)?;
                return self.put_bytes(state, pointer, bytes);
            }
            self.expect(state, (object, offset));
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
        if size == 0 {
            return Ok(());
        }
        self.make_room(size, 1)?;
        if let (Value::Pointer(target, at), Value::Pointer(source, behind)) = (to, from) {
            let places = ((target, at), (source, behind));
            let copied =
                (state.memory).copy(&mut self.pool, &self.objects, places.0, places.1, size);
            if let Err(fault) = copied {
                self.settle_fault(state, fault)?;
                return self.move_bytes(state, to, from, size);
            }
            self.expect(state, places.0);
            self.expect(state, places.1);
            return Ok(());
        }
        let bytes = self.bytes_at(state, from, size)?;
        self.put_bytes(state, to, &bytes)
    }

    /// Fills `size` bytes with a byte.
    pub(crate) fn fill_bytes(
        &mut self,
        state: &mut State,
        to: Value,
        byte: Byte,
        size: u64,
    ) -> Step<()> {
        if size == 0 {
            return Ok(());
        }
        self.make_room(size, 1)?;
        if let Value::Pointer(object, offset) = to {
            let place = (object, offset);
            let filled = (state.memory).fill(&mut self.pool, &self.objects, place, size, byte);
            if let Err(fault) = filled {
                self.settle_fault(state, fault)?;
                return self.fill_bytes(state, to, byte, size);
            }
            self.expect(state, (object, offset));
            return Ok(());
        }
        self.put_bytes(state, to, &vec![byte; size as usize])
    }

    /// The string at an address without its terminator; splits where its end or its bytes depend
    /// on the input.
    pub(crate) fn c_string(&mut self, state: &mut State, pointer: Value) -> Step<Vec<u8>> {
        if let Some(bytes) = self.concrete_string(state, pointer, u64::MAX) {
            return Ok(bytes);
        }
        let mut bytes = Vec::new();
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
        if let Some(bytes) = self.concrete_string(state, pointer, u64::MAX) {
            return Ok(bytes.into_iter().map(Byte::Concrete).collect());
        }
        let mut bytes = Vec::new();
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
        const LACK: &str = "a symbolic file name, which takes one of its values";
        let mut same = TRUE;
        for (&byte, &value) in text.iter().zip(value.iter().chain([&0])) {
            if let Byte::Symbolic(expr) = byte {
                let value = self.pool.constant(8, value.into());
                let equal = self.pool.eq(expr, value);
                same = self.pool.and(same, equal);
            }
        }
        let same = self.written(state, same)?;
        let model = state.constraints.model().clone();
        if matches!(self.ways(state, same)?, Ways::Only(true)) {
            return Ok(());
        }
        self.assume(state, same, &model);
        *self.counts.lacks.entry(LACK.into()).or_default() += 1;
        self.warn_once(LACK);
        Ok(())
    }

    /// The concrete string of at most `most` bytes at a known place, without a terminator; `None`
    /// when it is not wholly concrete or its object ends before it does.
    pub(crate) fn concrete_string(
        &mut self,
        state: &State,
        pointer: Value,
        most: u64,
    ) -> Option<Vec<u8>> {
        let mut string = Vec::with_capacity(LINE);
        self.scan_string(state, pointer, most, &mut |part| {
            string.extend_from_slice(part);
            true
        })?;
        Some(string)
    }

    /// Hands the parts of a concrete string to `part` as long as it wants more, as
    /// [`Engine::concrete_string`] says.
    pub(crate) fn scan_string(
        &mut self,
        state: &State,
        pointer: Value,
        most: u64,
        part: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Option<()> {
        let Value::Pointer(object, offset) = pointer else {
            return None;
        };
        let mut at = u64::try_from(offset).ok()?;
        let (mut left, mut step, mut room) = (most, LINE as u64, [0; SMALL]);
        while left > 0 {
            let read;
            let memory = &state.memory;
            let chunk = match memory.text(object, at, step.min(left), &mut room) {
                Some(chunk) => chunk,
                // What is not there in this form may still be concrete.
                None => {
                    let end = memory.object(object)?.size;
                    let size = step.min(end.checked_sub(at)?).min(left);
                    read = memory.read_concrete(&self.objects, object, at as i64, size);
                    &read.ok()??[..]
                }
            };
            if chunk.is_empty() {
                return None;
            }
            let zero = CStr::from_bytes_until_nul(chunk).ok();
            let (count, string) = (chunk.len(), zero.map_or(chunk, CStr::to_bytes));
            let more = part(string);
            (at, left) = (at + count as u64, left - count as u64);
            self.expect(state, (object, offset));
            if zero.is_some() || !more {
                break;
            }
            step = (step * 4).min(1 << 16);
        }
        Some(())
    }

    /// How two strings at known places compare in their first `most` bytes; `None` when that is not
    /// decided by concrete bytes of objects that are alone in their segments.
    pub(crate) fn compare_texts(
        &mut self,
        state: &State,
        (a, b): (Value, Value),
        most: u64,
    ) -> Option<Ordering> {
        let (Value::Pointer(one, at), Value::Pointer(other, behind)) = (a, b) else {
            return None;
        };
        let (first, second) = (u64::try_from(at).ok()?, u64::try_from(behind).ok()?);
        let (mut done, mut rooms) = (0, [[0; SMALL]; 2]);
        let [room, other_room] = &mut rooms;
        let order = 'decided: loop {
            let size = (most - done).min(LINE as u64);
            if size == 0 {
                break Ordering::Equal;
            }
            let a = state.memory.text(one, first + done, size, room)?;
            let b = state.memory.text(other, second + done, size, other_room)?;
            for (a, b) in a.iter().zip(b) {
                if a != b || *a == 0 {
                    break 'decided a.cmp(b);
                }
            }
            done += a.len().min(b.len()) as u64;
        };
        if most > 0 {
            self.expect(state, (one, at));
            self.expect(state, (other, behind));
        }
        Some(order)
    }

    /// Concrete bytes at a known place.
    pub(crate) fn concrete_bytes(
        &mut self,
        state: &State,
        pointer: Value,
        size: u64,
    ) -> Option<Vec<u8>> {
        if size == 0 {
            return Some(Vec::new());
        }
        let Value::Pointer(object, offset) = pointer else {
            return None;
        };
        let bytes = state
            .memory
            .read_concrete(&self.objects, object, offset, size)
            .ok()??;
        self.expect(state, (object, offset));
        Some(bytes)
    }
}

//! Concrete bytes at known places, looked at run by run.
//!
//! A range may be long: nothing of it is copied, contents without backing storage are passed over
//! as the zeros that they are, and every so often the run looks whether it is over.

use crate::executor::Executor;
use crate::state::State;
use crate::state::stop::{Step, Stop};
use plat_expr::{ObjectId, Value};
use plat_memory::{AccessKind, SMALL};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::ffi::CStr;

/// Bytes of a string that are looked at first: most end there.
pub(crate) const LINE: usize = 64;

/// Bytes of a string that are compared in lines; a longer one is compared run by run.
const LONG: u64 = 4096;

/// Bytes between two looks whether the run is over.
const LOOK: u64 = 1 << 20;

/// The longest copy of bytes that cannot be borrowed.
const COPY: u64 = 1 << 16;

/// Zeros, where bytes are needed.
static ZEROS: [u8; 4096] = [0; 4096];

/// Some bytes of a range, at least one.
enum Run<'s> {
    /// So many zeros.
    Zeros(u64),
    /// These bytes.
    Bytes(Cow<'s, [u8]>),
}

impl Run<'_> {
    /// The bytes; of zeros some.
    fn bytes(&self) -> &[u8] {
        match self {
            Run::Zeros(n) => &ZEROS[..(*n).min(ZEROS.len() as u64) as usize],
            Run::Bytes(bytes) => bytes,
        }
    }
}

/// A known place, in its object.
fn place(pointer: Value) -> Option<(ObjectId, u64)> {
    match pointer {
        Value::Pointer(object, offset) => Some((object, u64::try_from(offset).ok()?)),
        _ => None,
    }
}

impl Executor<'_> {
    /// Stops a step that takes long when the run is over.
    pub(crate) fn still_due(&self) -> Step<()> {
        match self.overdue() {
            Some(_) => Err(Box::new(Stop::Overdue)),
            None => Ok(()),
        }
    }

    /// The same, every so often: `done` of the bytes of a range have been worked on one by one.
    pub(crate) fn still_due_at(&self, done: u64) -> Step<()> {
        match done.is_multiple_of(LOOK >> 4) {
            true => self.still_due(),
            false => Ok(()),
        }
    }

    /// Some of `most` bytes at a place; `None` if the first of them is not concrete or not there.
    fn run<'s>(
        &self,
        state: &'s State,
        object: ObjectId,
        at: u64,
        most: u64,
        room: &'s mut [u8; SMALL],
    ) -> Option<Run<'s>> {
        let memory = &state.memory;
        if let Some(bytes) = memory.text(object, at, most, room) {
            return (!bytes.is_empty()).then_some(Run::Bytes(bytes.into()));
        }
        let there = memory.object(object)?.size.checked_sub(at)?.min(most);
        if there == 0 {
            return None;
        }
        let zeros = memory.absent(&self.memory.objects, object, at.cast_signed(), there);
        if zeros > 0 {
            return Some(Run::Zeros(zeros));
        }
        // What is not there in this form may still be concrete.
        let mut size = there.min(COPY);
        loop {
            let read = memory.read_concrete(&self.memory.objects, object, at.cast_signed(), size);
            match read.ok()? {
                Some(bytes) => return Some(Run::Bytes(bytes.into())),
                None if size > 1 => size /= 2,
                None => return None,
            }
        }
    }

    /// The concrete string of at most `most` bytes at a known place, without a terminator, part by
    /// part, as long as `part` wants more; `None` when it is not wholly concrete or its object ends
    /// before it does.
    pub(crate) fn scan_string(
        &mut self,
        state: &mut State,
        pointer: Value,
        most: u64,
        part: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Step<Option<()>> {
        may_panic!();
        let Some((object, start)) = place(pointer) else {
            return Ok(None);
        };
        let (mut at, mut left) = (start, most);
        let (mut step, mut looked) = (LINE as u64, start);
        while left > 0 {
            let mut room = [0; SMALL];
            let Some(run) = self.run(state, object, at, step.min(left), &mut room) else {
                return Ok(None);
            };
            let chunk = run.bytes();
            let zero = CStr::from_bytes_until_nul(chunk).ok();
            let (count, string) = (chunk.len(), zero.map_or(chunk, CStr::to_bytes));
            let goes_on = zero.is_none();
            let more = part(string) && goes_on;
            let place = (object, at.cast_signed());
            self.accessed(state, AccessKind::Read, place, count as u64);
            (at, left) = (at + count as u64, left - count as u64);
            if !more {
                break;
            }
            step = (step * 4).min(COPY);
            if at - looked >= LOOK {
                self.still_due()?;
                looked = at;
            }
        }
        Ok(Some(()))
    }

    /// The first position of a byte among `size` bytes at a known place, `Some(None)` if it is not
    /// there; `None` when that cannot be told from concrete bytes. The size may exceed the object
    /// if the byte comes first.
    pub(crate) fn find_byte(
        &mut self,
        state: &mut State,
        pointer: Value,
        size: u64,
        byte: u8,
    ) -> Step<Option<Option<u64>>> {
        let Some((object, start)) = place(pointer) else {
            return Ok(None);
        };
        let (mut done, mut looked) = (0, 0);
        while done < size {
            let mut room = [0; SMALL];
            let here = start.checked_add(done);
            let run = here.and_then(|at| self.run(state, object, at, size - done, &mut room));
            done += match run {
                None => return Ok(None),
                Some(Run::Zeros(_)) if byte == 0 => return Ok(Some(Some(done))),
                Some(Run::Zeros(zeros)) => zeros,
                Some(Run::Bytes(bytes)) => match bytes.iter().position(|&here| here == byte) {
                    Some(at) => {
                        let seen = done + at as u64 + 1;
                        let place = (object, start.cast_signed());
                        self.accessed(state, AccessKind::Read, place, seen);
                        return Ok(Some(Some(seen - 1)));
                    }
                    None => bytes.len() as u64,
                },
            };
            if done - looked >= LOOK {
                self.still_due()?;
                looked = done;
            }
        }
        Ok(Some(None))
    }

    /// The last position of a byte among `size` bytes at a known place, as [`Executor::find_byte`].
    pub(crate) fn find_last_byte(
        &mut self,
        state: &mut State,
        pointer: Value,
        size: u64,
        byte: u8,
    ) -> Step<Option<Option<u64>>> {
        let Some((object, start)) = place(pointer) else {
            return Ok(None);
        };
        let (mut done, mut looked, mut found) = (0, 0, None);
        while done < size {
            let mut room = [0; SMALL];
            let here = start.checked_add(done);
            let run = here.and_then(|at| self.run(state, object, at, size - done, &mut room));
            let (count, last) = match run {
                None => return Ok(None),
                Some(Run::Zeros(zeros)) => (zeros, (byte == 0).then_some(zeros - 1)),
                Some(Run::Bytes(bytes)) => {
                    let last = bytes.iter().rposition(|&here| here == byte);
                    (bytes.len() as u64, last.map(|at| at as u64))
                }
            };
            found = last.map(|at| done + at).or(found);
            done += count;
            if done - looked >= LOOK {
                self.still_due()?;
                looked = done;
            }
        }
        if size > 0 {
            self.accessed(state, AccessKind::Read, (object, start.cast_signed()), size);
        }
        Ok(Some(found))
    }

    /// How two strings at known places compare in their first `most` bytes; `None` when that is not
    /// decided by concrete bytes.
    pub(crate) fn compare_texts(
        &mut self,
        state: &mut State,
        (a, b): (Value, Value),
        most: u64,
    ) -> Step<Option<Ordering>> {
        let (Some((one, first)), Some((other, second))) = (place(a), place(b)) else {
            return Ok(None);
        };
        let (mut done, mut rooms) = (0, [[0; SMALL]; 2]);
        let [room, other_room] = &mut rooms;
        let order = 'decided: loop {
            let size = (most - done).min(LINE as u64);
            if size == 0 {
                break Some(Ordering::Equal);
            }
            let a = state.memory.text(one, first + done, size, room);
            let b = state.memory.text(other, second + done, size, other_room);
            let (Some(a), Some(b), true) = (a, b, done < LONG) else {
                let (a, b) = ((one, first), (other, second));
                break self.compare_runs(state, (a, b), (done, most), true)?;
            };
            for (a, b) in a.iter().zip(b) {
                if a != b || *a == 0 {
                    break 'decided Some(a.cmp(b));
                }
            }
            done += a.len().min(b.len()) as u64;
        };
        if most > 0 && order.is_some() {
            self.accessed(
                state,
                AccessKind::Read,
                (one, first.cast_signed()),
                done.max(1),
            );
            self.accessed(
                state,
                AccessKind::Read,
                (other, second.cast_signed()),
                done.max(1),
            );
        }
        Ok(order)
    }

    /// How `size` bytes at known places compare; `None` when that is not decided by concrete bytes.
    pub(crate) fn compare_ranges(
        &mut self,
        state: &mut State,
        (a, b): (Value, Value),
        size: u64,
    ) -> Step<Option<Ordering>> {
        let (Some(one), Some(other)) = (place(a), place(b)) else {
            return Ok((size == 0).then_some(Ordering::Equal));
        };
        let order = self.compare_runs(state, (one, other), (0, size), false)?;
        if size > 0 && order.is_some() {
            self.accessed(state, AccessKind::Read, (one.0, one.1.cast_signed()), size);
            self.accessed(
                state,
                AccessKind::Read,
                (other.0, other.1.cast_signed()),
                size,
            );
        }
        Ok(order)
    }

    /// How bytes at two places compare from position `done` on, up to `most`; with `strings`, up to
    /// a terminator.
    fn compare_runs(
        &self,
        state: &State,
        ((one, first), (other, second)): ((ObjectId, u64), (ObjectId, u64)),
        (mut done, most): (u64, u64),
        strings: bool,
    ) -> Step<Option<Ordering>> {
        let mut looked = done;
        while done < most {
            let mut rooms = [[0; SMALL]; 2];
            let [room, other_room] = &mut rooms;
            let (Some(at), Some(behind)) = (first.checked_add(done), second.checked_add(done))
            else {
                return Ok(None);
            };
            let a = self.run(state, one, at, most - done, room);
            let b = self.run(state, other, behind, most - done, other_room);
            let (Some(a), Some(b)) = (a, b) else {
                return Ok(None);
            };
            done += match (&a, &b) {
                (Run::Zeros(_), Run::Zeros(_)) if strings => return Ok(Some(Ordering::Equal)),
                (Run::Zeros(a), Run::Zeros(b)) => *a.min(b),
                _ => match compare_bytes(a.bytes(), b.bytes(), strings) {
                    Ok(order) => return Ok(Some(order)),
                    Err(equal) => equal,
                },
            };
            if done - looked >= LOOK {
                self.still_due()?;
                looked = done;
            }
        }
        Ok(Some(Ordering::Equal))
    }
}

/// How bytes compare as far as both go, or how many those are if that is not decided by them.
fn compare_bytes(a: &[u8], b: &[u8], strings: bool) -> Result<Ordering, u64> {
    let both = a.len().min(b.len());
    let (a, b) = (&a[..both], &b[..both]);
    let ends = strings && a.contains(&0);
    if a == b {
        return if ends {
            Ok(Ordering::Equal)
        } else {
            Err(both as u64)
        };
    }
    // The first that is decisive decides.
    let decisive = a.iter().zip(b).find(|&(a, b)| a != b || strings && *a == 0);
    Ok(decisive.map_or(Ordering::Equal, |(a, b)| a.cmp(b)))
}

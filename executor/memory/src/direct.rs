//! Accesses of a word through a pointer to a known place: what concrete code does.
//!
//! The contents of an object that has a segment for itself say which accesses may go to them
//! ([`Memory::admit`]), so that such an access looks at nothing else. What is not of that kind is said to
//! be cold: then the loop of the interpreter keeps its variables in the machine's registers.

use crate::memory::Memory;
use crate::segments::own;
use crate::state::Place;
use crate::storage::Storage;
use crate::storage::page::{Stored, WORD, Word};
use plat_expr::ObjectId;

/// Where an object is that has a segment for itself.
pub(crate) fn alone(object: ObjectId) -> Place {
    Place {
        segment: own(object),
        offset: 0,
    }
}

impl Memory {
    /// Tells the contents of an object that lies in a segment alone which accesses may go to them
    /// directly; to be called when its state has changed.
    pub(crate) fn admit(&mut self, object: ObjectId) {
        let (room, writable) = match self.states.get(object.index()) {
            Some(state) if state.live && state.place == alone(object) => {
                (state.size, state.writable)
            }
            _ => (0, false),
        };
        if let Some(storage) = self.segments.of_mut(object) {
            storage.admit(room, writable);
        }
    }

    /// Reads `n` bytes (at least one, at most 8) at a known offset of an object, when that is
    /// allowed and what is there is a number or a whole pointer.
    #[inline(always)]
    pub fn load_word(&self, object: ObjectId, offset: i64, n: u32) -> Option<Word> {
        match self.segments.of(object) {
            Some(storage) if storage.readable(offset, n) => {
                debug_assert!(self.is_alone(object));
                storage.word(offset.cast_unsigned(), n as usize)
            }
            _ => self.load_placed(object, offset, n),
        }
    }

    fn is_alone(&self, object: ObjectId) -> bool {
        let state = self.object(object);
        state.is_some_and(|state| state.live && state.place == alone(object))
    }

    /// [`Memory::load_word`] where the object is not alone in its segment.
    #[cold]
    #[inline(never)]
    fn load_placed(&self, object: ObjectId, offset: i64, n: u32) -> Option<Word> {
        let state = self.object(object)?;
        let end = offset.cast_unsigned().checked_add(u64::from(n))?;
        if !state.live || end > state.size {
            return None;
        }
        let storage = self.segments.get(state.place.segment);
        storage.word(state.place.offset + offset.cast_unsigned(), n as usize)
    }

    /// The contents of an object that is not alone in its segment and the position in them to write
    /// `n` bytes at `offset`, if that is allowed.
    #[cold]
    #[inline(never)]
    fn place_to_write_shared(
        &mut self,
        object: ObjectId,
        offset: i64,
        n: u32,
    ) -> Option<(&mut Storage, u64)> {
        let state = self.states.get(object.index())?;
        let end = offset.cast_unsigned().checked_add(u64::from(n))?;
        if !state.live || !state.writable || end > state.size {
            return None;
        }
        let at = state.place.offset + offset.cast_unsigned();
        Some((self.segments.get_mut(state.place.segment), at))
    }

    /// Writes `n` bytes (at least one, at most 8) at a known offset of an object, if that is
    /// allowed and they are all that changes. Says whether it was; if not, nothing has changed.
    #[inline(always)]
    pub fn store_word(&mut self, object: ObjectId, offset: i64, n: u32, word: u64) -> bool {
        if let Some(storage) = self.segments.of_mut(object)
            && storage.writable(offset, n)
        {
            return storage.overwrite(offset.cast_unsigned(), n as usize, word);
        }
        match self.place_to_write_shared(object, offset, n) {
            Some((storage, at)) => storage.overwrite(at, n as usize, word),
            None => false,
        }
    }

    /// As [`Memory::store_word`], of a pointer.
    #[inline(always)]
    pub fn store_pointer(&mut self, object: ObjectId, offset: i64, pointer: Stored) -> bool {
        if let Some(storage) = self.segments.of_mut(object)
            && storage.writable(offset, WORD as u32)
        {
            return storage.overwrite_pointer(offset.cast_unsigned(), pointer);
        }
        match self.place_to_write_shared(object, offset, WORD as u32) {
            Some((storage, at)) => storage.overwrite_pointer(at, pointer),
            None => false,
        }
    }
}

//! Whole ranges of one object: what memcpy, memset, system calls and initialisers do. An access
//! of no bytes is right through any pointer.

use crate::fault::Fault;
use crate::memory::Memory;
use crate::objects::Objects;
use crate::resolution::AccessKind;
use crate::storage::page::{WORD, Word};
use crate::storage::{SHORT, SMALL};
use plat_expr::{Byte, ObjectId, Pool};

impl Memory {
    /// Reads `size` bytes.
    pub fn read_bytes(
        &self,
        pool: &mut Pool,
        objects: &Objects,
        object: ObjectId,
        offset: i64,
        size: u64,
    ) -> Result<Vec<Byte>, Fault> {
        if size == 0 {
            return Ok(Vec::new());
        }
        let place = self.range(objects, object, offset, size, AccessKind::Read)?;
        Ok(self.storage(place).read_bytes(pool, place.offset, size))
    }

    /// Reads `size` bytes if all of them are concrete, else `None`.
    pub fn read_concrete(
        &self,
        objects: &Objects,
        object: ObjectId,
        offset: i64,
        size: u64,
    ) -> Result<Option<Vec<u8>>, Fault> {
        if size == 0 {
            return Ok(Some(Vec::new()));
        }
        let place = self.range(objects, object, offset, size, AccessKind::Read)?;
        Ok(self.storage(place).read_concrete(place.offset, size))
    }

    /// Bytes behind `offset`, up to `size`, that are zero and have no backing storage; 0 as well
    /// where the object ends before.
    pub fn absent(&self, objects: &Objects, object: ObjectId, offset: i64, size: u64) -> u64 {
        match self.range(objects, object, offset, size, AccessKind::Read) {
            Ok(place) => self.storage(place).absent(place.offset, size),
            Err(_) => 0,
        }
    }

    /// Some of `size` bytes, at least one, as many as there are, if they are concrete and of an object that is
    /// alone in its segment; `room` is for bytes that lie elsewhere in another form.
    #[inline]
    pub fn text<'s>(
        &'s self,
        object: ObjectId,
        offset: u64,
        size: u64,
        room: &'s mut [u8; SMALL],
    ) -> Option<&'s [u8]> {
        let storage = self.segments.of(object)?;
        let there = storage.room().checked_sub(offset)?.min(size);
        if there == 0 {
            return None;
        }
        storage.plain(offset, there, room)
    }

    /// Writes bytes.
    pub fn write_bytes(
        &mut self,
        pool: &mut Pool,
        objects: &Objects,
        object: ObjectId,
        offset: i64,
        bytes: &[Byte],
    ) -> Result<(), Fault> {
        let size = bytes.len() as u64;
        if size == 0 {
            return Ok(());
        }
        let place = self.range(objects, object, offset, size, AccessKind::Write)?;
        let storage = self.segments.get_mut(place.segment);
        storage.write_bytes(pool, place.offset, bytes);
        Ok(())
    }

    /// Writes bytes that are all concrete.
    pub fn write_concrete(
        &mut self,
        pool: &mut Pool,
        objects: &Objects,
        object: ObjectId,
        offset: i64,
        bytes: &[u8],
    ) -> Result<(), Fault> {
        let size = bytes.len() as u64;
        if size == 0 {
            return Ok(());
        }
        let place = self.range(objects, object, offset, size, AccessKind::Write)?;
        let storage = self.segments.get_mut(place.segment);
        storage.write_plain(pool, place.offset, bytes);
        Ok(())
    }

    /// Writes one byte `size` times.
    pub fn fill(
        &mut self,
        pool: &mut Pool,
        objects: &Objects,
        (object, offset): (ObjectId, i64),
        size: u64,
        byte: Byte,
    ) -> Result<(), Fault> {
        if size == 0 {
            return Ok(());
        }
        let place = self.range(objects, object, offset, size, AccessKind::Write)?;
        let storage = self.segments.get_mut(place.segment);
        match byte {
            Byte::Concrete(byte) => storage.fill(pool, place.offset, size, byte),
            Byte::Symbolic(_) => {
                storage.write_bytes(pool, place.offset, &vec![byte; size as usize]);
            }
        }
        Ok(())
    }

    /// Copies `size` bytes (at most [`SHORT`]) from one object to another, each alone in its segment,
    /// or to another place of the same one, if they are plain bytes, or whole words that may be
    /// pointers, and so is what they replace; says whether it has. If not, nothing has changed.
    pub fn copy_short(
        &mut self,
        (to, at): (ObjectId, i64),
        (from, behind): (ObjectId, i64),
        size: u32,
    ) -> bool {
        let apart = to != from || at == behind || at.abs_diff(behind) >= u64::from(size);
        let Some(source) = self.segments.of(from).filter(|_| apart) else {
            return false;
        };
        if size as usize > SHORT || !source.readable(behind, size) {
            return false;
        }
        let (place, start) = (at.cast_unsigned(), behind.cast_unsigned());
        let words = (place | start | u64::from(size)).is_multiple_of(WORD as u64);
        if words {
            let line = &mut [Word::Bits(0); SHORT / WORD][..size as usize / WORD];
            let read = source.read_words(start, line);
            let target = self.segments.of_mut(to).filter(|_| read);
            return target.is_some_and(|target| {
                target.writable(at, size) && target.write_words(place, line)
            });
        }
        let bytes = &mut [0; SHORT][..size as usize];
        let read = source.read_short(start, bytes);
        let target = self.segments.of_mut(to).filter(|_| read);
        target.is_some_and(|target| target.writable(at, size) && target.write_short(place, bytes))
    }

    /// Moves `size` bytes from `from` to `to`; the ranges may overlap. Pointers and expressions
    /// stay whole.
    pub fn copy(
        &mut self,
        pool: &mut Pool,
        objects: &Objects,
        to: (ObjectId, i64),
        from: (ObjectId, i64),
        size: u64,
    ) -> Result<(), Fault> {
        if size == 0 {
            return Ok(());
        }
        if from.0 != to.0
            && let Ok(n) = u32::try_from(size)
            && let Some(contents) = self.segments.of(from.0)
            && contents.readable(from.1, n)
        {
            let contents = contents.clone();
            if let Some(storage) = self.segments.of_mut(to.0)
                && storage.writable(to.1, n)
            {
                let (at, behind) = (to.1.cast_unsigned(), from.1.cast_unsigned());
                storage.copy(pool, at, &contents, behind, size);
                return Ok(());
            }
        }
        let source = self.range(objects, from.0, from.1, size, AccessKind::Read)?;
        let target = self.range(objects, to.0, to.1, size, AccessKind::Write)?;
        if source.segment == target.segment {
            let storage = self.segments.get_mut(target.segment);
            storage.copy_within(pool, target.offset, source.offset, size);
        } else {
            let contents = self.segments.share(source.segment);
            let storage = self.segments.get_mut(target.segment);
            storage.copy(pool, target.offset, &contents, source.offset, size);
        }
        Ok(())
    }
}

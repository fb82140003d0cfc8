//! A state's segments: their contents, by number.
//!
//! A segment that is made for one object alone has the object's number, so that an access through a
//! pointer finds the contents without asking where they are. The others have numbers of their own;
//! those of segments that are gone are given out again, lowest first, so that a long path has a
//! short table.

use crate::alike::Alike;
use crate::paged::PagedVec;
use crate::resolution::SegmentIndex;
use crate::storage::Storage;
use plat_expr::{ObjectId, Pool, Rare};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The table.
#[derive(Clone, Default, Debug)]
pub struct Segments {
    own: PagedVec<Storage, 4>,
    other: PagedVec<Storage, 4>,
    /// The object that a segment may be made for next, and whether it can be written.
    newcomer: Option<(ObjectId, bool)>,
    live: usize,
    next: u32,
    unused: Rare<BinaryHeap<Reverse<u32>>>,
}

plat_expr::holder!(Segments { own, other } plain { newcomer, live, next, unused });

/// The number of the segment that an object has alone.
pub(crate) fn own(object: ObjectId) -> SegmentIndex {
    SegmentIndex(2 * object.0)
}

impl Segments {
    /// No segments.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says which object is placed next.
    #[inline]
    pub(crate) fn announce(&mut self, object: ObjectId, writable: bool) {
        self.newcomer = Some((object, writable));
    }

    /// A new segment of `size` zero bytes for the object that is being placed, alone, and which admits
    /// accesses to it.
    pub(crate) fn create_alone(&mut self, size: u64) -> SegmentIndex {
        match self.newcomer.take() {
            Some((object, writable)) if self.enter_alone(object, size, writable) => own(object),
            _ => self.create(size),
        }
    }

    /// The segment of an object that is alone, as [`Segments::create_alone`] makes it, if there is
    /// room for it under the object's number.
    #[inline(always)]
    pub(crate) fn enter_alone(&mut self, object: ObjectId, size: u64, writable: bool) -> bool {
        if object.0 >= 1 << 31 {
            return false;
        }
        let room = self.own.entry(object.index());
        if room.is_some() {
            return false;
        }
        room.insert(Storage::zeros(size)).admit(size, writable);
        self.live += 1;
        true
    }

    /// Removes the segment of an object that is alone.
    #[inline(always)]
    pub(crate) fn leave_alone(&mut self, object: ObjectId) {
        self.live -= usize::from(self.own.remove(object.index()));
    }

    /// A new segment of `size` zero bytes.
    pub fn create(&mut self, size: u64) -> SegmentIndex {
        // An empty heap is shared, and stays so.
        let unused = (!self.unused.is_empty()).then(|| self.unused.pop());
        let number = match unused.flatten() {
            Some(Reverse(number)) => number,
            None => {
                self.next += 1;
                self.next - 1
            }
        };
        self.other.set(number as usize, Storage::zeros(size));
        self.live += 1;
        SegmentIndex(2 * number + 1)
    }

    /// Removes a segment.
    pub fn remove(&mut self, segment: SegmentIndex) {
        let number = segment.0 / 2;
        if segment.0.is_multiple_of(2) {
            self.live -= usize::from(self.own.remove(number as usize));
        } else if self.other.remove(number as usize) {
            self.unused.push(Reverse(number));
            self.live -= 1;
        }
    }

    /// The segment that an object has alone, if it has.
    #[inline(always)]
    pub(crate) fn of(&self, object: ObjectId) -> Option<&Storage> {
        self.own.get(object.index())
    }

    /// As [`Segments::of`], to change.
    #[inline(always)]
    pub(crate) fn of_mut(&mut self, object: ObjectId) -> Option<&mut Storage> {
        self.own.get_mut(object.index())
    }

    /// The contents of a segment.
    ///
    /// # Panics
    /// If there is no such segment: a resolution was kept over a release.
    #[inline]
    pub fn get(&self, segment: SegmentIndex) -> &Storage {
        let number = segment.index() / 2;
        let found = match segment.0 % 2 {
            0 => self.own.get(number),
            _ => self.other.get(number),
        };
        match found {
            Some(storage) => storage,
            None => panic!("segment {} does not exist", segment.0),
        }
    }

    /// The contents of a segment, shared: a cheap copy of the whole.
    pub fn share(&self, segment: SegmentIndex) -> Storage {
        self.get(segment).clone()
    }

    /// The contents of a segment, to change; copied first if another state shares them.
    #[inline]
    pub fn get_mut(&mut self, segment: SegmentIndex) -> &mut Storage {
        let number = segment.index() / 2;
        let found = match segment.0 % 2 {
            0 => self.own.get_mut(number),
            _ => self.other.get_mut(number),
        };
        match found {
            Some(storage) => storage,
            None => panic!("segment {} does not exist", segment.0),
        }
    }

    /// Where the contents of two tables differ, if they do: the object, if the segment is that of one
    /// alone, and a position. This one may have further segments of objects that are `free`.
    pub(crate) fn difference(
        &self,
        pool: &mut Pool,
        other: &Self,
        free: impl Fn(ObjectId) -> bool,
        alike: Alike<'_>,
    ) -> Option<(Option<ObjectId>, u64)> {
        let mut found = None;
        let mut same = |is_own: bool, at, mine: Option<&Storage>, theirs: Option<&Storage>| {
            let position = match (mine, theirs) {
                (Some(mine), Some(theirs)) => mine.difference(pool, theirs, alike),
                (None, None) => None,
                (Some(_), None) if is_own && free(ObjectId::new(at)) => None,
                _ => Some(0),
            };
            let object = is_own.then(|| ObjectId::new(at));
            found = position.map(|position| (object, position));
            found.is_none()
        };
        let own = self.own.agree(&other.own, |at, a, b| same(true, at, a, b));
        if own {
            self.other
                .agree(&other.other, |at, a, b| same(false, at, a, b));
        }
        found
    }

    /// Number of segments.
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether there is no segment.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

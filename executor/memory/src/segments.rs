//! A state's segments: their contents, by number.
//!
//! Numbers of segments that are gone are given out again, lowest first, so that a long path has a
//! short table.

use crate::paged::PagedVec;
use crate::resolution::SegmentIndex;
use crate::storage::Storage;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// The table.
#[derive(Clone, Default, Debug)]
pub struct Segments {
    contents: PagedVec<Rc<Storage>>,
    next: u32,
    unused: BinaryHeap<Reverse<u32>>,
}

impl Segments {
    /// No segments.
    pub fn new() -> Self {
        Self::default()
    }

    /// A new segment of `size` zero bytes.
    pub fn create(&mut self, size: u64) -> SegmentIndex {
        let number = match self.unused.pop() {
            Some(Reverse(number)) => number,
            None => {
                self.next += 1;
                self.next - 1
            }
        };
        self.contents
            .set(number as usize, Rc::new(Storage::zeros(size)));
        SegmentIndex(number)
    }

    /// Removes a segment.
    pub fn remove(&mut self, segment: SegmentIndex) {
        if self.contents.take(segment.index()).is_some() {
            self.unused.push(Reverse(segment.0));
        }
    }

    /// The contents of a segment.
    ///
    /// # Panics
    /// If there is no such segment: a resolution was kept over a release.
    #[inline(always)]
    pub fn get(&self, segment: SegmentIndex) -> &Storage {
        match self.contents.get(segment.index()) {
            Some(storage) => storage,
            None => panic!("segment {} does not exist", segment.0),
        }
    }

    /// The contents of a segment, shared: a cheap copy of the whole.
    pub fn share(&self, segment: SegmentIndex) -> Rc<Storage> {
        match self.contents.get(segment.index()) {
            Some(storage) => Rc::clone(storage),
            None => panic!("segment {} does not exist", segment.0),
        }
    }

    /// The contents of a segment, to change; copied first if another state shares them.
    #[inline(always)]
    pub fn get_mut(&mut self, segment: SegmentIndex) -> &mut Storage {
        match self.contents.get_mut(segment.index()) {
            Some(storage) => Rc::make_mut(storage),
            None => panic!("segment {} does not exist", segment.0),
        }
    }

    /// Number of segments.
    pub fn len(&self) -> usize {
        self.next as usize - self.unused.len()
    }

    /// Whether there is no segment.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

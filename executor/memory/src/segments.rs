//! A state's segments: their contents, by number.
//!
//! Numbers of segments that are gone are given out again, lowest first, so that a long path has a
//! short table.

use crate::paged::PagedVec;
use crate::resolution::SegmentIndex;
use crate::storage::Storage;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The table.
#[derive(Clone, Default, Debug)]
pub struct Segments {
    contents: PagedVec<Arc<Storage>>,
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
            .set(number as usize, Arc::new(Storage::zeros(size)));
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
    #[inline]
    pub fn get(&self, segment: SegmentIndex) -> &Storage {
        match self.contents.get(segment.index()) {
            Some(storage) => storage,
            None => panic!("segment {} does not exist", segment.0),
        }
    }

    /// The contents of a segment, shared: a cheap copy of the whole.
    pub fn share(&self, segment: SegmentIndex) -> Arc<Storage> {
        match self.contents.get(segment.index()) {
            Some(storage) => Arc::clone(storage),
            None => panic!("segment {} does not exist", segment.0),
        }
    }

    /// The contents of a segment, to change; copied first if another state shares them.
    #[inline]
    pub fn get_mut(&mut self, segment: SegmentIndex) -> &mut Storage {
        match self.contents.get_mut(segment.index()) {
            Some(storage) => Arc::make_mut(storage),
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

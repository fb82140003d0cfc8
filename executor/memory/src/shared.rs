//! A segment that several objects share: where in it there is room, and what is in it.

use crate::request::Request;
use crate::resolution::SegmentIndex;
use crate::segments::Segments;
use crate::space::Space;
use crate::state::{ObjectState, Place};
use plat_expr::Pool;

/// The segment.
#[derive(Clone, Debug)]
pub struct Shared {
    segment: SegmentIndex,
    space: Space,
    /// The strictest alignment of an object that is, or was, in it.
    align: u64,
    /// Objects in it.
    objects: u32,
}

impl Shared {
    /// An empty segment.
    pub fn new(segments: &mut Segments) -> Self {
        Self {
            segment: segments.create(0),
            space: Space::new(),
            align: 1,
            objects: 0,
        }
    }

    /// The segment of a single object, as one that it could share with others.
    pub fn of_one(segment: SegmentIndex, size: u64, align: u64) -> Self {
        let mut space = Space::new();
        space.allocate(size, align);
        Self {
            segment,
            space,
            align,
            objects: 1,
        }
    }

    /// A segment whose objects, by size and alignment, follow one another; and where each of them is.
    pub fn in_order(segment: SegmentIndex, objects: &[(u64, u64)]) -> (Self, Vec<u64>) {
        let mut space = Space::new();
        let places = objects
            .iter()
            .map(|&(size, align)| space.allocate(size, align));
        let places = places.collect();
        let shared = Self {
            segment,
            space,
            align: objects.iter().map(|one| one.1).max().unwrap_or(1),
            objects: objects.len() as u32,
        };
        (shared, places)
    }

    /// Whether no live object is in it.
    pub fn is_empty(&self) -> bool {
        self.objects == 0
    }

    /// The first position behind its objects.
    pub fn extent(&self) -> u64 {
        self.space.extent()
    }

    /// Which segment it is.
    pub fn segment(&self) -> SegmentIndex {
        self.segment
    }

    /// Bytes in live objects.
    pub fn live(&self) -> u64 {
        self.space.live()
    }

    /// Finds room for an object; grows the segment when no gap fits.
    pub fn place(&mut self, pool: &mut Pool, request: &Request, segments: &mut Segments) -> Place {
        let offset = self.space.allocate(request.size, request.align);
        self.align = self.align.max(request.align);
        self.objects += 1;
        let extent = self.space.extent();
        let used = segments.get(self.segment).size();
        if offset < used {
            // Free space is zero, but a write at a symbolic position may be noted there that the
            // path condition keeps from it.
            let rest = request.size.min(used - offset);
            segments.get_mut(self.segment).fill(pool, offset, rest, 0);
        }
        if used < extent {
            segments.get_mut(self.segment).grow(extent);
        }
        Place {
            segment: self.segment,
            offset,
        }
    }

    /// Takes an object's room back and clears it, so that free space is always zero.
    pub fn release(&mut self, pool: &mut Pool, state: &ObjectState, segments: &mut Segments) {
        self.space.release(state.place.offset, state.size);
        self.objects = self.objects.saturating_sub(1);
        let storage = segments.get_mut(self.segment);
        storage.fill(pool, state.place.offset, state.size, 0);
    }

    /// Finds room for all that is in another segment, whose contents are `size` bytes long: where
    /// they start here. The contents themselves are moved by [`crate::moves`].
    pub fn absorb(&mut self, other: &Self, size: u64) -> u64 {
        self.align = self.align.max(other.align);
        self.objects += other.objects;
        self.space.absorb(&other.space, size, other.align)
    }
}

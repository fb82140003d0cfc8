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
}

impl Shared {
    /// An empty segment.
    pub fn new(segments: &mut Segments) -> Self {
        Self {
            segment: segments.create(0),
            space: Space::new(),
            align: 1,
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
        }
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
        let storage = segments.get_mut(self.segment);
        storage.fill(pool, state.place.offset, state.size, 0);
    }

    /// Finds room for all that is in another segment, whose contents are `size` bytes long: where
    /// they start here. The contents themselves are moved by [`crate::moves`].
    pub fn absorb(&mut self, other: &Self, size: u64) -> u64 {
        self.align = self.align.max(other.align);
        self.space.absorb(&other.space, size, other.align)
    }
}

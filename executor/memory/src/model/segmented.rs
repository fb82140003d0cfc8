//! `segmented` (segmented-memory paper, algorithms 3 to 5): the heap objects of a group, which
//! the points-to analysis says may alias, share a segment; every other object has one of its
//! own. A pointer that can lead to several segments is followed on a path for each.
//!
//! Algorithm 5's threshold: an object goes to a segment of its group whose *live* bytes are at
//! most the threshold, whatever the object's own size (so a segment can pass the threshold by one
//! object, as in the paper); when there is none, a fresh overflow segment is made for the group.
//! The oldest such segment is taken, so that space freed in it is used again. Objects of more than
//! a quarter of the threshold have segments of their group to themselves: three of them would fill
//! a segment, and the small objects of the group, which input chooses between far more often than
//! between a small one and a large one, would be parted. The paper's
//! implementation let a group overflow into another group's segment and counted freed bytes.

use super::{Division, MemoryModel, Usage, place_alone, release_alone};
use crate::memory::Request;
use crate::objects::Kind;
use crate::paged::PagedVec;
use crate::resolution::{SegmentIndex, Stop};
use crate::resolve::Question;
use crate::segments::Segments;
use crate::space::Space;
use crate::state::{ObjectState, Place};
use plat_expr::Pool;
use plat_program::GroupId;
use std::rc::Rc;

/// A segment that several objects share.
#[derive(Clone, Debug)]
pub struct Shared {
    segment: SegmentIndex,
    space: Space,
}

impl Shared {
    /// An empty segment.
    pub fn new(segments: &mut Segments) -> Self {
        Self {
            segment: segments.create(0),
            space: Space::new(),
        }
    }

    /// Bytes in live objects.
    pub fn live(&self) -> u64 {
        self.space.live()
    }

    /// Finds room for an object; grows the segment when no gap fits.
    pub fn place(&mut self, pool: &mut Pool, request: &Request, segments: &mut Segments) -> Place {
        let offset = self.space.allocate(request.size, request.align);
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
}

/// The segments of one group, oldest first.
#[derive(Clone, Default, Debug)]
struct Group {
    segments: Vec<Rc<Shared>>,
    /// For small and for large objects the positions in `segments` of those that hold such, and
    /// whose live bytes are at most the threshold; sorted.
    open: [Vec<u32>; 2],
}

/// The model.
#[derive(Clone, Debug)]
pub struct Segmented {
    threshold: u64,
    groups: PagedVec<Group>,
    /// By segment number: its position among its group's segments.
    positions: PagedVec<u32>,
    usage: Usage,
}

impl Segmented {
    /// Nothing allocated.
    pub fn new(threshold: u64) -> Self {
        Self {
            threshold,
            groups: PagedVec::new(),
            positions: PagedVec::new(),
            usage: Usage::default(),
        }
    }

    /// The segments of a group with the live bytes of each, oldest first.
    pub fn segments_of(&self, group: GroupId) -> Vec<(SegmentIndex, u64)> {
        let group = self.groups.get(group.index());
        let segments = group.iter().flat_map(|group| &group.segments);
        segments
            .map(|shared| (shared.segment, shared.live()))
            .collect()
    }

    fn place_in(
        &mut self,
        pool: &mut Pool,
        group: GroupId,
        request: &Request,
        segments: &mut Segments,
    ) -> Place {
        if self.groups.get(group.index()).is_none() {
            self.groups.set(group.index(), Group::default());
        }
        let group = self
            .groups
            .get_mut(group.index())
            .expect("the group was entered above");
        let class = usize::from(request.size > self.threshold / 4);
        let position = match group.open[class].first() {
            Some(&position) => position,
            None => {
                let position = group.segments.len() as u32;
                let fresh = Shared::new(segments);
                self.positions.set(fresh.segment.index(), position);
                self.usage.segments += 1;
                group.segments.push(Rc::new(fresh));
                group.open[class].push(position);
                position
            }
        };
        let shared = Rc::make_mut(&mut group.segments[position as usize]);
        let place = shared.place(pool, request, segments);
        self.usage.largest = self.usage.largest.max(shared.live());
        if shared.live() > self.threshold {
            group.open[class].remove(0);
        }
        place
    }
}

/// The group whose segments hold an object: heap objects only, and only those with a group.
fn pooled(kind: Kind, group: Option<GroupId>) -> Option<GroupId> {
    group.filter(|_| kind == Kind::Heap)
}

/// One outcome for each segment that is feasible.
pub(crate) fn by_segment(question: &mut Question<'_, '_>) -> Result<Division, Stop> {
    let alternatives = question.alternatives(&|_, state| state.place.segment.0);
    let mut outcomes = Vec::new();
    for alternative in question.feasible(alternatives)? {
        outcomes.push(question.outcome(alternative)?);
    }
    Ok(Division {
        outcomes,
        dropped: 0,
    })
}

impl MemoryModel for Segmented {
    fn name(&self) -> &'static str {
        "segmented"
    }

    fn place(&mut self, pool: &mut Pool, request: &Request, segments: &mut Segments) -> Place {
        match pooled(request.kind, request.group) {
            Some(group) => self.place_in(pool, group, request, segments),
            None => place_alone(request, segments),
        }
    }

    fn release(
        &mut self,
        pool: &mut Pool,
        state: &ObjectState,
        kind: Kind,
        segments: &mut Segments,
    ) {
        let Some(group) = pooled(kind, state.group) else {
            return release_alone(state, segments);
        };
        let position = self.positions.get(state.place.segment.index()).copied();
        let group = self.groups.get_mut(group.index());
        let (Some(group), Some(position)) = (group, position) else {
            debug_assert!(false, "releasing from a segment that does not exist");
            return;
        };
        let shared = Rc::make_mut(&mut group.segments[position as usize]);
        shared.release(pool, state, segments);
        let open = &mut group.open[usize::from(state.size > self.threshold / 4)];
        if shared.live() <= self.threshold
            && let Err(at) = open.binary_search(&position)
        {
            open.insert(at, position);
        }
    }

    fn divide(&self, question: &mut Question<'_, '_>) -> Result<Division, Stop> {
        by_segment(question)
    }

    fn usage(&self) -> Usage {
        self.usage
    }

    fn fork(&self) -> Box<dyn MemoryModel> {
        Box::new(self.clone())
    }
}

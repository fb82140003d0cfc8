//! Clusters: sets of objects that share segments, as long as the threshold allows it.
//!
//! Algorithm 5's threshold: an object goes to a segment of its cluster whose *live* bytes are at
//! most the threshold, whatever the object's own size (so a segment can pass the threshold by one
//! object, as in the paper); when there is none, a fresh overflow segment is made for the cluster.
//! The oldest such segment is taken, so that space freed in it is used again. Objects of more than
//! a quarter of the threshold have segments of their cluster to themselves: three of them would
//! fill a segment, and the small objects, which input chooses between far more often than between
//! a small one and a large one, would be parted. The paper's implementation let a group overflow
//! into another group's segment and counted freed bytes.
//!
//! The same threshold bounds what is put together later: a segment becomes part of one that has
//! room for it, small into large, and what finds no room stays where it is.

use super::Usage;
use crate::join::{Move, Part};
use crate::paged::PagedVec;
use crate::request::Request;
use crate::resolution::SegmentIndex;
use crate::segments::Segments;
use crate::shared::Shared;
use crate::state::{ObjectState, Place};
use plat_expr::Pool;
use std::cmp::Reverse;
use std::rc::Rc;

/// A segment of a cluster.
#[derive(Clone, Debug)]
struct Held {
    shared: Shared,
    cluster: u32,
    /// Tells which of two was made first; segment numbers are used again.
    age: u64,
    /// Whether it holds large objects; else it holds small ones.
    large: bool,
}

/// The segments of a cluster.
#[derive(Clone, Default, Debug)]
struct Cluster {
    all: Vec<SegmentIndex>,
    /// For small and for large objects those whose live bytes are at most the threshold; oldest
    /// first.
    open: [Vec<SegmentIndex>; 2],
}

/// The clusters of a state, by number.
#[derive(Clone, Debug)]
pub(super) struct Clusters {
    threshold: u64,
    list: PagedVec<Cluster>,
    /// By segment number.
    held: PagedVec<Rc<Held>>,
    made: u64,
    usage: Usage,
}

/// A part, as far as it matters for packing: in the order in which parts are taken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    large: bool,
    /// Segments of clusters come first.
    single: bool,
    size: Reverse<u64>,
    /// The age of a segment of a cluster, the address of a single object.
    which: u64,
    at: usize,
}

impl Clusters {
    /// None yet.
    pub fn new(threshold: u64) -> Self {
        Self {
            threshold,
            list: PagedVec::new(),
            held: PagedVec::new(),
            made: 0,
            usage: Usage::default(),
        }
    }

    /// How the segments are used.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// The cluster whose segment it is.
    pub fn of(&self, segment: SegmentIndex) -> Option<u32> {
        let held = self.held.get(segment.index());
        held.map(|held| held.cluster)
    }

    /// Live bytes in a segment of a cluster.
    pub fn live(&self, segment: SegmentIndex) -> Option<u64> {
        let held = self.held.get(segment.index());
        held.map(|held| held.shared.live())
    }

    fn is_large(&self, size: u64) -> bool {
        size > self.threshold / 4
    }

    fn cluster(&mut self, number: u32) -> &mut Cluster {
        let at = number as usize;
        if self.list.get(at).is_none() {
            self.list.set(at, Cluster::default());
        }
        self.list.get_mut(at).expect("it was entered above")
    }

    /// Enters a segment that becomes one of a cluster's.
    fn hold(&mut self, shared: Shared, cluster: u32, large: bool) {
        let segment = shared.segment();
        let held = Held {
            shared,
            cluster,
            age: self.made,
            large,
        };
        self.made += 1;
        self.usage.segments += 1;
        self.held.set(segment.index(), Rc::new(held));
        self.cluster(cluster).all.push(segment);
        self.update_usage(segment);
    }

    /// Counts a segment's live bytes, and enters whether it has room.
    fn update_usage(&mut self, segment: SegmentIndex) {
        let Some(held) = self.held.get(segment.index()) else {
            return;
        };
        let (live, cluster, age) = (held.shared.live(), held.cluster, held.age);
        let class = usize::from(held.large);
        self.usage.largest = self.usage.largest.max(live);
        let has_room = live <= self.threshold;
        let open = self.list.get(cluster as usize);
        let open = open.map_or(&[][..], |cluster| &cluster.open[class]);
        let ages = |other: &SegmentIndex| self.held.get(other.index()).map(|held| held.age);
        let at = open.partition_point(|other| ages(other) < Some(age));
        let listed = open.get(at) == Some(&segment);
        if has_room != listed {
            let open = &mut self.cluster(cluster).open[class];
            match listed {
                true => drop(open.remove(at)),
                false => open.insert(at, segment),
            }
        }
    }

    /// Where a fresh object of a cluster goes.
    pub fn place(
        &mut self,
        pool: &mut Pool,
        cluster: u32,
        request: &Request,
        segments: &mut Segments,
    ) -> Place {
        let large = self.is_large(request.size);
        let open = self.list.get(cluster as usize);
        let open = open.and_then(|of| of.open[usize::from(large)].first().copied());
        let segment = open.unwrap_or_else(|| {
            let fresh = Shared::new(segments);
            let segment = fresh.segment();
            self.hold(fresh, cluster, large);
            segment
        });
        let held = self.held.get_mut(segment.index()).expect("it is listed");
        let place = Rc::make_mut(held).shared.place(pool, request, segments);
        self.update_usage(segment);
        place
    }

    /// Takes back the room of an object in a segment of a cluster.
    pub fn release(&mut self, pool: &mut Pool, state: &ObjectState, segments: &mut Segments) {
        let segment = state.place.segment;
        let Some(held) = self.held.get_mut(segment.index()) else {
            debug_assert!(false, "releasing from a segment that does not exist");
            return;
        };
        Rc::make_mut(held).shared.release(pool, state, segments);
        self.update_usage(segment);
    }

    /// Puts the objects of a segment in an order, by size and alignment: where each of them is then, and the
    /// bytes of the segment.
    pub fn arrange(
        &mut self,
        segment: SegmentIndex,
        objects: &[(u64, u64)],
    ) -> Option<(Vec<u64>, u64)> {
        let held = self.held.get_mut(segment.index())?;
        let (shared, places) = Shared::in_order(segment, objects);
        let extent = shared.extent();
        Rc::make_mut(held).shared = shared;
        self.update_usage(segment);
        Some((places, extent))
    }

    /// Gives up a segment that no live object is in. Says whether there was one to give up.
    pub fn give_up(&mut self, segment: SegmentIndex, segments: &mut Segments) -> bool {
        let held = self.held.get(segment.index());
        if held.is_none_or(|held| !held.shared.is_empty()) {
            return false;
        }
        self.forget(segment);
        segments.remove(segment);
        true
    }

    /// Strikes a segment off the lists; what is known of it.
    fn forget(&mut self, segment: SegmentIndex) -> Option<Rc<Held>> {
        let held = self.held.take(segment.index())?;
        let cluster = self.cluster(held.cluster);
        cluster.all.retain(|&other| other != segment);
        cluster.open[usize::from(held.large)].retain(|&other| other != segment);
        Some(held)
    }

    /// Makes two clusters one: the first.
    pub fn unite(&mut self, cluster: u32, other: u32) {
        let Some(gone) = self.list.take(other as usize).filter(|_| cluster != other) else {
            return;
        };
        for &segment in &gone.all {
            if let Some(held) = self.held.get_mut(segment.index()) {
                Rc::make_mut(held).cluster = cluster;
            }
        }
        self.cluster(cluster).all.extend(gone.all);
        for segment in gone.open.into_iter().flatten() {
            self.update_usage(segment);
        }
    }

    /// Which parts become part of which others, by their positions in the list.
    pub fn packing(&self, parts: &[Part]) -> Vec<(usize, usize)> {
        let item = |(at, part): (usize, &Part)| match self.held.get(part.segment.index()) {
            Some(held) => Item {
                large: held.large,
                single: false,
                size: Reverse(held.shared.live()),
                which: held.age,
                at,
            },
            None => Item {
                large: self.is_large(part.info.size),
                single: true,
                size: Reverse(part.info.size),
                which: part.info.number,
                at,
            },
        };
        let mut items: Vec<Item> = parts.iter().enumerate().map(item).collect();
        items.sort_unstable();
        let mut kept: Vec<(Item, u64)> = Vec::new();
        let mut packing = Vec::new();
        for item in items {
            let size = item.size.0;
            let room = |&&mut (other, live): &&mut (Item, u64)| {
                let least = if item.single { 0 } else { size };
                other.large == item.large && live + least <= self.threshold
            };
            match kept.iter_mut().find(room) {
                Some((other, live)) => {
                    *live += size;
                    packing.push((item.at, other.at));
                }
                None => kept.push((item, size)),
            }
        }
        packing
    }

    /// Puts parts together that belong to a cluster, as far as there is room.
    pub fn pack(&mut self, cluster: u32, parts: &[Part], segments: &mut Segments) -> Vec<Move> {
        let mut moves = Vec::new();
        // The segments that were made for parts that were alone.
        let mut opened: Vec<(usize, SegmentIndex)> = Vec::new();
        for (from, to) in self.packing(parts) {
            let known = opened.iter().find(|(part, _)| *part == to);
            let target = match known {
                Some(&(_, segment)) => segment,
                None if self.of(parts[to].segment).is_some() => parts[to].segment,
                None => {
                    let fresh = Shared::new(segments);
                    let segment = fresh.segment();
                    self.hold(fresh, cluster, self.is_large(parts[to].info.size));
                    moves.push(self.absorb(parts[to], segment, segments));
                    opened.push((to, segment));
                    segment
                }
            };
            moves.push(self.absorb(parts[from], target, segments));
        }
        moves
    }

    fn absorb(&mut self, from: Part, to: SegmentIndex, segments: &Segments) -> Move {
        let segment = from.segment;
        let (taken, only) = match self.forget(segment) {
            Some(held) => (held.shared.clone(), None),
            None => {
                let one = Shared::of_one(segment, from.info.size, from.info.align);
                (one, Some(from.object))
            }
        };
        let held = self.held.get_mut(to.index()).expect("it is held");
        let size = segments.get(segment).size();
        let by = Rc::make_mut(held).shared.absorb(&taken, size);
        self.update_usage(to);
        Move {
            from: segment,
            to,
            by,
            only,
        }
    }
}

//! Moving objects from segment to segment ("Relocatable Addressing Model for Symbolic Execution",
//! section 2.3).
//!
//! A model that keeps several objects on one path can put them together when it sees a pointer that
//! may lead to any of them, instead of when they are made. It says which segment becomes part of
//! which other one; what it takes is done here: contents are moved, pending writes at symbolic
//! positions with them, and the objects get their new places. Their numbers stay, so that nothing
//! outside of this memory can tell: expressions do not hold places, and a resolution is made anew
//! after a move. A segment moves as a whole, so one distance applies to all that is in it; then the
//! objects of the whole are put in order.

use crate::cx::Cx;
use crate::join::{Move, Part};
use crate::memory::Memory;
use crate::resolution::SegmentIndex;
use crate::state::Place;
use crate::storage::Storage;
use plat_expr::ObjectId;
use std::cmp::Reverse;

impl Memory {
    /// Lets the model put segments together.
    pub(crate) fn join(&mut self, cx: &mut Cx<'_>, parts: &[Part]) {
        let moves = self.model.join(parts, &mut self.segments);
        let mut targets: Vec<SegmentIndex> = moves.iter().map(|one| one.to).collect();
        let mut moved = 0;
        for one in moves {
            moved += self.relocate(cx, one);
        }
        targets.dedup();
        for target in targets {
            self.arrange(cx, target);
        }
        cx.stats.joins += u64::from(moved > 0);
        cx.stats.moved += moved;
        self.note_usage(cx);
    }

    /// Puts the objects of a segment in the order that they would have if they had come together at once,
    /// so that paths which differ in how they came together ask the same questions about them (the
    /// paper's reuse of segments). Not where writes at symbolic positions are pending: they belong to no
    /// single object.
    fn arrange(&mut self, cx: &mut Cx<'_>, segment: SegmentIndex) {
        if !self.segments.get(segment).is_settled() {
            return;
        }
        let size = |object: ObjectId| cx.objects.get(object).size;
        let mut objects = self.objects_in(segment);
        objects.sort_by_key(|&object| (Reverse(size(object)), cx.objects.get(object).number));
        let blocks = objects
            .iter()
            .map(|&object| (size(object), cx.objects.get(object).align));
        let blocks: Vec<(u64, u64)> = blocks.collect();
        let Some((places, extent)) = self.model.arrange(segment, &blocks) else {
            return;
        };
        let offset = |memory: &Self, object: ObjectId| {
            let state = memory.object(object);
            state.map_or(0, |state| state.place.offset)
        };
        if (objects.iter().zip(&places)).all(|(&object, &to)| offset(self, object) == to) {
            return;
        }
        let before = self.segments.share(segment);
        let mut after = Storage::zeros(extent);
        for ((&object, &to), &(size, _)) in objects.iter().zip(&places).zip(&blocks) {
            if size > 0 {
                after.copy(cx.pool, to, &before, offset(self, object), size);
            }
            if let Some(state) = self.states.get_mut(object.index()) {
                state.place.offset = to;
            }
        }
        *self.segments.get_mut(segment) = after;
    }

    /// Moves a segment; says how many objects are in it.
    fn relocate(&mut self, cx: &mut Cx<'_>, one: Move) -> u64 {
        let Move { from, to, by, only } = one;
        let mut contents = self.segments.share(from);
        self.segments.remove(from);
        let target = self.segments.get_mut(to);
        if target.size() == 0 {
            // Shared, not copied. Nobody goes there directly any more.
            contents.admit(0, false);
            *target = contents;
        } else {
            target.grow(by + contents.size());
            target.absorb(cx.pool, by, &contents);
        }
        let objects = match only {
            Some(object) => vec![object],
            None => self.objects_in(from),
        };
        let mut moved = 0;
        for object in objects {
            if let Some(state) = self.states.get_mut(object.index()) {
                state.place = Place {
                    segment: to,
                    offset: state.place.offset + by,
                };
                moved += 1;
            }
        }
        moved
    }

    /// The live objects in a segment.
    fn objects_in(&self, segment: SegmentIndex) -> Vec<ObjectId> {
        let inside = |&object: &ObjectId| {
            let state = self.object(object);
            state.is_some_and(|state| state.place.segment == segment)
        };
        self.live().filter(inside).collect()
    }
}

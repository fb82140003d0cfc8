//! Moving objects from segment to segment ("Relocatable Addressing Model for Symbolic Execution",
//! section 2.3).
//!
//! A model that keeps several objects on one path can put them together when it sees a pointer that
//! may lead to any of them, instead of when they are made. It says which segment becomes part of
//! which other one; what it takes is done here: contents are moved, pending writes at symbolic
//! positions with them, and the objects get their new places. Their numbers stay, so that nothing
//! outside of this memory can tell: expressions do not hold places, and a resolution is made anew
//! after a move. A segment moves as a whole, so one distance applies to all that is in it.

use crate::cx::Cx;
use crate::join::{Move, Part};
use crate::memory::Memory;
use crate::resolution::SegmentIndex;
use crate::state::Place;
use plat_expr::ObjectId;

impl Memory {
    /// Lets the model put segments together.
    pub(crate) fn join(&mut self, cx: &mut Cx<'_>, parts: &[Part]) {
        let moves = self.model.join(parts, &mut self.segments);
        let mut moved = 0;
        for one in moves {
            moved += self.relocate(cx, one);
        }
        cx.stats.joins += u64::from(moved > 0);
        cx.stats.moved += moved;
        self.note_usage(cx);
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

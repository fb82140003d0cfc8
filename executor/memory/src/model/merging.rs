//! `merging`: every object is a segment of its own, and a pointer that can lead to several is
//! followed on one path: a read is an if-then-else over them, a write is guarded in each.
//!
//! Restricted to heap objects, it goes the paths of a segmentation that has every heap object that
//! is confused with another in the right segment: the heap objects on one path, each other object
//! on its own. That is how an ideal segmentation is found in one run.

use super::{Entry, Isolation, MemoryModel, Partition, place_alone, release_alone};
use crate::objects::Kind;
use crate::request::Request;
use crate::resolution::Stop;
use crate::resolve::ResolutionQuery;
use crate::segments::Segments;
use crate::state::{ObjectState, Place};
use plat_expr::Pool;

/// What the list of models has.
pub const ENTRY: Entry = Entry {
    name: "merging",
    help: "one path; an if-then-else over the objects that a pointer can lead to",
    wants_groups: false,
    make: |config| Box::new(Merging::new(config.heap_only)),
};

/// The model.
#[derive(Clone, Copy, Debug)]
pub struct Merging {
    heap_only: bool,
}

impl Merging {
    /// Merging of all objects, or of heap objects only.
    pub fn new(heap_only: bool) -> Self {
        Merging { heap_only }
    }
}

impl MemoryModel for Merging {
    fn isolation(&self) -> Isolation {
        Isolation::All
    }

    fn place(&mut self, _: &mut Pool, request: &Request, segments: &mut Segments) -> Place {
        place_alone(request, segments)
    }

    fn release(&mut self, _: &mut Pool, state: &ObjectState, _: Kind, segments: &mut Segments) {
        release_alone(state, segments);
    }

    fn partition(&self, query: &mut ResolutionQuery<'_, '_>) -> Result<Partition, Stop> {
        // An object that is infeasible does no harm: its guard is never true.
        let alternatives = query.alternatives(&|object, _| object.0);
        let outcomes = match self.heap_only {
            false => vec![query.merged(alternatives)?],
            true => query.merged_heap(alternatives)?,
        };
        Ok(Partition {
            outcomes,
            ..Partition::default()
        })
    }

    fn fork(&self) -> Box<dyn MemoryModel> {
        Box::new(*self)
    }
}

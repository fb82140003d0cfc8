//! `merging`: every object is a segment of its own, and a pointer that can lead to several is
//! followed on one path: a read is an if-then-else over them, a write is guarded in each.
//!
//! Restricted to heap objects, it goes the paths of a segmentation that has every heap object that
//! is confused with another in the right segment: the heap objects on one path, each other object
//! on its own. That is how an ideal segmentation is found in one run.

use super::{Apart, Division, MemoryModel, place_alone, release_alone};
use crate::memory::Request;
use crate::objects::Kind;
use crate::resolution::Stop;
use crate::resolve::Question;
use crate::segments::Segments;
use crate::state::{ObjectState, Place};
use plat_expr::Pool;

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
    fn name(&self) -> &'static str {
        "merging"
    }

    fn keeps_apart(&self) -> Apart {
        Apart::All
    }

    fn place(&mut self, _: &mut Pool, request: &Request, segments: &mut Segments) -> Place {
        place_alone(request, segments)
    }

    fn release(&mut self, _: &mut Pool, state: &ObjectState, _: Kind, segments: &mut Segments) {
        release_alone(state, segments);
    }

    fn divide(&self, question: &mut Question<'_, '_>) -> Result<Division, Stop> {
        // An object that is infeasible does no harm: its guard is never true.
        let alternatives = question.alternatives(&|object, _| object.0);
        let outcomes = match self.heap_only {
            false => vec![question.merged(alternatives)?],
            true => question.merged_heap(alternatives)?,
        };
        Ok(Division {
            outcomes,
            ..Division::default()
        })
    }

    fn fork(&self) -> Box<dyn MemoryModel> {
        Box::new(*self)
    }
}

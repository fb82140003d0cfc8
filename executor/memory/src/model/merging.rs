//! `merging`: every object is a segment of its own, and a pointer that can lead to several is
//! followed on one path: a read is an if-then-else over them, a write is guarded in each.

use super::{Division, MemoryModel, place_alone, release_alone};
use crate::memory::Request;
use crate::objects::Kind;
use crate::resolution::Stop;
use crate::resolve::Question;
use crate::segments::Segments;
use crate::state::{ObjectState, Place};
use plat_expr::Pool;

/// The model.
#[derive(Clone, Copy, Debug)]
pub struct Merging;

impl MemoryModel for Merging {
    fn name(&self) -> &'static str {
        "merging"
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
        let outcomes = vec![question.merged(alternatives)?];
        Ok(Division {
            outcomes,
            dropped: 0,
        })
    }

    fn fork(&self) -> Box<dyn MemoryModel> {
        Box::new(*self)
    }
}

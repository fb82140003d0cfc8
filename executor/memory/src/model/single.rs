//! `single`: a pointer that can lead to several objects is followed into one of them, the one
//! that the state's model of its path condition selects. Incomplete by definition; the
//! alternatives that are not followed are counted. Faults are reported as under every model.

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
pub struct Single;

impl MemoryModel for Single {
    fn name(&self) -> &'static str {
        "single"
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
        let alternatives = question.alternatives(&|object, _| object.0);
        let (chosen, dropped) = question.one(alternatives)?;
        let outcomes = vec![question.outcome(chosen)?];
        Ok(Division {
            outcomes,
            dropped,
            ..Division::default()
        })
    }

    fn fork(&self) -> Box<dyn MemoryModel> {
        Box::new(*self)
    }
}

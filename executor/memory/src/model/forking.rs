//! `forking` (segmented-memory paper, algorithm 1): every object is a segment of its own, and a
//! pointer that can lead to several objects is followed on a path for each.

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
pub struct Forking;

/// One outcome for each object that is feasible.
pub(crate) fn by_object(question: &mut Question<'_, '_>) -> Result<Division, Stop> {
    let alternatives = question.alternatives(&|object, _| object.0);
    let mut outcomes = Vec::new();
    for alternative in question.feasible(alternatives)? {
        outcomes.push(question.outcome(alternative)?);
    }
    Ok(Division {
        outcomes,
        ..Division::default()
    })
}

impl MemoryModel for Forking {
    fn name(&self) -> &'static str {
        "forking"
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
        by_object(question)
    }

    fn fork(&self) -> Box<dyn MemoryModel> {
        Box::new(*self)
    }
}

//! `forking` (segmented-memory paper, algorithm 1): every object is a segment of its own, and a
//! pointer that can lead to several objects is followed on a path for each.

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
    name: "forking",
    help: "one path for each object that a pointer can lead to",
    wants_groups: false,
    make: |_| Box::new(Forking),
};

/// The model.
#[derive(Clone, Copy, Debug)]
pub struct Forking;

/// One outcome for each object that is feasible.
pub(crate) fn by_object(query: &mut ResolutionQuery<'_, '_>) -> Result<Partition, Stop> {
    let alternatives = query.alternatives(&|object, _| object.0);
    let mut outcomes = Vec::new();
    for alternative in query.feasible(alternatives)? {
        outcomes.push(query.outcome(alternative)?);
    }
    Ok(Partition {
        outcomes,
        ..Partition::default()
    })
}

impl MemoryModel for Forking {
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
        by_object(query)
    }

    fn fork(&self) -> Box<dyn MemoryModel> {
        Box::new(*self)
    }
}

//! `single`: a pointer that can lead to several objects is followed into one of them, the one
//! that the state's model of its path condition selects. Incomplete by definition; the
//! alternatives that are not followed are counted. Faults are reported as under every model.

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
    name: "single",
    help: "one object that the pointer can lead to is followed, the others are dropped",
    wants_groups: false,
    make: |_| Box::new(Single),
};

/// The model.
#[derive(Clone, Copy, Debug)]
pub struct Single;

impl MemoryModel for Single {
    fn isolation(&self) -> Isolation {
        Isolation::All
    }

    fn follows_the_path_model(&self) -> bool {
        true
    }

    fn place(&mut self, _: &mut Pool, request: &Request, segments: &mut Segments) -> Place {
        place_alone(request, segments)
    }

    fn release(&mut self, _: &mut Pool, state: &ObjectState, _: Kind, segments: &mut Segments) {
        release_alone(state, segments);
    }

    fn partition(&self, query: &mut ResolutionQuery<'_, '_>) -> Result<Partition, Stop> {
        let alternatives = query.alternatives(&|object, _| object.0);
        let (chosen, dropped) = query.one(alternatives)?;
        let outcomes = vec![query.outcome(chosen)?];
        Ok(Partition {
            outcomes,
            dropped,
            ..Partition::default()
        })
    }

    fn fork(&self) -> Box<dyn MemoryModel> {
        Box::new(*self)
    }
}

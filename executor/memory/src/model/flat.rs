//! `flat` (segmented-memory paper, algorithm 2): one segment holds every object, so that one
//! read or write at a symbolic position covers whatever a pointer can lead to. Only the part of
//! the segment between the first and the last candidate is handed to a solver.

use super::segmented::by_segment;
use super::{Entry, MemoryModel, NOWHERE, Partition, Usage};
use crate::objects::Kind;
use crate::request::Request;
use crate::resolution::Stop;
use crate::resolve::ResolutionQuery;
use crate::segments::Segments;
use crate::shared::Shared;
use crate::state::{ObjectState, Place};
use plat_expr::Pool;
use std::rc::Rc;

/// What the list of models has.
pub const ENTRY: Entry = Entry {
    name: "flat",
    help: "one segment holds everything; no forking",
    wants_groups: false,
    make: |_| Box::new(Flat::new()),
};

/// The model.
#[derive(Clone, Default, Debug)]
pub struct Flat {
    memory: Option<Rc<Shared>>,
    largest: u64,
}

impl Flat {
    /// Nothing allocated.
    pub fn new() -> Self {
        Self::default()
    }
}

impl MemoryModel for Flat {
    fn place(&mut self, pool: &mut Pool, request: &Request, segments: &mut Segments) -> Place {
        if request.kind == Kind::Function {
            return NOWHERE;
        }
        let memory = self
            .memory
            .get_or_insert_with(|| Rc::new(Shared::new(segments)));
        let memory = Rc::make_mut(memory);
        let place = memory.place(pool, request, segments);
        self.largest = self.largest.max(memory.live());
        place
    }

    fn release(&mut self, pool: &mut Pool, state: &ObjectState, _: Kind, segments: &mut Segments) {
        if state.place != NOWHERE
            && let Some(memory) = &mut self.memory
        {
            Rc::make_mut(memory).release(pool, state, segments);
        }
    }

    fn partition(&self, query: &mut ResolutionQuery<'_, '_>) -> Result<Partition, Stop> {
        by_segment(query)
    }

    fn usage(&self) -> Usage {
        Usage {
            segments: u64::from(self.memory.is_some()),
            largest: self.largest,
        }
    }

    fn fork(&self) -> Box<dyn MemoryModel> {
        Box::new(self.clone())
    }
}

//! `auto`, where segments are dear as soon as objects share them: it forks by object all the time.

use plat_expr::Pool;
use plat_memory::join::{Move, Part};
use plat_memory::model::policy::Choice;
use plat_memory::model::{Entry, Isolation, Partition, Usage, named};
use plat_memory::resolve::ResolutionQuery;
use plat_memory::segments::Segments;
use plat_memory::{
    Kind, MemoryModel, ModelConfig, ObjectState, Place, Request, SegmentIndex, Stop,
};
use plat_program::InstId;

/// More than any fork costs.
const MUCH: u64 = 1 << 40;

/// The entry of the model.
pub static ENTRY: Entry = Entry {
    name: "dear",
    help: "auto, where segments are dear at once",
    wants_groups: false,
    make: |config: &ModelConfig| {
        let auto = named("auto").expect("the model exists");
        Box::new(Dear((auto.make)(config)))
    },
};

/// The model.
struct Dear(Box<dyn MemoryModel>);

impl MemoryModel for Dear {
    fn isolation(&self) -> Isolation {
        self.0.isolation()
    }

    fn context_depth(&self) -> usize {
        self.0.context_depth()
    }

    fn place(&mut self, pool: &mut Pool, request: &Request, segments: &mut Segments) -> Place {
        self.0.place(pool, request, segments)
    }

    fn release(
        &mut self,
        pool: &mut Pool,
        state: &ObjectState,
        kind: Kind,
        segments: &mut Segments,
    ) {
        self.0.release(pool, state, kind, segments);
    }

    fn partition(&self, query: &mut ResolutionQuery<'_, '_>) -> Result<Partition, Stop> {
        self.0.partition(query)
    }

    fn join(&mut self, parts: &[Part], segments: &mut Segments) -> Vec<Move> {
        let moves = self.0.join(parts, segments);
        for one in &moves {
            self.0.accessed(one.to, MUCH);
        }
        moves
    }

    fn accessed(&mut self, segment: SegmentIndex, bytes: u64) {
        self.0.accessed(segment, bytes);
    }

    fn chosen(&mut self, at: Option<InstId>, choice: &Choice) {
        self.0.chosen(at, choice);
    }

    fn arrange(
        &mut self,
        segment: SegmentIndex,
        objects: &[(u64, u64)],
    ) -> Option<(Vec<u64>, u64)> {
        self.0.arrange(segment, objects)
    }

    fn usage(&self) -> Usage {
        self.0.usage()
    }

    fn fork(&self) -> Box<dyn MemoryModel> {
        Box::new(Self(self.0.fork()))
    }
}

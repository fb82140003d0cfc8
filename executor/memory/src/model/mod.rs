//! Memory models: where contents are placed, and how a symbolic pointer is resolved.
//!
//! A model decides two things only. *Placement*: which segment holds an object's contents.
//! *Partition*: which of the objects that a pointer can lead to are followed on one path. All
//! models share one resolution (see [`crate::resolve`]), which finds the candidates, checks
//! bounds and lifetime per object, and asks the model to partition what is left; so all models give
//! a program the same behaviours (`single` gives some of them).

mod accounts;
pub mod auto;
mod choice;
mod clusters;
pub mod dynamic;
pub mod flat;
pub mod forking;
pub mod merging;
pub mod policy;
pub mod segmented;
pub mod single;

pub use choice::ModelChoice;

use crate::join::{Move, Part};
use crate::objects::Kind;
use crate::request::Request;
use crate::resolution::{Outcome, SegmentIndex, Stop};
use crate::resolve::{ResolutionQuery, Splitting};
use crate::segments::Segments;
use crate::state::{ObjectState, Place};
use plat_expr::Pool;
use plat_program::InstId;
use policy::Choice;

/// The place of objects without contents (functions).
pub const NOWHERE: Place = Place {
    segment: SegmentIndex(u32::MAX),
    offset: 0,
};

/// How a model uses its segments.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Usage {
    /// Segments so far that objects share: those made for groups, or by joins (flat: the one
    /// segment). The segment of an object that is alone by rule does not count.
    pub segments: u64,
    /// Most live bytes in one of them so far.
    pub largest: u64,
}

/// Which objects a model always places alone, with nothing else to do when they come and go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Isolation {
    /// None.
    None,
    /// Those without a group.
    Ungrouped,
    /// All.
    All,
}

/// A memory model. Part of a state, forked with it. It keeps no expressions from one call to the
/// next: they may be collected in between, and models are not told of it.
pub trait MemoryModel {
    /// Which objects need not be shown to [`MemoryModel::place`] and [`MemoryModel::release`].
    fn isolation(&self) -> Isolation {
        Isolation::None
    }
    /// How many calls above the allocating one tell heap objects apart that it asks about.
    fn context_depth(&self) -> usize {
        0
    }
    /// Whether [`MemoryModel::partition`] follows what the state's model of its path condition selects
    /// and drops the rest. The engine then gives the state its least model first, so that what is
    /// followed does not depend on other paths.
    fn follows_the_path_model(&self) -> bool {
        false
    }
    /// Where a fresh object goes. Its bytes there are zero.
    fn place(&mut self, pool: &mut Pool, request: &Request, segments: &mut Segments) -> Place;
    /// Takes back the place of an object that has died.
    fn release(
        &mut self,
        pool: &mut Pool,
        state: &ObjectState,
        kind: Kind,
        segments: &mut Segments,
    );
    /// The outcomes for a pointer that is in bounds of one of its candidates.
    fn partition(&self, query: &mut ResolutionQuery<'_, '_>) -> Result<Partition, Stop>;
    /// Puts segments together, as [`Partition::join`] has asked for: what is to be moved. The model
    /// has entered it in its own books.
    fn join(&mut self, _parts: &[Part], _segments: &mut Segments) -> Vec<Move> {
        Vec::new()
    }
    /// Puts all objects of a segment that was joined in an order, given by sizes and alignments: where each
    /// of them is then, and the bytes of the segment. `None`: they stay where they are.
    fn arrange(
        &mut self,
        _segment: SegmentIndex,
        _objects: &[(u64, u64)],
    ) -> Option<(Vec<u64>, u64)> {
        None
    }
    /// Hears of an access about more bytes of input than a table has, which can be in so many bytes of a
    /// segment, in several objects.
    fn accessed(&mut self, _segment: SegmentIndex, _bytes: u64) {}
    /// Hears what [`Partition::choice`] has said, once it is done.
    fn chosen(&mut self, _at: Option<InstId>, _choice: &Choice) {}
    /// How the segments of groups are used.
    fn usage(&self) -> Usage {
        Usage::default()
    }
    /// An independent copy, for a forked state.
    fn fork(&self) -> Box<dyn MemoryModel>;
}

/// What a model made of the candidates.
#[derive(Default)]
pub struct Partition {
    /// The paths to follow.
    pub outcomes: Vec<Outcome>,
    /// Objects that no path follows.
    pub dropped: u32,
    /// Segments to put together before anything else: the model is asked again afterwards.
    pub join: Vec<Part>,
    /// Whether large outcomes are divided into pieces, whatever the run's options say.
    pub pieces: Option<Splitting>,
    /// What was chosen, by a model that chooses.
    pub choice: Option<Choice>,
}

/// When `segmented` puts objects of a group into one segment.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Join {
    /// When they are allocated (algorithm 5 of the segmented-memory paper).
    Allocation,
    /// When a pointer may lead to several of them.
    #[default]
    Demand,
}

/// What models can be told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ModelConfig {
    /// Live bytes in a segment above which further objects of its group go to another one.
    pub threshold: u64,
    /// When `segmented` puts objects of a group together.
    pub join: Join,
    /// How `dynamic` tells allocation contexts apart: by so many calls above the allocating one.
    /// `None`: it asks about every object.
    pub context_depth: Option<u8>,
    /// Which objects are split into pieces, under any model ([`crate::Memory::split`]).
    pub splitting: Option<Splitting>,
    /// Whether `merging` keeps heap objects only on one path, as an ideal segment would.
    pub heap_only: bool,
}

impl Default for ModelConfig {
    /// The threshold of the segmented-memory paper, the contexts of the relocatable-addressing paper.
    fn default() -> Self {
        Self {
            threshold: 10_000,
            join: Join::default(),
            context_depth: Some(4),
            splitting: None,
            heap_only: false,
        }
    }
}

/// One of plat's own models.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name on the command line.
    pub name: &'static str,
    /// One line of help.
    pub help: &'static str,
    /// Whether it asks which group an object belongs to: only then does a program need a segment
    /// map.
    pub wants_groups: bool,
    /// Makes one for the initial state.
    pub make: fn(&ModelConfig) -> Box<dyn MemoryModel>,
}

impl Entry {
    /// Whether the model follows every feasible path: see [`MemoryModel::follows_the_path_model`].
    pub fn is_complete(&self) -> bool {
        !(self.make)(&ModelConfig::default()).follows_the_path_model()
    }
}

/// Every model, sorted by name.
pub static ALL: &[Entry] = &[
    auto::ENTRY,
    dynamic::ENTRY,
    flat::ENTRY,
    forking::ENTRY,
    merging::ENTRY,
    segmented::ENTRY,
    single::ENTRY,
];

/// The entry of the given name.
pub fn named(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}

/// A segment for one object alone.
pub fn place_alone(request: &Request, segments: &mut Segments) -> Place {
    if request.kind == Kind::Function {
        return NOWHERE;
    }
    Place {
        segment: segments.create_alone(request.size),
        offset: 0,
    }
}

/// Takes back the segment of an object that was [`place_alone`]d.
pub fn release_alone(state: &ObjectState, segments: &mut Segments) {
    if state.place != NOWHERE {
        segments.remove(state.place.segment);
    }
}

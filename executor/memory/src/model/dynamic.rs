//! `dynamic`: the dynamically segmented model ("Relocatable Addressing Model for Symbolic Execution",
//! section 2.3.2).
//!
//! No analysis. Every object starts in a segment of its own. When a symbolic pointer can lead to
//! several objects, their segments become one, and the pointer is followed on one path. Objects of
//! every kind are put together: of the heap and the stack, globals and constants. A segment that was
//! made so becomes part of another one like any object (the paper calls that recursive).
//!
//! Which objects a pointer can lead to is asked of the solver by contexts, the paper's first
//! optimisation: once two objects are known to be possible, so are all candidates that were allocated
//! under the same calls, and one more query says whether there is anything else. The paper learns
//! contexts for each instruction, since it has to choose among all of memory; here the candidates
//! are read off the pointer, so that no place has to be remembered. Without contexts every object is
//! asked about.
//!
//! A segment does not hold more than the threshold of the segmented model allows. Beyond it the
//! path forks by segment.

use super::clusters::Clusters;
use super::segmented::one_each;
use super::{
    Entry, Isolation, MemoryModel, ModelConfig, Partition, Usage, place_alone, release_alone,
};
use crate::join::{Move, Part};
use crate::objects::{Kind, Site};
use crate::paged::PagedVec;
use crate::request::Request;
use crate::resolution::{SegmentIndex, Stop};
use crate::resolve::{Alternative, ResolutionQuery};
use crate::segments::Segments;
use crate::state::{ObjectState, Place};
use plat_expr::Pool;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What the list of models has.
pub const ENTRY: Entry = Entry {
    name: "dynamic",
    help: "objects share a segment once one pointer may lead to them; no analysis",
    wants_groups: false,
    make: |config| Box::new(Dynamic::new(config)),
};

/// All segments that were put together are of one cluster.
const CLUSTER: u32 = 0;

/// The segments that a pointer can lead to.
pub(super) struct Candidates {
    /// Those that it may lead to.
    pub all: Vec<Alternative>,
    /// Those that count as possible.
    pub parts: Vec<Part>,
}

impl Candidates {
    /// Keeps what is possible. Each is followed on a path of its own, so each must be known to be.
    pub fn settle(&mut self, query: &mut ResolutionQuery<'_, '_>) -> Result<(), Stop> {
        if self.parts.len() > 1 {
            query.explore(&mut self.all, &|_, _| false)?;
        }
        self.all.retain(Alternative::is_feasible);
        Ok(())
    }
}

/// The model.
#[derive(Clone, Debug)]
pub struct Dynamic {
    /// The calls that tell contexts apart, if objects are asked about by contexts.
    depth: Option<u8>,
    clusters: Clusters,
    /// By segment number, for segments that were put together: where their objects come from.
    origins: PagedVec<Rc<BTreeSet<Site>>>,
}

impl Dynamic {
    /// Nothing allocated.
    pub fn new(config: &ModelConfig) -> Self {
        Self {
            depth: config.context_depth,
            clusters: Clusters::new(config.threshold),
            origins: PagedVec::new(),
        }
    }

    /// Where the objects of a part come from.
    fn origins(&self, part: &Part) -> Rc<BTreeSet<Site>> {
        match self.origins.get(part.segment.index()) {
            Some(known) => Rc::clone(known),
            None => Rc::new(BTreeSet::from([part.info.site])),
        }
    }

    /// What a pointer can lead to.
    pub(super) fn candidates(
        &self,
        query: &mut ResolutionQuery<'_, '_>,
    ) -> Result<Candidates, Stop> {
        let mut all = query.alternatives(&|_, state| state.place.segment.0);
        let possible = self.possible(query, &mut all)?;
        let parts = all.iter().zip(&possible).filter(|(_, possible)| **possible);
        let parts = parts.map(|(one, _)| query.part(one)).collect();
        Ok(Candidates { all, parts })
    }

    /// Live bytes in the segments of parts.
    pub(super) fn bytes(&self, parts: &[Part]) -> u64 {
        let bytes = |part: &Part| self.clusters.live(part.segment).unwrap_or(part.info.size);
        parts.iter().map(bytes).sum()
    }

    /// Whether a segment is one that was put together.
    pub(super) fn holds(&self, segment: SegmentIndex) -> bool {
        self.clusters.of(segment).is_some()
    }

    /// Finds out to which alternatives a pointer can lead. By contexts, a single object of a context that
    /// is known to be possible counts without a question, once there are two that are known: a pointer
    /// that leads to one object puts nothing together, whatever was allocated with it.
    fn possible(
        &self,
        query: &mut ResolutionQuery<'_, '_>,
        all: &mut [Alternative],
    ) -> Result<Vec<bool>, Stop> {
        let parts: Vec<Part> = all.iter().map(|one| query.part(one)).collect();
        let origins: Vec<_> = parts.iter().map(|part| self.origins(part)).collect();
        let single = |at: usize| self.clusters.of(parts[at].segment).is_none();
        let counts = |all: &[Alternative], at: usize| {
            let alike = |other: usize| {
                all[other].is_feasible() && origins[other].contains(&parts[at].info.site)
            };
            let several = all.iter().filter(|one| one.is_feasible()).nth(1).is_some();
            self.depth.is_some() && several && single(at) && (0..all.len()).any(alike)
        };
        query.explore(all, &counts)?;
        let possible = |at: usize| all[at].is_feasible() || counts(all, at);
        Ok((0..all.len()).map(possible).collect())
    }

    /// Whether some of the parts can become one.
    pub(super) fn is_packable(&self, parts: &[Part]) -> bool {
        parts.len() > 1 && !self.clusters.packing(parts).is_empty()
    }
}

impl MemoryModel for Dynamic {
    fn isolation(&self) -> Isolation {
        Isolation::All
    }

    fn context_depth(&self) -> usize {
        self.depth.map_or(0, usize::from)
    }

    fn place(&mut self, _: &mut Pool, request: &Request, segments: &mut Segments) -> Place {
        place_alone(request, segments)
    }

    fn release(&mut self, pool: &mut Pool, state: &ObjectState, _: Kind, segments: &mut Segments) {
        let segment = state.place.segment;
        if self.clusters.of(segment).is_none() {
            return release_alone(state, segments);
        }
        self.clusters.release(pool, state, segments);
        if self.clusters.give_up(segment, segments) {
            self.origins.take(segment.index());
        }
    }

    fn partition(&self, query: &mut ResolutionQuery<'_, '_>) -> Result<Partition, Stop> {
        let mut candidates = self.candidates(query)?;
        if self.is_packable(&candidates.parts) {
            return Ok(Partition {
                join: candidates.parts,
                ..Partition::default()
            });
        }
        candidates.settle(query)?;
        one_each(query, candidates.all)
    }

    fn join(&mut self, parts: &[Part], segments: &mut Segments) -> Vec<Move> {
        let origin = |segment: SegmentIndex| {
            let part = parts.iter().find(|part| part.segment == segment);
            part.map(|part| self.origins(part))
        };
        let before: Vec<_> = parts.iter().map(|part| part.segment).collect();
        let before: Vec<_> = before.iter().map(|&one| (one, origin(one))).collect();
        let moves = self.clusters.pack(CLUSTER, parts, segments);
        for one in &moves {
            self.origins.take(one.from.index());
            let taken = before.iter().find(|(segment, _)| *segment == one.from);
            let Some((_, Some(taken))) = taken else {
                continue;
            };
            match self.origins.get_mut(one.to.index()) {
                Some(known) => Rc::make_mut(known).extend(taken.iter().copied()),
                None => self.origins.set(one.to.index(), Rc::clone(taken)),
            }
        }
        moves
    }

    fn arrange(
        &mut self,
        segment: SegmentIndex,
        objects: &[(u64, u64)],
    ) -> Option<(Vec<u64>, u64)> {
        self.clusters.arrange(segment, objects)
    }

    fn usage(&self) -> Usage {
        self.clusters.usage()
    }

    fn fork(&self) -> Box<dyn MemoryModel> {
        Box::new(self.clone())
    }
}

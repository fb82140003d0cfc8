//! `auto`: decides for each pointer what is cheapest, from what this path has seen.
//!
//! Where a pointer can lead to several segments, they are put together as under `dynamic`, or the path
//! forks, whichever is estimated cheaper ([`super::policy`]): from the number of segments, their bytes,
//! and by how much the same instruction has multiplied this path before. What was put together stays
//! so. The user can pin an instruction to one way.
//!
//! No analysis is made. What is decided follows from what this path has done and from nothing else, so
//! that a path can be followed again anywhere.

use super::dynamic::Dynamic;
use super::policy::{Choice, Facts, Way, cheaper};
use super::segmented::one_each;
use super::{Entry, Isolation, MemoryModel, ModelConfig, Partition, Usage};
use crate::join::{Move, Part};
use crate::objects::Kind;
use crate::request::Request;
use crate::resolution::{SegmentIndex, Stop};
use crate::resolve::{ResolutionQuery, Splitting};
use crate::segments::Segments;
use crate::state::{ObjectState, Place};
use plat_expr::Pool;
use plat_program::InstId;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What the list of models has.
pub const ENTRY: Entry = Entry {
    name: "auto",
    help: "merges or forks at each pointer, whichever is estimated cheaper; no analysis",
    wants_groups: false,
    make: |config| Box::new(Auto::new(config)),
};

/// The pieces of an instruction that is pinned to be split, without other sizes: those of the paper.
const PIECES: Splitting = Splitting {
    threshold: 300,
    piece: 128,
};

/// Every position is a piece.
const POSITIONS: Splitting = Splitting {
    threshold: 0,
    piece: 1,
};

/// The model.
#[derive(Clone, Debug)]
pub struct Auto {
    segments: Dynamic,
    pieces: Splitting,
    /// By how much pointers at an instruction have multiplied this path.
    factors: Rc<FxHashMap<InstId, u64>>,
}

impl Auto {
    /// Nothing allocated.
    pub fn new(config: &ModelConfig) -> Self {
        Self {
            segments: Dynamic::new(config),
            pieces: config.splitting.unwrap_or(PIECES),
            factors: Rc::default(),
        }
    }

    fn factor(&self, at: Option<InstId>) -> u64 {
        let known = at.and_then(|at| self.factors.get(&at));
        known.copied().unwrap_or(1)
    }
}

impl MemoryModel for Auto {
    fn isolation(&self) -> Isolation {
        self.segments.isolation()
    }

    fn context_depth(&self) -> usize {
        self.segments.context_depth()
    }

    fn place(&mut self, pool: &mut Pool, request: &Request, segments: &mut Segments) -> Place {
        self.segments.place(pool, request, segments)
    }

    fn release(
        &mut self,
        pool: &mut Pool,
        state: &ObjectState,
        kind: Kind,
        segments: &mut Segments,
    ) {
        self.segments.release(pool, state, kind, segments);
    }

    fn partition(&self, query: &mut ResolutionQuery<'_, '_>) -> Result<Partition, Stop> {
        let mut candidates = self.segments.candidates(query)?;
        let pinned = query.pinned();
        let facts = Facts {
            alternatives: candidates.parts.len() as u64,
            bytes: self.segments.bytes(&candidates.parts),
            factor: self.factor(query.at()),
        };
        let way = pinned.unwrap_or_else(|| cheaper(&facts));
        let is_choice = facts.alternatives > 1 || pinned.is_some();
        let choice = is_choice.then_some(Choice {
            way,
            pinned: pinned.is_some(),
            alternatives: facts.alternatives,
            bytes: facts.bytes,
        });
        if way == Way::Merge && self.segments.is_packable(&candidates.parts) {
            return Ok(Partition {
                join: candidates.parts,
                choice,
                ..Partition::default()
            });
        }
        candidates.settle(query)?;
        Ok(Partition {
            pieces: match way {
                Way::Split => Some(self.pieces),
                Way::Value => Some(POSITIONS),
                Way::Merge | Way::Fork => None,
            },
            choice,
            ..one_each(query, candidates.all)?
        })
    }

    fn join(&mut self, parts: &[Part], segments: &mut Segments) -> Vec<Move> {
        self.segments.join(parts, segments)
    }

    fn chosen(&mut self, at: Option<InstId>, choice: &Choice) {
        let Some(at) = at.filter(|_| choice.way != Way::Merge) else {
            return;
        };
        let factor = Rc::make_mut(&mut self.factors).entry(at).or_insert(1);
        *factor = factor.saturating_mul(choice.alternatives.max(1));
    }

    fn arrange(
        &mut self,
        segment: SegmentIndex,
        objects: &[(u64, u64)],
    ) -> Option<(Vec<u64>, u64)> {
        self.segments.arrange(segment, objects)
    }

    fn usage(&self) -> Usage {
        self.segments.usage()
    }

    fn fork(&self) -> Box<dyn MemoryModel> {
        Box::new(self.clone())
    }
}
